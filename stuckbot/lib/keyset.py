"""A page of rows on either side of one of them, in an order that no two rows share."""

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from django.db.models import F, Model, Q, QuerySet

M = TypeVar("M", bound=Model)

#: An order as (column or annotation, downwards); all of them together are unique.
Keys = Sequence[tuple[str, bool]]
#: What a row has in each column of the order.
Values = tuple[Any, ...]


class Rows(NamedTuple, Generic[M]):
    """Rows in order, and whether there are more on either side."""

    found: list[M]
    is_first: bool
    is_last: bool


def rows_page(
    rows: QuerySet[M],
    keys: Keys,
    *,
    after: Values | None = None,
    before: Values | None = None,
    limit: int,
) -> Rows[M]:
    """The first page, the one after a place, or the one before it.

    A page before a place that would not be full is the first page, and so is one after the last
    row: nobody pages to a stump, or to nothing because others went meanwhile.
    """
    if before is not None:
        back = [(name, not down) for name, down in keys]
        found = _take(rows, back, before, limit + 1)
        if len(found) > limit:
            return Rows(found[:limit][::-1], is_first=False, is_last=False)
    elif after is not None:
        found = _take(rows, keys, after, limit + 1)
        if found:
            return Rows(found[:limit], is_first=False, is_last=len(found) <= limit)
    found = _take(rows, keys, None, limit + 1)
    return Rows(found[:limit], is_first=True, is_last=len(found) <= limit)


def _take(rows: QuerySet[M], keys: Keys, place: Values | None, count: int) -> list[M]:
    if place is not None:
        rows = rows.filter(_beyond(keys, place))
    order = [F(name).desc() if down else F(name).asc() for name, down in keys]
    return list(rows.order_by(*order)[:count])


def _beyond(keys: Keys, place: Values) -> Q:
    """What stands after `place`: alike in the first columns, beyond it in the next."""
    beyond, alike = Q(), Q()
    for (name, down), value in zip(keys, place, strict=True):
        beyond |= alike & Q(**{f"{name}__{'lt' if down else 'gt'}": value})
        alike &= Q(**{name: value})
    return beyond
