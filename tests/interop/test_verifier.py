"""`stuckbot-verify`, unmodified, each release that has it, against a running desk."""

import json
import shutil
import subprocess
import sys
import urllib.request
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.interop.server import ROOT, Server, served
from tests.interop.verifying import RELEASES, Caller, Submitted, Verifier, manage

NODE_SIGNS = ROOT / "tests" / "data" / "node" / "attest.mjs"
EXPORT_CHECK = ROOT / "tests" / "strangers" / "check_export.py"
MATCHES = "blocker b1: signature valid and matches the stored result"
CHECKED = "checked 1 verification jobs"


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A desk of its own, where another agent must check blocker fixes."""
    with served(tmp_path_factory.mktemp("verifier")) as running:
        manage(running, "policy", "--org", running.org["org_id"], "--blocker=agent")
        yield running


def _newest(ticket: Any) -> dict[str, Any]:
    return dict(ticket["evidence"][-1])


def _job(ticket: Any) -> tuple[str, str | None]:
    job = ticket["verifications"][-1]
    return job["state"], job["assurance"]


@pytest.mark.parametrize("release", RELEASES)
def test_it_rejects_a_fix_and_confirms_the_next(
    strict: Server, tmp_path: Path, release: str
) -> None:
    verifier = Verifier(strict, tmp_path, release)
    verifier.key_add()
    said, other = Submitted(strict), Submitted(strict, command="npm ci")
    assert verifier.run_once() == CHECKED
    ticket = said.ticket
    assert (ticket["state"], _job(ticket)) == ("working", ("rejected", None))
    evidence = _newest(ticket)
    assert (evidence["result"], evidence["counts"]) == ("fail", False)
    assert verifier.audit(said.ref) == (0, MATCHES)
    verifier.fix()
    said.submit()
    assert verifier.run_once() == CHECKED
    ticket = said.ticket
    assert _job(ticket) == ("approved", "customer_verified")
    assert ticket["state"] == "blocker_resolved"
    evidence = _newest(ticket)
    assert (evidence["result"], evidence["trust_label"]) == ("pass", "customer_verified")
    assert evidence["attestation"]["key"] == verifier.fingerprint
    assert verifier.audit(said.ref) == (0, f"{MATCHES}\n{MATCHES}")
    # Whose command is not on the list is left for somebody else.
    assert (other.ticket["state"], _job(other.ticket)[0]) == ("blocker_review", "waiting_agent")


def test_an_unknown_or_revoked_key_decides_nothing(strict: Server, tmp_path: Path) -> None:
    verifier = Verifier(strict, tmp_path, "0.5.0")
    verifier.fix()
    said = Submitted(strict)
    assert verifier.run_once() == "checked 0 verification jobs"
    assert (said.ticket["state"], _job(said.ticket)[0]) == ("blocker_review", "waiting_agent")
    verifier.key_add()
    assert verifier.run_once() == CHECKED
    assert _job(said.ticket) == ("approved", "customer_verified")
    later = Submitted(strict)
    verifier.key_revoke()
    assert verifier.run_once() == "checked 0 verification jobs"
    assert _job(later.ticket)[0] == "waiting_agent"
    assert [one["attestation"] for one in later.ticket["evidence"]] == [None]
    # Revoking undoes nothing that was signed before.
    assert verifier.audit(said.ref) == (0, MATCHES)
    assert _newest(said.ticket)["attestation"]["key_revoked_at"]
    assert said.ticket["state"] == "blocker_resolved"


def test_a_statement_with_a_secret_is_kept_as_its_hash(strict: Server, tmp_path: Path) -> None:
    secret = "ghp_" + "R4nd0mL00k1ngT0kenF0rTh3T3stsAB12xyz9"[:36]
    verifier = Verifier(strict, tmp_path, "0.5.0", {"allow": ["cat leak.txt"]})
    verifier.key_add()
    (verifier.workdir / "leak.txt").write_text(f"token {secret}\n")
    said = Submitted(strict, command="cat leak.txt")
    assert verifier.run_once() == CHECKED
    evidence = _newest(said.ticket)
    assert evidence["trust_label"] == "customer_verified"
    assert set(evidence["attestation"]) == {"key", "signature", "signed_at", "statement_sha256"}
    assert secret not in json.dumps(said.ticket)
    code, told = verifier.audit(said.ref)
    assert code == 0
    assert evidence["attestation"]["statement_sha256"] in told


def _sandbox_refused() -> str:
    """What the kernel says when it permits none; empty when it does."""
    probe = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "true"]
    tried = subprocess.run(probe, capture_output=True, text=True)
    return "" if tried.returncode == 0 else tried.stderr.strip() or "no reason given"


@pytest.mark.services
def test_it_checks_in_a_sandbox(strict: Server, tmp_path: Path) -> None:
    """Bubblewrap needs user namespaces, which some kernels and containers forbid."""
    assert shutil.which("bwrap"), "bubblewrap is missing: run scripts/debian_packages."
    if refused := _sandbox_refused():
        told = f"NOT TESTED: this kernel permits no sandbox, so the verifier's was not: {refused}"
        warnings.warn(told, stacklevel=1)
        return
    verifier = Verifier(strict, tmp_path, "0.5.0", {"sandbox": "bwrap"})
    verifier.key_add()
    said = Submitted(strict)
    verifier.fix()
    assert verifier.run_once() == CHECKED
    assert _job(said.ticket) == ("approved", "customer_verified")
    assert verifier.audit(said.ref) == (0, MATCHES)


@pytest.mark.services
def test_a_result_signed_by_node_is_taken(strict: Server, tmp_path: Path) -> None:
    assert shutil.which("node"), "Node is missing: run scripts/debian_packages."
    verifier = Verifier(strict, tmp_path, "0.5.0")
    verifier.key_add()
    said = Submitted(strict)
    caller = Caller(strict, verifier.token)
    jobs = caller.get("/verifications")["verifications"]
    job = next(one for one in jobs if one["ticket_ref"] == said.ref)
    caller.post(f"/verifications/{job['id']}/claim")
    statement = {
        "v": 1,
        "verification_id": job["id"],
        "ticket_id": job["ticket_id"],
        "criterion_key": "b1",
        "stage": "blocker",
        "type": "command_run",
        "payload": {"command": said.command, "exit_code": 0},
        "signed_at": job["submitted_at"],
    }
    made = subprocess.run(
        ["node", str(NODE_SIGNS), str(tmp_path / "key.pem")],
        input=json.dumps(statement),
        capture_output=True,
        text=True,
        check=True,
    )
    sent = {"criterion": "b1", "type": "command_run", "attestation": json.loads(made.stdout)}
    body = {"decision": "approve", "reason": "Signed with Node.", "evidence": [sent]}
    answer = caller.post(f"/verifications/{job['id']}/decision", body)
    assert answer["verification"]["assurance"] == "customer_verified"


def test_a_stranger_checks_what_was_signed(strict: Server, tmp_path: Path) -> None:
    """By a program that knows nothing of this project."""
    verifier = Verifier(strict, tmp_path, "0.5.0")
    verifier.key_add()
    said = Submitted(strict)
    verifier.fix()
    verifier.run_once()
    job = said.ticket["verifications"][-1]
    envelope = said.solver.get(f"/verifications/{job['id']}/attestation")
    (tmp_path / "envelope.json").write_text(json.dumps(envelope))
    (tmp_path / "desk.pem").write_text(_desk_pem(strict))
    done = subprocess.run(
        [sys.executable, "-I", str(EXPORT_CHECK), "envelope.json", "desk.pem", "verifier.pub"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout.strip()) == (0, '{"b1": "signed"}'), done.stderr


def _desk_pem(server: Server) -> str:
    with urllib.request.urlopen(f"{server.url}/.well-known/stuckbot-desk-keys.json") as answer:
        return str(json.load(answer)["keys"][0]["pem"])
