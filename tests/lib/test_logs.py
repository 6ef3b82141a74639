"""No secret reaches a log line."""

import io
import json
import logging

import pytest

from stuckbot.lib import logs


@pytest.mark.parametrize(
    "line",
    [
        "called with sba_abcDEF123_x",
        "Authorization: Bearer s3cr3tvalue",
        "{'authorization': 's3cr3tvalue'}",
        "Cookie: sessionid=s3cr3tvalue",
        "used bearer s3cr3tvalue here",
    ],
)
def test_it_leaves_tokens_out(line: str) -> None:
    scrubbed = logs.scrub(line)
    assert "[REDACTED]" in scrubbed
    assert "s3cr3t" not in scrubbed
    assert "sba_" not in scrubbed


def test_it_leaves_other_text_alone() -> None:
    line = "ticket SB-12 claimed by sbob_smith, 3 tokens used"
    assert logs.scrub(line) == line


def test_it_writes_one_json_object_a_line_scrubbed_to_the_depth() -> None:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_formatter())
    logger = logging.getLogger("tests.logs")
    logger.addHandler(handler)
    try:
        try:
            raise ValueError("sbk_inTheTraceback")
        except ValueError:
            logger.exception("failed for %s", "sbe_inTheMessage", extra={"deep": [{"a": "sbp_x1"}]})
    finally:
        logger.removeHandler(handler)
    (line,) = stream.getvalue().splitlines()
    assert json.loads(line)["level"] == "error"
    assert not [kind for kind in ("sbk_", "sbe_", "sbp_") if kind in line]


def _formatter() -> logging.Formatter:
    line = logs.config(level="INFO", plain=False)["formatters"]["line"]
    factory = logging.config.DictConfigurator({}).resolve(line["()"])
    made = factory(processors=line["processors"], foreign_pre_chain=line["foreign_pre_chain"])
    assert isinstance(made, logging.Formatter)
    return made
