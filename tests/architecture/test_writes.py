"""Who writes what: one writer of a ticket's state, listed seers of all orgs, one door for text."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from stuckbot.lib.content import prepare
from stuckbot.lib.masking import Masked, MaskedValue, mask_text, mask_value

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("accounts", "policy", "tickets", "verification", "stuckbot")
CODE = sorted(
    path.relative_to(ROOT)
    for folder in PACKAGES
    for path in (ROOT / folder).rglob("*.py")
    if "migrations" not in path.parts
)

#: (file, function) that may write a column `state`, and why.
STATE_WRITERS = {
    ("tickets/services/moves.py", "_state_write"): "the one writer of a ticket's state",
    (
        "tickets/services/looping.py",
        "",
    ): "the mark of a loop, which asks for the state and leaves it",
    ("verification/services/jobs.py", "jobs_cancel"): "a verification's state, not a ticket's",
}
#: (file, function) that may make a ticket row.
TICKET_MAKERS = {("tickets/services/create.py", "ticket_row"): "filing"}

#: Modules that may name `.unscoped`, the manager that sees every org, and why.
SEERS = {
    "accounts/management/commands/person_token.py": "an operator names a person by mail address",
    "accounts/services/agents.py": "inserts rows that carry their org",
    "accounts/services/invitations.py": "a link says which invitation, before anybody knows the org",
    "accounts/services/notices.py": "a mail's link says whose mails it ends, before anybody knows the org",
    "accounts/services/orgs.py": "inserts rows that carry their org",
    "accounts/usage.py": "last uses of tokens and last sights of members of every org, in one batch",
    "stuckbot/lib/idempotency.py": "by caller, and the purge of every org's old records",
    "stuckbot/lib/outbox.py": "inserts rows that carry their org",
    "stuckbot/lib/tenancy.py": "defines it",
    "stuckbot/lib/timers.py": "inserts rows that carry their org",
    "stuckbot/site/notices/due.py": "the sweep looks at every org",
    "stuckbot/site/notices/mailing.py": "a planned mail says whose it is, before anybody knows the org",
    "stuckbot/site/notices/reading.py": "inserts rows that carry their org",
    "stuckbot/site/search/due.py": "inserts rows that carry their org",
    "stuckbot/site/tasks.py": "the sweep looks at every org",
    "stuckbot/site/usecases/checks.py": "the sweep looks at every org",
    "stuckbot/site/usecases/watchdog.py": "the sweep looks at every org",
    "tickets/search/index.py": "slots are one row of numbers over every org",
    "tickets/search/likeness.py": "inserts rows that carry their org",
    "tickets/services/packages.py": "inserts rows that carry their org",
    "tickets/services/wordsets.py": "inserts rows that carry their org",
    "verification/services/jobs.py": "inserts rows that carry their org",
    "verification/services/url_checks.py": "inserts rows that carry their org",
    "verification/services/url_queue.py": "the checker takes turns with every org",
}


def _functions(path: Path) -> Iterator[tuple[str, ast.AST]]:
    """Each statement's function by name; `` for what stands outside of any."""

    def walk(node: ast.AST, name: str) -> Iterator[tuple[str, ast.AST]]:
        for child in ast.iter_child_nodes(node):
            inner = child.name if isinstance(child, ast.FunctionDef) else name
            yield inner, child
            yield from walk(child, inner)

    yield from walk(ast.parse((ROOT / path).read_text(encoding="utf-8")), "")


def _writes_state(node: ast.AST) -> bool:
    """An assignment, an update by query or in bulk, setattr, or SQL that writes `state`."""
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(isinstance(one, ast.Attribute) and one.attr == "state" for one in targets)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = " ".join(node.value.lower().split())
        return "update tickets_ticket" in text or "into tickets_ticket" in text
    return isinstance(node, ast.Call) and _call_writes_state(node)


def _call_writes_state(node: ast.Call) -> bool:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
    words = {one.arg for one in node.keywords}
    if name in ("update", "aupdate", "update_or_create", "get_or_create", "create"):
        return "state" in words
    if name == "rows_update":
        return ast.unparse(node.args[0]) == "Ticket" or "'state'" in ast.unparse(node)
    if name == "setattr":
        return len(node.args) > 1 and ast.unparse(node.args[1]) in ("'state'", '"state"')
    if name in ("bulk_update", "save", "asave", "abulk_update"):
        return "'state'" in ast.unparse(node)
    return False


def _found(test: str) -> set[tuple[str, str]]:
    checks = {"state": _writes_state, "ticket": _makes_ticket}
    return {
        (str(path), function)
        for path in CODE
        for function, node in _functions(path)
        if checks[test](node)
    }


