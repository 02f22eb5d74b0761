"""Paths of tables and rules under `/api/v1`."""

from django.urls import path

from games.api import rulesets, views, waiting

urlpatterns = [
    path("rulesets", rulesets.RuleSets.as_view()),
    path("rulesets/validate", rulesets.Validation.as_view()),
    path("rulesets/<slug:ref>", rulesets.Rules.as_view()),
    path("rulesets/<slug:ref>/sheet", rulesets.RuleSheet.as_view()),
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
