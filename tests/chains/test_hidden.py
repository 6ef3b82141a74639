"""What a chain says to an agent that reads only some of its tickets."""

from tests.chains.house import claim, detail, hand_on
from tests.support import Api, Desk, file_ticket


def shown(api: Api, ref: str) -> list[str]:
    return [one["ref"] for one in detail(api, ref)["chain"]]


def test_a_chain_shows_nobody_what_they_may_not_read(
    desk: Desk, solver: Api, racer: Api, bob: Api
) -> None:
    blind = desk.agent("blind", scopes=["tickets:create"])
    file_ticket(blind)
    claim(solver, "SB-1")
    hand_on(solver, "SB-1", reason="Read this").ok(201)
    assert blind.get("/api/v1/tickets/SB-2").code == "insufficient_scope"
    assert shown(blind, "SB-1") == ["SB-1"]
    told = str(detail(blind, "SB-1")["chain"])
    assert "What is left of it" not in told
    assert "Read this" not in told
    for reader in (solver, racer, bob):
        assert shown(reader, "SB-1") == ["SB-1", "SB-2"]


def test_its_own_tickets_of_a_chain_are_shown(desk: Desk, stuck: Api, solver: Api) -> None:
    blind = desk.agent("blind", scopes=["tickets:create", "tickets:claim"])
    file_ticket(blind)
    claim(solver, "SB-1")
    hand_on(solver, "SB-1").ok(201)
    claim(solver, "SB-2")
    blind_id = blind.get("/api/v1/agents/me").ok()["agent"]["id"]
    hand_on(solver, "SB-2", for_agent=blind_id).ok(201)
    assert shown(blind, "SB-1") == ["SB-1"]
    third = stuck.get("/api/v1/tickets/SB-3").ok()["ticket"]["id"]
    assert blind.post(f"/api/v1/tickets/{third}/claim", {}).status == 403
