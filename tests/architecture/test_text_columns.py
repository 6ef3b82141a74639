"""Every column that can hold text, with the reason why no secret gets into it."""

import ast
from collections.abc import Iterator
from pathlib import Path

from django.apps import apps
from django.db import models

ROOT = Path(__file__).resolve().parents[2]
CODE = sorted(
    path.relative_to(ROOT)
    for folder in ("accounts", "policy", "tickets", "verification", "stuckbot")
    for path in (ROOT / folder).rglob("*.py")
    if "migrations" not in path.parts
)
KINDS = ("TextField", "CharField", "JSONField", "BinaryField", "SlugField", "FileField")

CODES = "codes, ids and hashes of our own making"
NAME = "refused when it looks secret (accounts/names.py)"
MASKED = "masked when it is written; who writes it is listed below"
WORD = "checked words, refused when they look secret (tickets/services/intake.py)"
DJANGO = "written by Django from code and settings"

#: Why each is safe. A model that gains a text column fails the test until it is here.
COLUMNS = {
    "accounts.Actor": {"kind": CODES, "name": NAME},
    "accounts.Agent": {
        **dict.fromkeys(("name", "provider", "model", "runtime"), NAME),
        **dict.fromkeys(("labels", "capabilities", "usage", "usage_said"), MASKED),
        **dict.fromkeys(("scopes", "project_ids"), CODES),
        **dict.fromkeys(("handoff_request", "stop_request"), MASKED),
    },
    "accounts.AgentRequest": dict.fromkeys(("kind", "reason", "ended_by"), CODES),
    "accounts.Connector": {"name": NAME, "scopes": CODES},
    "accounts.Invitation": {"email": NAME, "role": CODES, "token_sha256": CODES},
    "accounts.Membership": {"role": CODES, "notices": CODES},
    "accounts.Org": {"name": NAME},
    "accounts.Project": {"name": NAME},
    "accounts.Signal": dict.fromkeys(("type", "cause"), CODES),
    "accounts.Token": {"name": NAME, **dict.fromkeys(("kind", "lookup", "sha256"), CODES)},
    "accounts.User": {
        **dict.fromkeys(("email", "name"), NAME),
        "password": "hashed",
        "session_mark": CODES,
        "time_zone": "one of the zones there are",
    },
    "account.EmailAddress": {"email": NAME},
    "account.EmailConfirmation": {"key": CODES},
    "admin.LogEntry": {
        "object_id": CODES,
        "object_repr": "names, which are refused when they look secret",
        "change_message": "names of fields and buttons",
    },
    "auth.Group": {"name": NAME},
    "auth.Permission": {"name": DJANGO, "codename": DJANGO},
    "contenttypes.ContentType": {"app_label": DJANGO, "model": DJANGO},
    "core.Audit": dict.fromkeys(("action", "target", "data"), CODES),
    "core.Content": {
        **dict.fromkeys(("kind", "sha256", "key_id"), CODES),
        "bytes": "made of Masked alone (stuckbot/lib/content.py)",
    },
    "core.Event": {"type": CODES, "data": CODES},
    "core.Idempotency": {
        **dict.fromkeys(("key_sha256", "fingerprint", "key_id"), CODES),
        "body": "an answer: made from rows, or a refusal, which masks what it says",
    },
    "core.Mail": {
        "letter": "sealed while it waits, empty afterwards (stuckbot/lib/mail.py)",
        "maker": CODES,
        "last_error": MASKED,
    },
    "core.OutboxCursor": {"consumer": CODES},
    "core.Timer": {"kind": CODES, "last_error": MASKED},
    "django_q.OrmQ": {"key": CODES, "payload": "names of our functions: no task takes arguments"},
    "django_q.Schedule": dict.fromkeys(
        (
            *("name", "func", "hook", "args", "kwargs", "schedule_type", "cron", "task"),
            *("cluster", "intended_date_kwarg"),
        ),
        "nothing writes it: its form is not in the admin",
    ),
    "django_q.Task": {
        **dict.fromkeys(("id", "name", "func", "hook", "group", "cluster"), CODES),
        **dict.fromkeys(("args", "kwargs", "result"), "masked (stuckbot/site/server/worker.py)"),
    },
    "policy.Policy": {"blocker": CODES, "task": CODES},
    "sessions.Session": {
        "session_key": CODES,
        "session_data": "ids, a valid address, messages of refusals, which are masked, and a fresh"
        " secret that waits to be shown, sealed (stuckbot/lib/once.py)",
    },
    "tickets.Claim": {"execution_target": CODES, "conversation": MASKED, "end_reason": CODES},
    "tickets.Criterion": {
        **dict.fromkeys(("stage", "method"), CODES),
        "key": WORD,
        **dict.fromkeys(("command", "pattern", "url", "expected"), MASKED),
    },
    "tickets.Finding": {"place": MASKED, "kind": CODES, "preview": MASKED},
    "tickets.Note": {"kind": CODES},
    "tickets.SearchDoc": {"stems": "words of texts that were masked before"},
    "tickets.Tag": {"label": WORD},
    "tickets.Ticket": dict.fromkeys(
        ("state", "mode", "missing", "waits_for", "own_red", "fingerprint", "assurance"), CODES
    ),
    "tickets.WordSet": {"kind": CODES, "sha256": CODES, "words": WORD},
    "verification.Attestation": {
        **dict.fromkeys(("statement_sha256", "signature"), CODES),
        "statement": "kept only where masking what it says changes nothing",
    },
    "verification.VerifierKey": {
        "name": NAME,
        **dict.fromkeys(("pem", "fingerprint"), "a public key, read and written anew"),
    },
    "verification.Evidence": {
        **dict.fromkeys(("stage", "type", "result", "trust", "received_sha256"), CODES),
        "criterion": "the key of a criterion that is there",
    },
    "verification.UrlCheck": {
        **dict.fromkeys(("status", "reason"), CODES),
        "criterion": "the key of a criterion that is there",
        "url": "a copy of its criterion's, which is masked",
        "host": "of that url, or an A-label of it",
        "address": "an IP address",
    },
    "verification.Verification": dict.fromkeys(
        ("stage", "state", "policy_snapshot", "assurance", "notes", "details"), CODES
    ),
}

