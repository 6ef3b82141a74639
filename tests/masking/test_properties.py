"""What holds for every text: masking again changes nothing, nothing else changes, JSON stays JSON,
and no known kind gets through in any form."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stuckbot.lib.masking import REDACTED, looks_secret, mask_text, mask_value
from tests.masking import texts as made
from tests.masking.corpus.making import Secret
from tests.masking.forms import FORMS, NESTED, survives

often = settings(max_examples=150, deadline=None)
sometimes = settings(max_examples=50, deadline=None)

#: Shorter values are judged by what stands around them, which encoding takes away.
LONG = 12


@often
@given(made.texts)
def test_masking_again_changes_nothing(text: str) -> None:
    once = mask_text(text).text
    again = mask_text(once)
    assert again.text == once
    assert again.findings == ()


@often
@given(made.any_text)
def test_any_text_comes_through(text: str) -> None:
    once = mask_text(text).text
    assert mask_text(once).text == once
    assert isinstance(looks_secret(text), bool)


@often
@given(made.values)
def test_masking_a_value_again_changes_nothing(value: Any) -> None:
    once = mask_value(value).value
    again = mask_value(once)
    assert again.value == once
    assert again.findings == ()


@often
@given(made.texts)
def test_every_line_stays_a_line(text: str) -> None:
    assert mask_text(text).text.count("\n") == text.count("\n")


@often
@given(made.texts)
def test_what_is_no_secret_stays_to_the_byte(text: str) -> None:
    """The pieces between the marks stand in the text, in order, but for lines that were emptied."""
    place = 0
    pieces = [piece.strip("\r\n\t ") for piece in mask_text(text).text.split(REDACTED)]
    assert text.lstrip("\r\n\t ").startswith(pieces[0])
    assert text.rstrip("\r\n\t ").endswith(pieces[-1])
    for piece in pieces:
        place = text.index(piece, place) + len(piece)


@often
@given(made.secrets, st.sampled_from(sorted(FORMS)))
def test_no_secret_survives_in_any_form(secret: Secret, form: str) -> None:
    if len(secret.value) < LONG:
        return
    masked = mask_text(FORMS[form](secret.text)).text
    assert not survives(secret.value, masked)


@often
@given(made.secrets, st.sampled_from(sorted(NESTED)))
def test_no_secret_survives_in_a_form_within_a_form(secret: Secret, form: str) -> None:
    if len(secret.value) < LONG:
        return
    masked = mask_text(NESTED[form](secret.text)).text
    assert not survives(secret.value, masked)


@sometimes
@given(made.secrets, st.lists(st.sampled_from(sorted(FORMS)), min_size=2, max_size=4))
def test_no_secret_survives_in_several_forms_at_once(secret: Secret, forms: list[str]) -> None:
    if len(secret.value) < LONG:
        return
    text = "\n\n".join(FORMS[form](secret.text) for form in forms)
    assert not survives(secret.value, mask_text(text).text)


@sometimes
@given(made.secrets)
def test_a_short_secret_goes_where_it_stands(secret: Secret) -> None:
    assert mask_text(secret.text).text != secret.text


@often
@given(st.lists(made.look_alikes, min_size=1, max_size=12), st.sampled_from(["\n", "\n\n", "\r\n"]))
def test_look_alikes_stay_to_the_byte(looks: list[str], gap: str) -> None:
    text = gap.join(looks)
    assert mask_text(text).text == text
    assert mask_value({"log": looks, "all": text}).value == {"log": looks, "all": text}


class Pairs(list[tuple[str, Any]]):
    """An object of a JSON text with its names in order, those that are the same as well."""


def read(text: str) -> Any:
    return json.loads(text, object_pairs_hook=Pairs)


def same_but_masked(before: Any, after: Any) -> bool:
    """The same lists, objects, booleans and nulls; a number, a text or a name may be masked."""
    if isinstance(before, list):
        return (
            type(before) is type(after)
            and len(before) == len(after)
            and all(map(same_but_masked, before, after))
        )
    if isinstance(before, tuple):
        return all(map(same_but_masked, before, after))
    return bool(before == after) or (REDACTED in str(after) and not isinstance(before, bool | None))


@often
@given(made.values)
def test_a_value_keeps_its_shape(value: Any) -> None:
    before = json.dumps(value)
    after = mask_value(value).value
    assert json.dumps(value) == before
    assert same_but_masked(read(before), read(json.dumps(after)))


@often
@given(made.values, st.sampled_from([None, 1]), st.booleans())
def test_json_stays_json(value: Any, indent: int | None, is_ascii: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    assert same_but_masked(read(text), read(mask_text(text).text))


@sometimes
@given(made.values)
def test_json_within_json_stays_json(value: Any) -> None:
    body = json.dumps(value)
    masked = json.loads(mask_text(json.dumps({"status": 500, "body": body})).text)
    assert masked["status"] == 500
    if masked["body"] != REDACTED:
        assert same_but_masked(read(body), read(masked["body"]))


@pytest.mark.parametrize("name", ["password", "api_key", "clientSecret", "DB_PASSWORD"])
@pytest.mark.parametrize("depth", [0, 1, 2])
def test_numbers_under_telling_names_become_texts(name: str, depth: int) -> None:
    value = {"n": 1, name: 12345678, "yes": {name: True}, "no": {name: None}, "zero": 0.5}
    text = json.dumps(value)
    for _ in range(depth):
        text = json.dumps([text])
    masked = json.loads(mask_text(text).text)
    for _ in range(depth):
        masked = json.loads(masked[0])
    assert masked == {**value, name: REDACTED} == mask_value(value).value


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield name
            yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, str):
        yield value


@often
@given(made.values)
def test_a_masked_value_holds_no_text_that_would_be_masked(value: Any) -> None:
    for leaf in leaves(mask_value(value).value):
        assert mask_text(leaf).text == leaf


FLOODS = ["a", "A", "=", '"', "\\", "%", "é", "🔑", "\0", "\n", "/", "-", "[", "{", "\ud800", "0"]


@pytest.mark.parametrize("char", FLOODS)
@pytest.mark.parametrize("before", ["", "password=", "key: ", '{"token": "', "https://a:"])
def test_one_character_over_and_over_comes_through(char: str, before: str) -> None:
    text = before + char * 65_536
    once = mask_text(text).text
    assert mask_text(once).text == once
    assert mask_value({"a": [text]}).value == {"a": [once]}


@sometimes
@given(made.texts)
def test_a_preview_tells_nothing(text: str) -> None:
    masked = mask_text(text)
    for finding in masked.findings:
        assert not looks_secret(finding.preview)
        assert len(finding.preview) <= 64
