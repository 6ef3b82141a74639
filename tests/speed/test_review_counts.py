"""How many statements a verifier's calls take, however many jobs wait."""

from collections.abc import Callable

from tests.speed.test_counts import statements
from tests.support import Api, Desk, Reply, fresh_key
from tests.verification.bench import Review

#: The most that each may take.
MOST = {"list": 5, "claim": 16, "decide": 26, "a person decides": 26}


def test_it_takes_few_statements_however_many_wait(
    desk: Desk, stuck: Api, solver: Api, bob: Api
) -> None:
    verifier = desk.agent("verifier", scopes=["verify"])
    jobs = [Review(desk, stuck, solver).review("agent") for _ in range(2)]

    def post(api: Api, job: str, act: str, body: object = None) -> Callable[[], Reply]:
        path = f"/api/v1/verifications/{job}/{act}"
        return lambda: api.post(path, body, idempotency_key=fresh_key())

    listed = len(statements(lambda: verifier.get("/api/v1/verifications")))
    decision = {"decision": "approve", "reason": "Seen"}
    counts = {
        "list": listed,
        "claim": len(statements(post(verifier, jobs[0], "claim"))),
        "decide": len(statements(post(verifier, jobs[0], "decision", decision))),
        "a person decides": len(statements(post(bob, jobs[1], "decision", decision))),
    }
    assert {name: count for name, count in counts.items() if count > MOST[name]} == {}
    for _ in range(6):
        Review(desk, stuck, solver).review("agent")
    assert len(statements(lambda: verifier.get("/api/v1/verifications"))) == listed
