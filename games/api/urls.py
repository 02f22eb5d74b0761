"""Paths of tables under `/api/v1`."""

from django.urls import path

from games.api import views, waiting

urlpatterns = [
    path("me/tables", views.MyTables.as_view()),
    path("tables", views.Tables.as_view()),
    path("tables/<uuid:table_id>", views.Table.as_view()),
    path("tables/<uuid:table_id>/close", views.Close.as_view()),
    path("tables/<uuid:table_id>/bots", views.Bots.as_view()),
    path("tables/<uuid:table_id>/seat", views.Seat.as_view()),
    path("tables/<uuid:table_id>/state", waiting.state),
    path("tables/<uuid:table_id>/events", views.Events.as_view()),
    path("tables/<uuid:table_id>/moves", views.Moves.as_view()),
]
