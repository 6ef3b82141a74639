"""What a program printed may hold NUL: it is kept and answered as it came."""

from tests.support import Api, file_ticket, prove


def test_it_keeps_nul_in_what_a_program_printed(stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    sent = prove(solver, "SB-1", output_excerpt="a\x00b").ok(201)
    assert sent["evidence"]["content"]["output_excerpt"] == "a\x00b"
    detail = solver.get("/api/v1/tickets/SB-1").ok()["ticket"]
    assert detail["evidence"][0]["content"]["output_excerpt"] == "a\x00b"


def test_it_keeps_no_nul_elsewhere(stuck: Api, solver: Api) -> None:
    file_ticket(stuck)
    solver.post("/api/v1/tickets/SB-1/claim", {}).ok()
    refused = prove(solver, "SB-1", cwd="/a\x00", output_excerpt="\ud800")
    paths = [one["path"] for one in refused.details["fields"]]
    assert sorted(paths) == ["payload.cwd", "payload.output_excerpt"]
    assert solver.post("/api/v1/tickets/SB-1/updates", {"body": "\x00"}).status == 422
