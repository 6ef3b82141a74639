"""The admin's index as operators think of it, not as the code is divided."""

from typing import Any, Final

from django.contrib.admin import AdminSite
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

#: Section, its label in addresses, and the models in it, in this order.
SECTIONS: Final = (
    (_("Organisations"), "accounts", ("Org", "Project", "Policy")),
    (_("People"), "accounts", ("User", "Membership", "Invitation", "EmailAddress", "Group")),
    (_("Agents and keys"), "accounts", ("Connector", "Agent", "Token", "VerifierKey")),
    (_("Tickets"), "tickets", ("Ticket", "Verification", "Evidence")),
)
#: Whatever no section names is work that goes on behind: timers, mail, the queue.
REST: Final = _("Background work")


def sections(
    site: AdminSite, request: HttpRequest, app_label: str | None = None
) -> list[dict[str, Any]]:
    """The sections with what the operator may open of each; by app where one app is asked for."""
    apps = AdminSite.get_app_list(site, request, app_label)
    if app_label is not None:
        return apps
    models = {model["object_name"]: model for app in apps for model in app["models"]}
    shown = [
        _section(name, label, [models.pop(one) for one in names if one in models])
        for name, label, names in SECTIONS
    ]
    shown.append(_section(REST, "django_q", list(models.values())))
    return [section for section in shown if section["models"]]


def _section(name: Any, label: str, models: list[dict[str, Any]]) -> dict[str, Any]:
    # Each has an anchor of its own on the index: no address lists just these.
    address = models[0]["admin_url"] if models else None
    return {
        "name": name,
        "app_label": label,
        "app_url": address or "",
        "has_module_perms": True,
        "models": models,
    }
