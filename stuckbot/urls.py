"""Every address of the desk."""

from django.contrib import admin
from django.urls import include, path

from stuckbot.lib.admin import secret_page
from stuckbot.site.api import urls as api
from stuckbot.site.api.health import healthz, readyz

urlpatterns = [
    *api.urlpatterns,
    path("healthz", healthz),
    path("readyz", readyz),
    path("", include("stuckbot.site.pages.urls")),
    path("admin/secret/", admin.site.admin_view(secret_page), name="admin_secret"),
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.account.urls")),
]

handler500 = "stuckbot.site.pages.errors.server_error"
