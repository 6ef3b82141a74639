"""Fixes that are proved by an address, told by the public client, opened by a running desk."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.interop.on_loopback import VARIABLE
from tests.interop.running import Filed, person
from tests.interop.server import PAST, Server, eventually, served
from tests.interop.verifying import Verifier, agent, manage
from tests.outgoing.authority import Authority
from tests.outgoing.server import OK, Talk, says
from tests.outgoing.server import Server as TlsServer
from tests.support import make_package

ERROR = b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n"
#: Name, public address that it is said to have, and what stands there on loopback.
UP, DOWN = "https://up.example.com/healthz", "https://down.example.com/healthz"
SLOW_UP, SLOW_DOWN = "https://slow.example.com/", "https://dying.example.com/"
GONE = "https://gone.example.com/"
PRIVATE, PLAIN = "https://10.0.0.8/healthz", "http://up.example.com/healthz"


#: The desk that asks, once it is served.
ASKING: list[Server] = []
#: Jobs that wait for what this host has to say.
AWAITED = """
SELECT c.id FROM verification_urlcheck c
JOIN verification_verification v ON v.ticket_id = c.ticket_id AND v.state = 'waiting_checks'
WHERE c.status = 'waiting' AND c.host = '{}'
"""


def _once_submitted(host: str, answer: bytes) -> Any:
    """Answers when the fix is handed in, which is long before the desk gives up."""

    def act(talk: Talk) -> None:
        talk.asked()
        eventually(lambda: bool(ASKING[-1].database.rows(AWAITED.format(host))), 8)
        talk.send(answer)

    return act


ACTS = {
    "up.example.com": says(OK),
    "down.example.com": says(ERROR),
    "slow.example.com": _once_submitted("slow.example.com", OK),
    "dying.example.com": _once_submitted("dying.example.com", ERROR),
}


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    authority = Authority(tmp_path_factory.mktemp("authority"))
    addresses = {name: f"93.184.216.{number}" for number, name in enumerate(ACTS, 34)}
    with ExitStack() as stack:
        servers = {
            name: stack.enter_context(TlsServer(act, authority.made(name).context()))
            for name, act in ACTS.items()
        }
        yield {
            "ca_file": str(authority.file),
            "names": {name: [address] for name, address in addresses.items()},
            "ports": {addresses[name]: one.port for name, one in servers.items()},
        }


@pytest.fixture(scope="module")
def desk(network: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    entry = str(Path(__file__).with_name("on_loopback.py"))
    folder = tmp_path_factory.mktemp("checking")
    with served(folder, entry=entry, **{VARIABLE: json.dumps(network)}) as running:
        ASKING.append(running)
        yield running


def policy_set(desk: Server, kind: str) -> None:
    """Unless it is so already: each command begins with seconds of starting."""
    [(before,)] = desk.database.rows("SELECT policy_version FROM accounts_org")
    if before > 1 or kind != "automatic":
        manage(desk, "policy", "--org", desk.org["org_id"], f"--blocker={kind}")


def lives(desk: Server, policy: str, **cases: dict[str, Any]) -> dict[str, Any]:
    policy_set(desk, policy)
    told: dict[str, Any] = desk.run("checking.lives", cases=cases, package=make_package())
    return told


def ends(told: dict[str, Any]) -> tuple[str, str, str | None, str]:
    """Its state, its job's, how it was approved, and how the criterion stands."""
    seen = told["seen"]
    job = seen["verifications"][-1]
    return seen["state"], job["state"], job["assurance"], seen["criteria"][0]["status"]


def counted(told: dict[str, Any]) -> Any:
    [one] = [one for one in told["seen"]["evidence"] if one["counts"]]
    return one


def test_under_the_automatic_policy_what_the_desk_sees_decides(desk: Server) -> None:
    told = lives(
        desk,
        "automatic",
        up={"url": UP},
        early={"url": SLOW_UP, "early": True},
        down={"url": DOWN},
        dying={"url": SLOW_DOWN, "early": True},
        other={"url": DOWN, "expected": "500"},
    )
    for name in ("up", "early", "other"):
        resolved = ("blocker_resolved", "approved", "platform_checked", "passed")
        assert ends(told[name]) == resolved, name
        evidence = counted(told[name])
        assert (evidence["result"], evidence["trust_label"]) == ("pass", "platform_checked")
        assert evidence["check"]["status"] == "checked"
        assert evidence["by"]["kind"] == "system"
        assert (told[name]["result"], told[name]["check"]["status"]) == ("waiting", "unchecked")
    assert told["early"]["submitted"] == "waiting_checks"
    assert told["up"]["standing"] == "passed"
    assert told["down"]["refused"][::2] == [422, {"missing": [], "failing": ["b1"]}]
    assert told["down"]["seen"]["state"] == "working"
    assert counted(told["down"])["check"]["http_status"] == 500
    assert ends(told["dying"])[:2] == ("working", "rejected")
    assert told["dying"]["events"][-1] == "stage_rejected"
    assert told["up"]["events"][-4:] == [
        *("evidence_added", "evidence_added", "stage_submitted", "stage_approved")
    ]


