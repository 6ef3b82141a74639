"""Addresses of the pages about policies."""

from django.urls import path

from stuckbot.site.pages import pausing, policy, verifiers

urlpatterns = [
    path("policy", policy.policy_page, name="policy"),
    path("policy/save", policy.policy_save, name="policy_save"),
    path("policy/projects/<uuid:project_id>", policy.policy_project_page, name="policy_project"),
    path(
        "policy/projects/<uuid:project_id>/save",
        policy.policy_project_save,
        name="policy_project_save",
    ),
    path("policy/pause", pausing.policy_pause, name="policy_pause"),
    path(
        "policy/projects/<uuid:project_id>/pause",
        pausing.policy_project_pause,
        name="policy_project_pause",
    ),
    path("policy/verifiers/add", verifiers.verifier_key_add, name="verifier_key_add"),
    path(
        "policy/verifiers/<slug:fingerprint>/revoke",
        verifiers.verifier_key_revoke,
        name="verifier_key_revoke",
    ),
]
