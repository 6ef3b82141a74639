"""What an agent has used in all."""

from hypothesis import given
from hypothesis import strategies as st

from accounts.totals import Counters, totals_after


def _after(*beats: Counters) -> Counters:
    totals: Counters = {}
    said: Counters = {}
    for beat in beats:
        totals, said = totals_after(totals, said, beat)
    return totals


def test_the_newest_total_holds() -> None:
    assert _after({"tokens": 5}, {"tokens": 9}) == {"tokens": 9}


def test_counters_that_begin_anew_are_added() -> None:
    beats = [{"tokens": 100.0}, {"tokens": 3.0}, {"tokens": 50.0}, {"tokens": 1.0}]
    assert _after(*beats) == {"tokens": 151}


def test_a_late_heartbeat_changes_nothing() -> None:
    assert _after({"tokens": 100}, {"tokens": 99}, {"tokens": 101}) == {"tokens": 101}


def test_what_is_not_said_stays() -> None:
    assert _after({"tokens": 5, "cost_usd": 0.1}, {"cost_usd": 0.3}) == {
        "tokens": 5,
        "cost_usd": 0.3,
    }


def test_other_counters_are_kept_as_said_last() -> None:
    assert _after({"tokens": 5, "steps": 3}, {"steps": 2}) == {"tokens": 5, "steps": 2}
    assert _after({"steps": 3}, {"tokens": 2}) == {"steps": 3, "tokens": 2}


def test_dollars_add_up_without_dust() -> None:
    assert _after({"cost_usd": 0.7}, {"cost_usd": 0.1}, {"cost_usd": 0.2}) == {"cost_usd": 0.9}


@given(st.lists(st.integers(0, 1000), min_size=1))
def test_it_never_goes_down_and_never_below_any_counter(counts: list[int]) -> None:
    seen = [
        _after(*({"tokens": float(n)} for n in counts[: end + 1])) for end in range(len(counts))
    ]
    totals = [one["tokens"] for one in seen]
    assert totals == sorted(totals)
    assert totals[-1] >= max(counts)
