"""Every address of the desk."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from stuckbot.lib.admin import secret_page
from stuckbot.site.api import urls as api
from stuckbot.site.api.health import healthz, readyz

# Operators sign in where everybody does: the same limits, the same second factor.
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]

urlpatterns = [
    *api.urlpatterns,
    path("healthz", healthz),
    path("readyz", readyz),
    path("", include("stuckbot.site.pages.urls")),
    path("", include("stuckbot.site.pages.connect_urls")),
    path("", include("stuckbot.site.pages.agents_urls")),
    path("", include("stuckbot.site.pages.people_urls")),
    path("", include("stuckbot.site.pages.policy_urls")),
    path("admin/secret/", admin.site.admin_view(secret_page), name="admin_secret"),
    # The same limit on tries, and the same mail to who changed it, as everybody's.
    path("admin/password_change/", RedirectView.as_view(pattern_name="account_change_password")),
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.account.urls")),
]

handler500 = "stuckbot.site.pages.errors.server_error"
