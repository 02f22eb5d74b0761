"""Paths of the pages."""

from django.urls import URLPattern, path
from django.views.i18n import set_language

from web import views

urlpatterns: list[URLPattern] = [
    path("", views.home, name="home"),
    path("tables/<uuid:table_id>", views.table, name="table"),
    path("tables/<uuid:table_id>/board", views.board, name="board"),
    path("tables/<uuid:table_id>/rules", views.table_rules, name="table_rules"),
    path("rules", views.rules, name="rules"),
    path("rules/<slug:preset>", views.preset_rules, name="preset_rules"),
    path("language", set_language, name="language"),
]