def _makes_ticket(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Ticket"


def _carries_state(node: ast.AST) -> bool:
    """A dict that hands `state` over to the one writer as one more column."""
    if isinstance(node, ast.keyword) and node.arg == "fields" and isinstance(node.value, ast.Dict):
        return any(
            isinstance(key, ast.Constant) and key.value == "state" for key in node.value.keys
        )
    return False


def test_one_function_writes_a_tickets_state() -> None:
    assert _found("state") == set(STATE_WRITERS)


def test_one_function_makes_tickets() -> None:
    assert _found("ticket") == set(TICKET_MAKERS)


def test_no_move_carries_a_state_of_its_own() -> None:
    carriers = [
        f"{path}: {function}"
        for path in CODE
        for function, node in _functions(path)
        if _carries_state(node)
    ]
    assert carriers == []


@pytest.mark.parametrize(
    "line",
    [
        "ticket.state = State.OPEN",
        "ticket.state: str = 'open'",
        "Ticket.objects.of(org).filter(id=1).update(state='open')",
        "Ticket.objects.of(org).bulk_update(rows, ['version', 'state'])",
        "ticket.save(update_fields=['state'])",
        "setattr(ticket, 'state', 'open')",
        "cursor.execute('UPDATE tickets_ticket SET x = 1')",
        "Ticket.objects.create(state='open')",
        "rows_update(Ticket, columns, where='id = %s', params=[1])",
    ],
)
def test_the_check_sees_other_ways_to_write(line: str) -> None:
    assert any(_writes_state(node) for node in ast.walk(ast.parse(line)))


def test_listed_modules_alone_see_every_org() -> None:
    named = {
        str(path)
        for path in CODE
        for _, node in _functions(path)
        if (isinstance(node, ast.Attribute) and node.attr == "unscoped")
        or (isinstance(node, ast.Name) and node.id == "unscoped")
        or (isinstance(node, ast.Constant) and node.value == "unscoped")
    }
    assert named <= set(SEERS)


def test_listed_modules_do_no_more_than_insert() -> None:
    """`inserts rows that carry their org` is true: nothing but an insert follows `.unscoped`."""
    inserters = [name for name, why in SEERS.items() if why.startswith("inserts")]
    others = []
    for name in inserters:
        for _, node in _functions(Path(name)):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value).endswith(".unscoped"):
                others += [f"{name}: {node.attr}"] if node.attr != "bulk_create" else []
    assert others == []


def test_hand_written_updates_name_the_org() -> None:
    """`rows_update` goes past the managers, so each use says whose rows it means."""
    users = {
        str(path)
        for path in CODE
        for _, node in _functions(path)
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("rows_update")
    }
    assert users == {"tickets/services/moves.py"}
    text = (ROOT / "tickets/services/moves.py").read_text(encoding="utf-8")
    assert 'where = "org_id = %s AND ' in text


SNIPPET = """
from uuid import UUID

from stuckbot.lib.content import prepare
from stuckbot.lib.masking import Masked, mask_text, mask_value

ORG = UUID(int=0)
prepare(org_id=ORG, kind="x", body=mask_text("text"), root_id=None)
prepare(org_id=ORG, kind="x", body=mask_value({"a": 1}), root_id=None)
prepare(org_id=ORG, kind="x", body="text", root_id=None)
prepare(org_id=ORG, kind="x", body={"a": 1}, root_id=None)
prepare(org_id=ORG, kind="x", body=b"text", root_id=None)
"""


def test_the_type_checker_lets_only_masked_text_be_stored(tmp_path: Path) -> None:
    snippet = tmp_path / "snippet.py"
    snippet.write_text(SNIPPET)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", str(snippet)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    at_fault = [line for line in done.stdout.splitlines() if "snippet.py" in line]
    lines = [int(line.split("snippet.py:")[1].split(":")[0]) for line in at_fault]
    assert lines == [10, 11, 12], done.stdout + done.stderr
    assert all("[arg-type]" in line for line in at_fault)


def test_nobody_else_makes_masked_text() -> None:
    with pytest.raises(TypeError):
        Masked(object(), "secret")
    with pytest.raises(TypeError):
        MaskedValue(object(), {"a": "secret"})
    named = [
        str(path)
        for path in CODE
        for _, node in _functions(path)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).split(".")[-1] in ("Masked", "MaskedValue")
    ]
    assert set(named) == {"stuckbot/lib/masking/door.py"}


def test_masked_text_is_stored_as_it_is() -> None:
    text = prepare(org_id=UUID(int=0), kind="x", body=mask_text("é"), root_id=None)
    value = prepare(org_id=UUID(int=0), kind="x", body=mask_value({"b": 1, "a": "é"}), root_id=None)
    assert (text.bytes, value.bytes) == ("é".encode(), '{"b":1,"a":"é"}'.encode())


def test_content_is_made_at_one_place() -> None:
    makers = {
        str(path)
        for path in CODE
        for _, node in _functions(path)
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Content"
    }
    assert makers == {"stuckbot/lib/content.py"}
