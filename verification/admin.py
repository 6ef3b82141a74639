"""Proof for the operators, to read. Its texts are on the ticket's page."""

from django.contrib import admin

from stuckbot.lib.admin import ReadOnly, Values
from verification.admin_keys import VerifierKeyAdmin
from verification.models import Evidence, UrlCheck, Verification

__all__ = ["EvidenceAdmin", "UrlCheckAdmin", "VerificationAdmin", "VerifierKeyAdmin"]


@admin.register(Verification)
class VerificationAdmin(ReadOnly):
    list_display = (
        "ticket",
        "stage",
        "attempt",
        "state",
        "assurance",
        "submitted_by",
        "submitted_at",
    )
    list_filter = ("state", "stage", ("assurance", Values), "org")
    list_select_related = ("ticket", "submitted_by")
    search_fields = ("=ticket__number", "=id", "submitted_by__name")
    ordering = ("-submitted_at", "-id")
    date_hierarchy = "submitted_at"
    show_full_result_count = False
    fields = (
        *("id", "org", "ticket", "stage", "attempt", "state", "policy_snapshot", "assurance"),
        *("notes", "details"),
        *("submitted_by", "submitted_at", "claimed_by", "claim_until", "decided_by", "decided_at"),
    )


@admin.register(Evidence)
class EvidenceAdmin(ReadOnly):
    list_display = ("ticket", "criterion", "stage", "attempt", "type", "result", "trust", "by")
    list_filter = ("result", "trust", "type", "org")
    list_select_related = ("ticket", "by")
    search_fields = ("=ticket__number", "=id", "criterion", "by__name")
    ordering = ("-created_at", "-id")
    date_hierarchy = "created_at"
    show_full_result_count = False
    fields = (
        *("id", "org", "ticket", "stage", "attempt", "criterion", "type", "result", "trust"),
        *("by", "verification", "received_sha256", "created_at"),
    )


@admin.register(UrlCheck)
class UrlCheckAdmin(ReadOnly):
    """The queue, and what came of it: what waits and for how long, what was tried how often."""

    list_display = (
        *("ticket", "criterion", "host", "status", "reason", "http_status", "tries", "takes"),
        *("under_way", "due_at", "finished_at"),
    )
    list_filter = ("status", ("reason", Values), "under_way", "allowed", "org")
    list_select_related = ("ticket",)
    search_fields = ("=ticket__number", "=id", "host")
    ordering = ("-created_at", "-id")
    date_hierarchy = "created_at"
    show_full_result_count = False
    fields = (
        *("id", "org", "ticket", "criterion", "attempt", "evidence", "found", "url", "host"),
        *("status", "reason", "http_status", "address", "took_ms", "allowed", "tries", "takes"),
        *("under_way", "created_at", "due_at", "tried_at", "finished_at"),
    )
