"""Paths of the pages."""

from django.urls import URLPattern, path
from django.views.i18n import set_language

from web import views

urlpatterns: list[URLPattern] = [
    path("", views.home, name="home"),
    path("tables/<uuid:table_id>", views.table, name="table"),
    path("tables/<uuid:table_id>/board", views.board, name="board"),
    path("language", set_language, name="language"),
]
