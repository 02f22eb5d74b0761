"""Paths of the books under `/api/v1`."""

from django.urls import path

from ledger.api import views

urlpatterns = [
    path("ledger/me", views.Me.as_view()),
    path("ledger/me/statement", views.Statement.as_view()),
    path("ledger/entries/<int:entry_id>/receipt", views.Receipt.as_view()),
]
