"""What must hold of a server after any storm, seen from its log and its database."""

from itertools import pairwise

from tests.interop.server import Server

TROUBLE = (
    *("database busy", "database is locked", "deadlock", "could not serialize"),
    *("Traceback", "internal_error", "unexpected error", "IntegrityError"),
)


def assert_log_is_calm(server: Server) -> None:
    """No lock error, no conflict that came to light late, nothing unexpected."""
    lines = server.log().splitlines()
    assert [line for line in lines if any(word in line for word in TROUBLE)] == []


def assert_events_in_order(server: Server) -> None:
    """Per org the event ids are 1, 2, 3 and on: none twice, none missing, none taken back."""
    # One statement: the worker may write an event between two.
    rows = server.database.rows(
        "SELECT e.seq, c.seq FROM core_orgclock c JOIN core_event e ON e.org_id = c.org_id"
        " ORDER BY e.seq"
    )
    assert [seq for seq, _ in rows] == list(range(1, len(rows) + 1))
    assert {head for _, head in rows} == {len(rows)}


def assert_numbers_as_filed(server: Server) -> None:
    """Ticket numbers are unique and grow with the event that tells of the filing."""
    rows = server.database.rows(
        "SELECT t.number, e.seq FROM tickets_ticket t"
        " JOIN core_event e ON e.ticket_id = t.id AND e.type = 'ticket_created'"
        " ORDER BY t.number"
    )
    (count,) = server.database.rows("SELECT COUNT(*) FROM tickets_ticket")
    assert [number for number, _ in rows] == list(range(1, count[0] + 1))
    assert all(earlier[1] < later[1] for earlier, later in pairwise(rows))
