"""No secret reaches a log line."""

import io
import json
import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils.log import AdminEmailHandler

from stuckbot.lib import logs

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "sbk_" + "aB3dE5gH7j" * 5 + "Z"
KEY = "ghp_" + "aB3dE5gH7jKm" * 3


class Lines:
    """A logger of its own whose lines are kept."""

    def __init__(self, *, plain: bool = False) -> None:
        self.stream = io.StringIO()
        # Apart from the root: pytest's own handler there raises for what this one must survive.
        self.logger = logging.Logger("tests.logs")
        self.handler = logs.LineHandler(self.stream)
        self.handler.setFormatter(_formatter(plain))
        self.logger.addHandler(self.handler)

    @property
    def text(self) -> str:
        return self.stream.getvalue()

    @property
    def one(self) -> Any:
        (line,) = self.text.splitlines()
        return json.loads(line)


@pytest.fixture
def lines() -> Iterator[Lines]:
    made = Lines()
    yield made
    made.logger.removeHandler(made.handler)


def _formatter(plain: bool) -> logging.Formatter:
    line = logs.config(level="INFO", plain=plain)["formatters"]["line"]
    factory = logging.config.DictConfigurator({}).resolve(line["()"])
    made = factory(processors=line["processors"], foreign_pre_chain=line["foreign_pre_chain"])
    assert isinstance(made, logging.Formatter)
    return made


@pytest.mark.parametrize(
    "line",
    [
        f"called with {TOKEN}",
        f"pushed with {KEY}",
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
    assert TOKEN not in scrubbed
    assert KEY not in scrubbed


def test_it_leaves_other_text_alone() -> None:
    line = "ticket SB-12 claimed by sbob_smith, 3 tokens used"
    assert logs.scrub(line) == line


def test_it_masks_message_arguments_error_and_extras(lines: Lines) -> None:
    deep = [{"a": TOKEN, f"named {KEY}": 1}, (KEY, {KEY}), Odd()]
    try:
        raise ValueError(f"no such key {KEY}")
    except ValueError:
        lines.logger.exception(f"failed with {KEY} for %s", TOKEN, extra={"deep": deep})
    assert lines.one["level"] == "error"
    assert "ValueError" in lines.one["exception"]
    assert (KEY in lines.text, TOKEN in lines.text) == (False, False)


class Odd:
    def __str__(self) -> str:
        return f"an odd one with {KEY}"


class Broken:
    def __str__(self) -> str:
        raise RuntimeError(f"broken by {KEY}")


def test_it_never_raises(lines: Lines) -> None:
    loop: dict[str, Any] = {}
    loop["self"] = loop
    lines.logger.warning("a loop", extra={"loop": loop})
    lines.logger.warning("broken", extra={"one": Broken()})
    lines.logger.warning("two places for one %s %s", KEY)
    lines.logger.warning(b"bytes \xff", extra={"half": "\ud800"})
    said = [json.loads(line)["event"] for line in lines.text.splitlines()]
    assert said[0] == "a loop"
    assert said[1] == "A log line was left out: it could not be masked (RuntimeError)."
    assert said[2] == "A log line of tests.logs could not be written (TypeError)."
    assert KEY not in lines.text


def test_it_cuts_a_line_that_has_no_end(lines: Lines) -> None:
    started = time.process_time()
    lines.logger.warning("long %s", "word " * 200_000 + KEY, extra={"more": "x" * 1_000_000})
    assert time.process_time() - started < 1
    assert "characters more)" in lines.one["event"]
    assert len(lines.text) < 2 * logs.LINE_CHARACTERS


@pytest.mark.parametrize("place", range(logs.LINE_CHARACTERS - 60, logs.LINE_CHARACTERS + 60, 7))
def test_it_leaves_no_half_of_a_secret_where_it_cuts(lines: Lines, place: int) -> None:
    text = " " * place + KEY + " " * 10_000
    lines.logger.warning(text)
    assert KEY[:12] not in lines.text


def test_it_writes_plain_lines_masked_too() -> None:
    made = Lines(plain=True)
    try:
        made.logger.warning("plain %s", KEY)
    finally:
        made.logger.removeHandler(made.handler)
    assert "plain [REDACTED]" in made.text


def test_nothing_else_writes_what_is_logged() -> None:
    loggers = [logging.getLogger(name) for name in logging.root.manager.loggerDict]
    handlers = [one for logger in loggers for one in logger.handlers]
    assert [one for one in handlers if isinstance(one, AdminEmailHandler)] == []


@pytest.mark.parametrize(
    "failing",
    [
        "raise ValueError(key)",
        "import threading; threading.Thread(target=int, args=[key]).start()",
        "import warnings; warnings.warn(key)",
        "import logging; logging.getLogger('x').warning('%s %s', key)",
    ],
)
def test_it_masks_what_ends_a_process_or_a_thread(failing: str) -> None:
    code = f"import django, sys; django.setup(); key = sys.argv[1]\n{failing}"
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", code, KEY],
        cwd=ROOT,
        env={"DJANGO_SETTINGS_MODULE": "stuckbot.settings", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert KEY not in done.stdout + done.stderr
    assert json.loads(done.stderr.splitlines()[-1])["level"] in ("critical", "warning", "error")
