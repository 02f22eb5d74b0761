"""Paths of tournaments under `/api/v1`."""

from django.urls import path

from tournaments.api import views

urlpatterns = [
    path("tournament-templates", views.Templates.as_view()),
    path("tournaments", views.Tournaments.as_view()),
    path("tournaments/<uuid:tournament_id>", views.Tournament.as_view()),
    path("tournaments/<uuid:tournament_id>/publish", views.Publish.as_view()),
    path("tournaments/<uuid:tournament_id>/open-registration", views.OpenRegistration.as_view()),
    path("tournaments/<uuid:tournament_id>/start", views.Start.as_view()),
    path("tournaments/<uuid:tournament_id>/bots", views.Bots.as_view()),
    path("tournaments/<uuid:tournament_id>/entries", views.Entries.as_view()),
    path("tournaments/<uuid:tournament_id>/withdraw", views.Withdraw.as_view()),
]
