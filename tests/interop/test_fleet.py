"""Agents of the public client that come back, renew and leave."""

from pathlib import Path

from tests.interop.server import Server
from tests.support import make_package


def test_it_resumes_from_a_state_file(server: Server, tmp_path: Path) -> None:
    runs = [server.run("fleet.resumed", state_file=str(tmp_path / "state.json")) for _ in range(2)]
    assert runs[0]["agent_id"] == runs[1]["agent_id"]
    assert [run["registrations"] for run in runs] == [1, 0]
    assert runs[1]["me"]["agent"]["name"] == "keeper"
    assert runs[1]["me"]["org"]["name"] == "Acme"


def test_it_renews_a_token_and_lets_the_old_one_live_on(server: Server) -> None:
    told = server.run("fleet.renewed")
    assert told == {"changed": True, "both": [[200, None], [200, None]], "renewals": 1}


def test_it_refuses_a_retired_agent_which_then_registers_anew(server: Server) -> None:
    told = server.run("fleet.retired", package=make_package(), key="retire-1")
    assert told["answer"]["released"] == [told["ref"]]
    assert told["replay"] == told["answer"]
    assert told["refused"] == [401, "token_revoked"]
    assert (told["anew"], told["registrations"]) == (True, 2)


def test_it_retires_an_agent_that_stops(server: Server, tmp_path: Path) -> None:
    state_file = tmp_path / "state.json"
    told = server.run("fleet.retired_on_stop", state_file=str(state_file))
    assert told == {"error": "None", "refused": [401, "token_revoked"]}
    assert not state_file.exists()
