"""Evidence for criteria in which a secret was masked, and what masking leaves alone."""

import json
from typing import Any

import pytest

from stuckbot.lib.masking import REDACTED
from tests.support import Api, Reply, file_ticket, prove
from tests.tickets.test_findings import SECRET, token
from verification.payloads import PAYLOAD_SCHEMAS
from verification.services.evidence import FREE_TEXTS, payload_masked

#: Fields whose values are checked to be a code, an id, a hash, a time or a number.
OPAQUE = {
    *("exit_code", "output_sha256", "ran_at", "passed", "failed", "skipped"),
    *("attachment_id", "sha256", "status"),
}


def held(stuck: Api, solver: Api, **criterion: str) -> None:
    whole = {"description": "d", "expected": "as it should", **criterion}
    file_ticket(stuck, blocker_criteria=[whole])
    solver.post("/api/v1/tickets/SB-1/claim").ok()


def send(solver: Api, type_: str, **payload: Any) -> Reply:
    body = {"criterion": "b1", "type": type_, "payload": payload}
    return solver.post("/api/v1/tickets/SB-1/evidence", body)


@pytest.mark.parametrize(
    "reported", [f"deploy --key {SECRET}", f"deploy --key {REDACTED}", f"deploy '--key' '{SECRET}'"]
)
def test_a_masked_command_is_proved_by_either_text(stuck: Api, solver: Api, reported: str) -> None:
    held(stuck, solver, method="command", command=f"deploy --key {SECRET}")
    evidence = prove(solver, "SB-1", command=reported).ok(201)["evidence"]
    assert evidence["result"] == "pass"
    assert SECRET not in json.dumps(evidence)


def test_another_command_is_refused_without_showing_the_secret(stuck: Api, solver: Api) -> None:
    held(stuck, solver, method="command", command=f"deploy --key {SECRET}")
    reply = prove(solver, "SB-1", command=f"remove --key {SECRET}")
    assert reply.status == 422
    assert reply.details["expected_command"] == f"deploy --key {REDACTED}"
    assert SECRET not in reply.response.content.decode()


def test_a_command_masked_along_with_its_payload_is_the_same(stuck: Api, solver: Api) -> None:
    """What marks the word as a secret stands in the output alone: by itself it is plain."""
    held(stuck, solver, method="command", command="login tr0ub4dor-9fKp2mZ-7")
    output = '{"password": "tr0ub4dor-9fKp2mZ-7"}'
    reply = prove(solver, "SB-1", command="login tr0ub4dor-9fKp2mZ-7", output_excerpt=output).ok(
        201
    )
    assert "tr0ub4dor" not in json.dumps(reply["evidence"])


@pytest.mark.parametrize("reported", [f"key {SECRET} accepted", f"key {REDACTED} accepted", None])
def test_a_masked_pattern_is_found_in_a_masked_excerpt(
    stuck: Api, solver: Api, reported: str | None
) -> None:
    held(stuck, solver, method="log_match", pattern=f"key {SECRET} accepted")
    payload = {"excerpt": f"10:00 key {SECRET} accepted"}
    if reported is not None:
        payload["pattern"] = reported
    assert send(solver, "log_match", **payload).ok(201)["evidence"]["result"] == "pass"
    missed = send(solver, "log_match", excerpt=f"key {SECRET} refused").ok(201)["evidence"]
    assert missed["result"] == "fail"


def test_a_pattern_that_finds_the_secret_itself_finds_it_before_masking(
    stuck: Api, solver: Api
) -> None:
    held(stuck, solver, method="log_match", pattern="key gh[a-z]_[0-9A-Za-z]{36} made")
    evidence = send(solver, "log_match", excerpt=f"key {SECRET} made").ok(201)["evidence"]
    assert evidence["result"] == "pass"
    assert evidence["content"]["excerpt"] == f"key {REDACTED} made"


def test_a_masked_url_is_proved_by_either_text(stuck: Api, solver: Api) -> None:
    url = f"https://app:{SECRET}@h.example/health"
    held(stuck, solver, method="external_check", url=url, expected="200")
    evidence = send(solver, "external_check", url=url, status=200).ok(201)["evidence"]
    assert SECRET not in json.dumps(evidence)
    masked = evidence["content"]["url"]
    send(solver, "external_check", url=masked, status=200).ok(201)


def test_hashes_ids_times_and_numbers_are_not_looked_at(stuck: Api, solver: Api) -> None:
    held(stuck, solver, method="command", command="npm ci")
    digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    opaque: dict[str, Any] = {
        "output_sha256": digest,
        "ran_at": "2026-03-01T12:00:00Z",
        "exit_code": 0,
    }
    # The very hash stands under a telling name beside it, and is masked there alone.
    output = f'{{"api_key": "{digest}"}}'
    content = prove(solver, "SB-1", output_excerpt=output, **opaque).ok(201)["evidence"]["content"]
    assert {name: content[name] for name in opaque} == opaque
    assert digest not in content["output_excerpt"]


def test_every_field_of_a_payload_is_free_text_or_opaque() -> None:
    fields = {name for schema in PAYLOAD_SCHEMAS.values() for name in schema["properties"]}
    assert fields == FREE_TEXTS | OPAQUE
    assert not FREE_TEXTS & OPAQUE


def test_a_payload_keeps_the_order_of_its_fields() -> None:
    payload = {"exit_code": 0, "command": f"x {token(2)}", "output_sha256": "a" * 64}
    masked = payload_masked(payload, "evidence.b1")
    assert list(masked.value) == list(payload)
    assert [one.where for one in masked.findings] == ["evidence.b1.command"]