def test_what_cannot_be_checked_goes_to_a_person_who_decides(desk: Server) -> None:
    told = lives(desk, "automatic", private={"url": PRIVATE}, plain={"url": PLAIN})
    for name, reason in (("private", "not_public"), ("plain", "not_https")):
        one = told[name]
        assert one["standing"] == "unchecked"
        assert ends(one) == ("blocker_review", "waiting_person", None, "unchecked")
        assert "url_check_skipped" in one["events"]
        assert counted(one)["check"]["reason"] == reason
        assert one["seen"]["status_color"] == "RED"
    bob = person(desk)
    job = told["private"]["seen"]["verifications"][-1]["id"]
    said = {"decision": "approve", "reason": "I opened it at the office."}
    decided = bob.post(f"/verifications/{job}/decision", said)["verification"]
    assert (decided["state"], decided["assurance"]) == ("approved", "person_approved")
    assert decided["unproved"]["unchecked"] == ["b1"]


def test_a_name_that_is_gone_is_tried_three_times(desk: Server) -> None:
    """The pauses between the tries are cut short in the database."""
    policy_set(desk, "automatic")
    case = {"gone": {"url": GONE, "early": True}}
    running = desk.begin("checking.lives", cases=case, package=make_package())

    def over() -> bool:
        desk.database.change(
            f"UPDATE verification_urlcheck SET due_at = '{PAST}' "
            "WHERE status = 'waiting' AND tries > 0 AND NOT under_way AND ticket_id IN "
            "(SELECT ticket_id FROM verification_verification WHERE state = 'waiting_checks')"
        )
        return running.process.poll() is not None

    assert eventually(over)
    told = running.result()["gone"]
    assert ends(told) == ("blocker_review", "waiting_person", None, "unchecked")
    check = counted(told)["check"]
    assert (check["reason"], check["tries"]) == ("no_such_name", 3)
    assert told["events"][-2:] == ["url_check_skipped", "checks_finished"]


def test_a_person_decides_on_what_passed_where_the_policy_says_so(desk: Server) -> None:
    told = lives(desk, "person", up={"url": UP}, early={"url": SLOW_UP, "early": True})
    for one in told.values():
        assert ends(one) == ("blocker_review", "waiting_person", None, "passed")
    assert told["early"]["events"][-1] == "checks_finished"


def test_a_verifier_sees_what_could_not_be_checked_and_decides(
    desk: Server, tmp_path: Path
) -> None:
    told = lives(desk, "agent", private={"url": PRIVATE})["private"]
    assert ends(told) == ("blocker_review", "waiting_agent", None, "unchecked")
    own = Verifier(desk, tmp_path, "0.5.0")
    assert own.run_once() == "checked 0 verification jobs", "it runs commands and nothing else"
    decided = desk.run(
        "checking.verifies",
        token=desk.org["verifier_key"],
        payload={"url": PRIVATE, "status": 200},
    )
    seen = counted({"seen": decided["seen"]})
    assert (seen["result"], seen["check"]["reason"]) == ("unchecked", "not_public")
    job = decided["decided"]
    assert (job["state"], job["assurance"]) == ("approved", "agent_verified")


def test_a_solver_cannot_point_the_check_elsewhere(desk: Server) -> None:
    check = {"description": "Up", "method": "external_check", "url": DOWN, "expected": "200"}
    stuck, solver = agent(desk, "stuck"), agent(desk, "solver")
    package = make_package(blocker_criteria=[check])
    filed = Filed(stuck, stuck.post("/tickets", {"package": package})["ticket"]["ref"])
    solver.post(f"/tickets/{filed.ref}/claim")
    sent = {"criterion": "b1", "type": "external_check", "payload": {"url": UP, "status": 200}}
    status, answer = solver.call("POST", f"/tickets/{filed.ref}/evidence", sent)
    assert (status, answer["error"]["details"]) == (422, {"expected_url": DOWN})
