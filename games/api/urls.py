"""Paths of tables and rules under `/api/v1`."""

from django.urls import path

from games.api import exports, fair, log, rulesets, views, waiting

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
    path("tables/<uuid:table_id>/seat/sit-out", fair.SitOut.as_view()),
    path("tables/<uuid:table_id>/seat/sit-in", fair.SitIn.as_view()),
    path("tables/<uuid:table_id>/anchor", fair.Anchor.as_view()),
    path("tables/<uuid:table_id>/seeds", fair.Seeds.as_view()),
    path("tables/<uuid:table_id>/commitment", fair.Commitment.as_view()),
    path("tables/<uuid:table_id>/cards", fair.OwnCards.as_view()),
    path("hands/<uuid:hand_id>.tonkh", fair.Text.as_view()),
    path("hands/<uuid:hand_id>/verify", fair.Verification.as_view()),
    path("hands/<uuid:hand_id>/money", fair.Money.as_view()),
    path("hands/<uuid:hand_id>/cards/<int:place>", fair.Card.as_view()),
    path("log/checkpoint", log.Newest.as_view()),
    path("log/checkpoints", log.Checkpoints.as_view()),
    path("log/key", log.Keys.as_view()),
    path("log/tile/<str:level>/<path:tile>", log.Tile.as_view()),
    path("log/entries/<path:tile>", log.Entries.as_view()),
    path("log/proofs/inclusion", log.Inclusion.as_view()),
    path("log/proofs/consistency", log.Consistency.as_view()),
    path("log/streams/<str:category>/<uuid:stream_id>", log.StreamHead.as_view()),
    path("log/export", exports.Export.as_view()),
]
