"""Foreign keys that also hold the org: a row cannot point into another tenant.

PostgreSQL enforces them (composite keys, made by a migration of each app); on SQLite, where a
table would have to be rebuilt for each, a test scans every pair instead.
"""

from collections.abc import Iterable
from typing import Final

from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import RunPython

#: (table, column, table pointed at); both tables have an `org_id`.
Link = tuple[str, str, str]

ACCOUNTS: Final[tuple[Link, ...]] = (
    ("accounts_membership", "actor_id", "accounts_actor"),
    ("accounts_connector", "set_up_by_id", "accounts_actor"),
    ("accounts_agent", "actor_id", "accounts_actor"),
    ("accounts_agent", "connector_id", "accounts_connector"),
    ("accounts_agent", "set_up_by_id", "accounts_actor"),
    ("accounts_agent", "parent_id", "accounts_agent"),
    ("accounts_token", "connector_id", "accounts_connector"),
    ("accounts_token", "agent_id", "accounts_agent"),
    ("accounts_token", "membership_id", "accounts_membership"),
    ("accounts_token", "set_up_by_id", "accounts_actor"),
    ("accounts_token", "replaced_by_id", "accounts_token"),
)
POLICY: Final[tuple[Link, ...]] = (
    ("policy_policy", "project_id", "accounts_project"),
    ("policy_policy", "connector_id", "accounts_connector"),
)
TICKETS: Final[tuple[Link, ...]] = (
    ("tickets_ticket", "project_id", "accounts_project"),
    ("tickets_ticket", "parent_id", "tickets_ticket"),
    ("tickets_ticket", "creator_id", "accounts_actor"),
    ("tickets_ticket", "solver_id", "accounts_actor"),
    ("tickets_ticket", "reserved_for_id", "accounts_actor"),
    ("tickets_ticket", "assignee_id", "accounts_actor"),
    ("tickets_ticket", "paused_by_id", "accounts_actor"),
    ("tickets_ticket", "claim_id", "tickets_claim"),
    ("tickets_ticket", "labelset_id", "tickets_wordset"),
    ("tickets_ticket", "skillset_id", "tickets_wordset"),
    ("tickets_ticket", "title_id", "core_content"),
    ("tickets_ticket", "summary_id", "core_content"),
    ("tickets_ticket", "blocked_reason_id", "core_content"),
    ("tickets_ticket", "resolution_id", "core_content"),
    ("tickets_package", "ticket_id", "tickets_ticket"),
    ("tickets_package", "content_id", "core_content"),
    ("tickets_package", "author_id", "accounts_actor"),
    ("tickets_criterion", "ticket_id", "tickets_ticket"),
    ("tickets_tag", "ticket_id", "tickets_ticket"),
    ("tickets_tag", "project_id", "accounts_project"),
    ("tickets_claim", "ticket_id", "tickets_ticket"),
    ("tickets_claim", "actor_id", "accounts_actor"),
    ("tickets_note", "ticket_id", "tickets_ticket"),
    ("tickets_note", "by_id", "accounts_actor"),
    ("tickets_note", "content_id", "core_content"),
)
REVIEW: Final[tuple[Link, ...]] = (("tickets_ticket", "verifier_id", "accounts_actor"),)
CHAINS: Final[tuple[Link, ...]] = (
    ("tickets_ticket", "pause_reason_id", "core_content"),
    ("tickets_ticket", "handoff_reason_id", "core_content"),
)
PAUSED: Final[tuple[Link, ...]] = (("accounts_project", "paused_by_id", "accounts_actor"),)
SEARCH: Final[tuple[Link, ...]] = (
    ("tickets_searchdoc", "ticket_id", "tickets_ticket"),
    ("tickets_searchlike", "ticket_id", "tickets_ticket"),
    ("tickets_searchlike", "other_id", "tickets_ticket"),
)
FINDINGS: Final[tuple[Link, ...]] = (("tickets_finding", "ticket_id", "tickets_ticket"),)
VERIFICATION: Final[tuple[Link, ...]] = (
    ("verification_verification", "ticket_id", "tickets_ticket"),
    ("verification_verification", "submitted_by_id", "accounts_actor"),
    ("verification_verification", "claimed_by_id", "accounts_actor"),
    ("verification_verification", "decided_by_id", "accounts_actor"),
    ("verification_verification", "reason_id", "core_content"),
    ("verification_evidence", "ticket_id", "tickets_ticket"),
    ("verification_evidence", "by_id", "accounts_actor"),
    ("verification_evidence", "verification_id", "verification_verification"),
    ("verification_evidence", "content_id", "core_content"),
)
ANSWERS: Final[tuple[Link, ...]] = (("verification_verification", "answer_id", "core_content"),)
SIGNED: Final[tuple[Link, ...]] = (
    ("verification_verifierkey", "added_by_id", "accounts_actor"),
    ("verification_verifierkey", "revoked_by_id", "accounts_actor"),
    ("verification_attestation", "evidence_id", "verification_evidence"),
    ("verification_attestation", "key_id", "verification_verifierkey"),
)
URL_CHECKS: Final[tuple[Link, ...]] = (
    ("verification_urlcheck", "ticket_id", "tickets_ticket"),
    ("verification_urlcheck", "evidence_id", "verification_evidence"),
    ("verification_urlcheck", "found_id", "verification_evidence"),
)
NOTICES: Final[tuple[Link, ...]] = (("accounts_notice", "membership_id", "accounts_membership"),)
INVITATIONS: Final[tuple[Link, ...]] = (
    ("accounts_invitation", "invited_by_id", "accounts_actor"),
    ("accounts_invitation", "accepted_by_id", "accounts_actor"),
)
SIGNALS: Final[tuple[Link, ...]] = (
    ("accounts_signal", "agent_id", "accounts_agent"),
    ("accounts_signal", "details_id", "core_content"),
    ("accounts_agentrequest", "agent_id", "accounts_agent"),
    ("accounts_agentrequest", "message_id", "core_content"),
    ("accounts_agentrequest", "requested_by_id", "accounts_actor"),
)
LINKS: Final = (
    *ACCOUNTS,
    *INVITATIONS,
    *NOTICES,
    *SIGNALS,
    *POLICY,
    *TICKETS,
    *REVIEW,
    *CHAINS,
    *PAUSED,
    *SEARCH,
    *FINDINGS,
    *VERIFICATION,
    *ANSWERS,
    *SIGNED,
    *URL_CHECKS,
)


def constraint_name(table: str, column: str) -> str:
    return f"{table}_{column}_same_org"[:63]


def links_migration(links: Iterable[Link]) -> RunPython:
    """A reversible migration step that makes the composite keys on PostgreSQL."""
    chosen = tuple(links)

    def forwards(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor != "postgresql":
            return
        for table, column, target in chosen:
            editor.execute(
                f"ALTER TABLE {table} ADD CONSTRAINT {constraint_name(table, column)}"
                f" FOREIGN KEY (org_id, {column}) REFERENCES {target} (org_id, id)"
                " DEFERRABLE INITIALLY DEFERRED"
            )

    def backwards(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
        if editor.connection.vendor != "postgresql":
            return
        for table, column, _ in chosen:
            editor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {constraint_name(table, column)}")

    return RunPython(forwards, backwards)
