"""Paths of accounts under `/api/v1`."""

from django.urls import path

from players.api import limits, proposals, views

urlpatterns = [
    path("auth/register", views.Register.as_view()),
    path("auth/login", views.Login.as_view()),
    path("auth/logout", views.Logout.as_view()),
    path("me", views.Me.as_view()),
    path("me/limits", limits.MyLimits.as_view()),
    path("me/exclusion", limits.MyExclusion.as_view()),
    path("admin/proposals", proposals.Proposals.as_view()),
    path("admin/proposals/<uuid:proposal_id>/approve", proposals.Approve.as_view()),
    path("admin/proposals/<uuid:proposal_id>/reject", proposals.Reject.as_view()),
]
