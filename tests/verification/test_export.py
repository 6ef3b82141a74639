"""A stage's signed results for strangers: who may have them, and what each signature proves."""

import base64
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from stuckbot.lib import ids
from stuckbot.lib.desk_key import desk_key
from tests.support import Api, Desk
from tests.verification.reviewing import CRITERIA, LINTED, Review
from tests.verification.signed import PASSED, Signer
from verification.export import pre_authentication

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "tests" / "strangers" / "check_export.py"
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def approved(desk: Desk) -> Review:
    """One result signed by one key, another by another."""
    review = Review(desk, criteria=CRITERIA)
    first = review.item()
    review.signer = Signer()
    review.key_add()
    linted = review.statement(criterion_key="b2", payload=LINTED)
    review.decide(first, review.item(linted, "b2")).ok()
    return review


def export(review: Review, api: Api | None = None) -> dict[str, Any]:
    path = f"/api/v1/verifications/{review.job_id}/attestation"
    return dict((api or review.verifier).get(path).ok())


def said(envelope: dict[str, Any]) -> Any:
    return json.loads(base64.b64decode(envelope["payload"]))


def checked(folder: Path, envelope: Any, desk_pem: str, *pems: str) -> tuple[int, str]:
    """By the program that knows nothing of this project, in a process that cannot import it."""
    (folder / "envelope.json").write_text(json.dumps(envelope), encoding="utf-8")
    (folder / "desk.pem").write_text(desk_pem, encoding="utf-8")
    names = []
    for number, pem in enumerate(pems):
        names.append(f"verifier{number}.pem")
        (folder / names[-1]).write_text(pem, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", str(CHECK), "envelope.json", "desk.pem", *names],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stdout.strip() or done.stderr.strip()


def pems(envelope: dict[str, Any]) -> list[str]:
    return [one["pem"] for one in said(envelope)["predicate"]["keys"]]


def test_the_example_of_the_format_holds() -> None:
    """The one example that the protocol's text gives."""
    expected = b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    assert pre_authentication("http://example.com/HelloWorld", b"hello world") == expected


def test_a_stranger_verifies_every_signature(approved: Review, tmp_path: Path) -> None:
    envelope = export(approved)
    verdict = checked(tmp_path, envelope, desk_key().pem, *pems(envelope))
    assert verdict == (0, '{"b1": "signed", "b2": "signed"}')


def test_it_says_what_was_decided_on_what(approved: Review) -> None:
    statement = said(export(approved))
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    predicate = statement["predicate"]
    assert predicate["verification"]["id"] == approved.job_id
    assert predicate["verification"]["ticket_id"] == approved.ticket_id
    assert predicate["verification"]["assurance"] == "customer_verified"
    hashes = [one["digest"]["sha256"] for one in statement["subject"]]
    assert hashes == [one["statement_sha256"] for one in predicate["results"]]
    assert len({one["name"] for one in statement["subject"]}) == len(hashes) == 2


def test_a_stranger_sees_every_change(approved: Review, tmp_path: Path) -> None:
    envelope = export(approved)
    own, desk_pem = pems(envelope), desk_key().pem
    other = Signer()
    assert checked(tmp_path, envelope, other.pem, *own)[0] == 1
    assert "unknown key" in checked(tmp_path, envelope, desk_pem, other.pem)[1]
    changed = base64.b64decode(envelope["payload"]).replace(b"approved", b"rejected")
    forged = {**envelope, "payload": base64.b64encode(changed).decode()}
    assert checked(tmp_path, forged, desk_pem, *own) == (1, "The desk's signature does not hold.")
    # Whoever had the desk's own key could not make up a result either.
    statement = said(envelope)
    first, second = statement["predicate"]["results"]
    first["signature"], second["signature"] = second["signature"], first["signature"]
    raw = json.dumps(statement).encode()
    signature = desk_key().sign(pre_authentication(envelope["payloadType"], raw))
    lied = {
        **envelope,
        "payload": base64.b64encode(raw).decode(),
        "signatures": [{"keyid": "", "sig": base64.b64encode(signature).decode()}],
    }
    code, told = checked(tmp_path, lied, desk_pem, *own)
    assert (code, told.count("signature does not hold")) == (1, 2)


def _documented() -> str:
    """The commands of the document for verifiers, from the files that its first two fetch."""
    blocks = (ROOT / "docs" / "verifiers.md").read_text(encoding="utf-8").split("```sh\n")
    block = next(one.partition("```")[0] for one in blocks if "DSSEv1" in one)
    return block[block.index("# 1.") :]


@pytest.mark.services
@pytest.mark.parametrize("forged", [False, True])
def test_the_documented_commands_verify_it(desk: Desk, tmp_path: Path, forged: bool) -> None:
    """With openssl, jq and a shell, as the document has them."""
    assert shutil.which("jq"), "jq is missing: run scripts/debian_packages."
    assert shutil.which("openssl"), "openssl is missing: run scripts/debian_packages."
    review = Review(desk)
    review.decide(review.item()).ok()
    (tmp_path / "envelope.json").write_text(json.dumps(export(review)), encoding="utf-8")
    (tmp_path / "desk.pem").write_text(desk_key().pem, encoding="utf-8")
    signer = Signer() if forged else review.signer
    (tmp_path / "verifier.pub").write_text(signer.pem, encoding="utf-8")
    done = subprocess.run(
        ["bash", "-c", _documented()], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.count("Verified OK") == (1 if forged else 2), done.stdout + done.stderr
    assert '"exit_code": 0' in done.stdout


def test_the_documented_program_is_the_tested_one() -> None:
    text = (ROOT / "docs" / "verifiers.md").read_text(encoding="utf-8")
    program = (ROOT / "tests" / "data" / "node" / "attest.mjs").read_text(encoding="utf-8")
    assert program[program.index("import ") :].strip() in text


def test_a_rejection_is_exported_too(desk: Desk, tmp_path: Path) -> None:
    review = Review(desk)
    failed = review.statement(payload={**PASSED, "exit_code": 1})
    review.decide(review.item(failed), decision="reject").ok()
    envelope = export(review)
    assert said(envelope)["predicate"]["verification"]["state"] == "rejected"
    assert said(envelope)["predicate"]["results"][0]["result"] == "fail"
    assert checked(tmp_path, envelope, desk_key().pem, *pems(envelope))[0] == 0


def test_of_a_statement_with_a_secret_the_hash_goes_out(desk: Desk, tmp_path: Path) -> None:
    review = Review(desk)
    told = review.statement(payload={**PASSED, "output_excerpt": f"token {SECRET}"})
    review.decide(review.item(told)).ok()
    envelope = export(review)
    assert SECRET.encode() not in base64.b64decode(envelope["payload"])
    verdict = checked(tmp_path, envelope, desk_key().pem, *pems(envelope))
    assert verdict == (0, '{"b1": "hash only"}')


def test_a_revoked_key_is_marked(approved: Review) -> None:
    approved.key_revoke()
    marks = [one["revoked_at"] for one in said(export(approved))["predicate"]["keys"]]
    assert [bool(one) for one in marks] == [False, True]


def test_whoever_reads_the_ticket_reads_it(approved: Review, mallory: Api) -> None:
    assert said(export(approved, approved.reader)) == said(export(approved))
    path = f"/api/v1/verifications/{approved.job_id}/attestation"
    assert mallory.get(path).status == 404
    narrow = approved.desk.agent("narrow", scopes=["tickets:create"])
    assert narrow.get(path).code == "insufficient_scope"
    for other in (str(ids.uuid7()), "none"):
        gone = f"/api/v1/verifications/{other}/attestation"
        assert approved.verifier.get(gone).status == 404


def test_without_a_signed_result_there_is_nothing_to_export(desk: Desk) -> None:
    review = Review(desk)
    path = f"/api/v1/verifications/{review.job_id}/attestation"
    assert review.verifier.get(path).code == "invalid_transition"
    review.decide().ok()
    assert review.verifier.get(path).code == "invalid_transition"


def test_the_desks_key_is_public_and_its_own(client: Client, db: None, settings: Any) -> None:
    key = client.get("/.well-known/stuckbot-desk-keys.json").json()["keys"][0]
    assert key == desk_key().jwk()
    assert len(base64.urlsafe_b64decode(key["x"] + "=")) == 32
    assert "PRIVATE" not in json.dumps(key)
    settings.SECRET_KEY = "another key of more than fifty characters, for another desk"
    assert desk_key().fingerprint != key["kid"]
