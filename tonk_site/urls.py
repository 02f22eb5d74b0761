"""All addresses of the product."""

from django.urls import URLPattern, URLResolver, include, path

urlpatterns: list[URLPattern | URLResolver] = [
    path("api/v1/", include("players.api.urls")),
    path("api/v1/", include("games.api.urls")),
]
handler400 = "tonk_site.errors.bad_request"
handler404 = "tonk_site.errors.not_found"
handler500 = "tonk_site.errors.server_error"