#: (column, the value as it is written) by file, of all that writes free text beside content.
WRITERS = {
    "accounts/services/agents.py": {
        ("_agent_insert.name", "name_clean(registration.name or f'agent-{ids.base62(6)}')"),
        ("_agent_insert.name", "name"),  # typed Name, which name_clean makes
        ("Actor.name", "name"),
        ("Agent.name", "name"),
        # Checked a few lines above, all at once.
        ("_agent_insert.provider", "registration.provider"),
        ("_agent_insert.model", "registration.model"),
        ("_agent_insert.runtime", "registration.runtime"),
        ("_agent_insert.labels", "mask_value(registration.labels).value"),
        ("_agent_insert.capabilities", "mask_value(registration.capabilities).value"),
        # Both of them from what a line above masked the names of.
        ("update.usage", "totals"),
        ("update.usage_said", "counters"),
    },
    "accounts/services/connectors.py": {("update.name", "clean")},  # likewise
    "accounts/services/orgs.py": {
        ("Actor.name", "'StuckBot'"),
        ("Actor.name", "clean"),  # what name_clean gave, in these lines
        ("Connector.name", "clean"),
        ("create.name", "clean"),
        ("Actor.name", "name_clean(user.shown_name)"),
        ("Project.name", "name_clean(name)"),
    },
    "accounts/services/people.py": {("update.name", "name_clean(user.shown_name)")},
    # No row that is written: somebody to judge a password by.
    "stuckbot/site/pages/people_forms.py": {("User.name", "values.get('name', '')")},
    "stuckbot/lib/mail.py": {("update.last_error", "_words(error)"), ("update.last_error", "''")},
    "stuckbot/site/tasks.py": {
        ("update.last_error", "masked_cut(f'{type(error).__name__}: {error}', 500)"),
    },
    "tickets/services/claims.py": {
        (
            "Change.conversation",
            "mask_value(wish.conversation).value if wish.conversation else None",
        ),
    },
    "tickets/services/moves.py": {("Claim.conversation", "change.conversation")},
    # The criteria of a package that was masked as a whole.
    "tickets/services/create.py": {
        ("Criterion.command", "spec.command"),
        ("Criterion.pattern", "spec.pattern"),
        ("Criterion.url", "spec.url"),
        ("Criterion.expected", "spec.expected"),
    },
    # What masking tells, its path masked.
    "tickets/services/findings.py": {("Finding.place", "place"), ("Finding.preview", "preview")},
    # Of a checked package, whose words are refused when they look secret.
    "tickets/services/wordsets.py": {("Tag.label", "label"), ("WordSet.words", "list(words)")},
    # No rows that are written: an actor to show, a criterion to judge by.
    "tickets/services/notes.py": {("Actor.name", "actor.name")},
    "verification/services/evidence.py": {
        ("Actor.name", "actor.name"),
        *((f"Criterion.{one}", f"row.{one}") for one in ("command", "pattern", "url", "expected")),
    },
}
MAKERS = (
    *("_agent_insert", "Actor", "Agent", "Change", "Claim", "Connector", "Criterion", "Finding"),
    *("Org", "Project", "Tag", "Timer", "Token", "User", "WordSet", "create", "update"),
)


def _columns(model: type[models.Model]) -> set[str]:
    return {
        field.name
        for field in model._meta.concrete_fields
        if not field.is_relation and field.get_internal_type() in KINDS
    }


def test_it_says_of_every_text_column_why_it_is_safe() -> None:
    found = {
        model._meta.label: columns
        for model in apps.get_models(include_auto_created=True)
        if not model._meta.proxy and (columns := _columns(model))
    }
    assert found == {label: set(reasons) for label, reasons in COLUMNS.items()}


FREE = {
    column
    for reasons in COLUMNS.values()
    for column, why in reasons.items()
    if why in (MASKED, NAME, WORD)
} - {"key", "email"}


def _written() -> Iterator[tuple[str, str, str]]:
    """Each `Model(column=value)` and `.update(column=value)` of a column of free text."""
    for path in CODE:
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            maker = _maker(node)
            if isinstance(node, ast.Call) and maker in MAKERS:
                for word in node.keywords:
                    if word.arg in FREE:
                        yield str(path), f"{maker}.{word.arg}", ast.unparse(word.value)


def _maker(node: ast.AST) -> str:
    return ast.unparse(node.func).split(".")[-1] if isinstance(node, ast.Call) else ""


def test_listed_places_alone_write_free_text_beside_content() -> None:
    found: dict[str, set[tuple[str, str]]] = {}
    for path, column, value in _written():
        found.setdefault(path, set()).add((column, value))
    assert found == WRITERS


def test_no_task_takes_arguments() -> None:
    """What a task is given lies in the queue as it is."""
    calls = [
        ast.unparse(node)
        for path in CODE
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and _maker(node) in ("async_task", "schedule", "async_iter")
    ]
    assert calls == ["async_task(settings.TICKER_SWEEP, save=False)"]
