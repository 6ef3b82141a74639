"""The first answer to every writing call is lost: each is made again, and nothing is done twice."""

import pytest

from tests.interop.losing import losing_answers
from tests.interop.server import RELEASES, Server
from tests.support import make_package

ENDS = (RELEASES[0], RELEASES[-1])


def _count(server: Server, table: str) -> int:
    return int(server.database.rows(f"SELECT COUNT(*) FROM {table}")[0][0])


@pytest.mark.parametrize("release", ENDS)
def test_it_retires_though_nobody_hears_of_it(server: Server, release: str) -> None:
    """Its token is revoked by the time it asks again, and it is told what it would have been."""
    before = {name: _count(server, name) for name in ("tickets_ticket", "accounts_agent")}
    with losing_answers(server) as (way, lost):
        key = f"unheard-{release}"
        told = way.run("fleet.retired", release, package=make_package(), key=key)
    assert [path for path in lost if path.endswith("/retire")] == ["/api/v1/agents/me/retire"]
    assert told["answer"] == {"released": [told["ref"]], "waiting": []}
    assert told["replay"] == told["answer"]
    assert told["refused"] == [401, "token_revoked"]
    assert (told["anew"], told["registrations"]) == (True, 2)
    assert _count(server, "tickets_ticket") == before["tickets_ticket"] + 1
    assert _count(server, "accounts_agent") == before["accounts_agent"] + 2


@pytest.mark.parametrize("release", ENDS)
def test_it_solves_a_ticket_though_it_hears_each_answer_late(server: Server, release: str) -> None:
    before = _count(server, "tickets_ticket")
    with losing_answers(server) as (way, lost):
        told = way.run("lost.solved", release, package=make_package())
    assert {path.rpartition("/")[2] for path in lost} >= {
        *("register", "tickets", "claim", "updates", "evidence", "submit", "comments"),
    }
    assert told["state"] == "blocker_resolved"
    assert told["events"] == [
        *("ticket_created", "comment_added", "ticket_claimed", "update_posted"),
        *("evidence_added", "stage_submitted", "stage_approved"),
    ]
    assert _count(server, "tickets_ticket") == before + 1
