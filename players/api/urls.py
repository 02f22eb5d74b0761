"""Paths of accounts under `/api/v1`."""

from django.urls import path

from players.api import views

urlpatterns = [
    path("auth/register", views.Register.as_view()),
    path("auth/login", views.Login.as_view()),
    path("auth/logout", views.Logout.as_view()),
    path("me", views.Me.as_view()),
]
