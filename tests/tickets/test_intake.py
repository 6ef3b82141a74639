"""The way in of a package: any JSON is answered, and what is stored can be sent again."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stuckbot.lib.errors import Invalid
from tests.support import make_package
from tests.tickets.test_findings import SECRET, token
from tickets.services.intake import package_masked, package_take, package_try

NAMES = st.sampled_from(
    ["key", "method", "command", "object", "kind", "attachment_ids", "store", "password"]
)
ANYTHING = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=6) | NAMES, inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = st.sampled_from(
    [
        *make_package(),
        *("data_refs", "budget_spent", "labels", "required_skills", "context"),
        *("task_criteria", "schema_version", "urgency"),
    ]
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(FIELDS, ANYTHING, max_size=4), ANYTHING)
def test_it_answers_any_json(changes: dict[str, Any], other: Any) -> None:
    package_try({**make_package(), **changes})
    package_try(other)
    package_masked({**make_package(), **changes})


def secretive() -> dict[str, Any]:
    commands = (
        f"deploy '{SECRET}'",
        f"curl -H 'Authorization: Bearer {token(2)}' https://h.example",
    )
    return make_package(
        context={
            "db": {"password": "tr0ub4dor-9fKp2mZ-7"},
            "attachment_ids": ["7c9e6679-7425-40de-944b-e07fc1f90ae7"],
        },
        completed=["Signed in with tr0ub4dor-9fKp2mZ-7"],
        blocker_criteria=[
            {"description": "d", "method": "command", "command": one, "expected": "0"}
            for one in commands
        ],
        task_criteria=[
            {
                "description": "d",
                "method": "external_check",
                "url": f"https://a:{token(3)}@h.example/",
                "expected": "200",
            }
        ],
        budget_spent={"tokens": 3, "secret": 4},
    )


def test_what_is_stored_can_be_sent_again_and_is_stored_the_same() -> None:
    first = package_take(secretive())
    again = package_take(first.package)
    assert len(first.body.findings) >= 5
    assert again.body.findings == ()
    assert again.package == first.package
    assert again.checked.criteria == first.checked.criteria
    assert again.warnings == first.warnings


def test_a_package_without_secrets_is_stored_as_it_was_sent() -> None:
    sent = make_package(
        budget_spent=12.5,
        urgency=3,
        schema_version="1",
        context={"attachment_ids": ["7c9e6679-7425-40de-944b-e07fc1f90ae7"], "x": [None, True, 1]},
        data_refs=[{"store": "main", "object": f"sha256:{'a' * 64}", "kind": "file", "size": 3}],
    )
    taken = package_take(sent).package
    sent["blocker_criteria"][0]["key"] = "b1"
    assert taken == sent
    assert list(taken) == list(sent)


def test_a_store_of_a_name_that_looks_secret_is_refused() -> None:
    reference = {
        "store": "AKIA" + "Q3XH7RZ2M5TKW4NB",
        "object": f"sha256:{'a' * 64}",
        "kind": "file",
    }
    with pytest.raises(Invalid) as refused:
        package_take(make_package(data_refs=[reference]))
    assert refused.value.code == "secret_refused"
    assert [one["path"] for one in refused.value.details["fields"]] == [
        "package.data_refs[0].store"
    ]
