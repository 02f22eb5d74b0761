"""All addresses of the product."""

from django.urls import URLPattern, URLResolver, include, path

from tonk_site import system

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include("players.api.urls")),
    path("api/v1/", include("ledger.api.urls")),
    path("api/v1/", include("games.api.urls")),
    path("api/v1/", include("tournaments.api.urls")),
    path("api/v1/refusals", system.Refusals.as_view()),
    path("healthz", system.alive),
    path("readyz", system.ready),
    path("", include("web.urls")),
]
handler400 = "tonk_site.errors.bad_request"
handler404 = "tonk_site.errors.not_found"
handler500 = "tonk_site.errors.server_error"
