"""Logging: structlog through the standard library, one JSON object a line, secrets left out.

Whatever ends a process or a thread is logged the same way, so that no traceback is printed raw.
"""

import logging
import logging.config
import re
import sys
import threading
import traceback
from types import TracebackType
from typing import Any, Final, TextIO, cast

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from stuckbot.lib.cutting import masked_cut
from stuckbot.lib.masking import REDACTED, mask_value

#: Headers that carry a way in; a bearer is known by its scheme wherever it stands.
_HEADERS: Final = re.compile(
    r"(?i:\b(?:proxy-)?(?:authorization|cookie|set-cookie|x-csrftoken)\b[\"']?"
    r"\s*[:=]\s*[\"']?[^\r\n\"']+)"
    r"|(?i:\bbearer\s+[A-Za-z0-9._~+/=-]+)"
)
#: What one line may say: more costs time, and nobody reads it.
LINE_CHARACTERS: Final = 65_536
_DEPTH: Final = 8
_ITEMS: Final = 200


def scrub(text: str) -> str:
    """The text without secrets and without the headers that carry them."""
    return _HEADERS.sub(REDACTED, masked_cut(text, LINE_CHARACTERS))


def mask_processor(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """The last look at a line before it is written: no text leaves unmasked, and none is endless.

    It never raises: a line that cannot be masked says so, and nothing else.
    """
    try:
        return _headers_out(mask_value(_Plain().of(dict(event), 0)).value)  # type: ignore[no-any-return]
    except Exception as error:
        return {
            "event": f"A log line was left out: it could not be masked ({type(error).__name__}).",
            "level": str(event.get("level", "error"))[:10],
        }


class _Plain:
    """Turns what a line holds into JSON values, within the budget of one line."""

    def __init__(self) -> None:
        self.left = LINE_CHARACTERS

    def of(self, value: Any, depth: int) -> Any:
        if value is None or isinstance(value, bool | int | float):
            return value
        if depth < _DEPTH and isinstance(value, dict):
            pairs = list(value.items())[:_ITEMS]
            return {masked_cut(str(key), 200): self.of(item, depth + 1) for key, item in pairs}
        if depth < _DEPTH and isinstance(value, list | tuple | set | frozenset):
            return [self.of(item, depth + 1) for item in list(value)[:_ITEMS]]
        return self._text(value if isinstance(value, str) else str(value))

    def _text(self, text: str) -> str:
        if len(text) <= self.left:
            self.left -= len(text)
            return text
        kept = masked_cut(text, self.left)
        self.left = 0
        return f"{kept}… (cut here: {len(text) - len(kept):,} characters more)"


def _headers_out(value: Any) -> Any:
    if isinstance(value, str):
        return _HEADERS.sub(REDACTED, value)
    if isinstance(value, dict):
        return {_HEADERS.sub(REDACTED, key): _headers_out(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_headers_out(item) for item in value]
    return value


class LineHandler(logging.StreamHandler):  # type: ignore[type-arg]
    """Writes lines. A record that cannot be made one is told without what it held."""

    def handleError(self, record: logging.LogRecord) -> None:
        kind = sys.exc_info()[0]
        name = kind.__name__ if kind is not None else "unknown"
        try:
            self.stream.write(
                f'{{"event": "A log line of {record.name} could not be written ({name}).", '
                '"level": "error"}\n'
            )
        except (OSError, ValueError):
            return


class StderrHandler(LineHandler):
    """Writes to what is stderr at the time."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> Any:
        return sys.stderr


class MaskedStderr:
    """What a command prints to stderr besides log lines: it may name what was typed."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(scrub(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _shared() -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def config(*, level: str, plain: bool) -> dict[str, Any]:
    """The dictConfig for a level; ``plain`` is for a person at a terminal, else JSON."""
    render: list[Processor] = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        structlog.processors.format_exc_info,
        mask_processor,
        structlog.dev.ConsoleRenderer(colors=False)
        if plain
        else structlog.processors.JSONRenderer(),
    ]
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "()": "structlog.stdlib.ProcessorFormatter",
                "processors": render,
                "foreign_pre_chain": _shared(),
            }
        },
        "handlers": {"stderr": {"class": "stuckbot.lib.logs.StderrHandler", "formatter": "line"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Django's own handlers would mail or print a second time.
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            # A client that asks for what is not there is no news for the operator.
            "django.request": {"level": "ERROR"},
            "django.server": {"handlers": [], "level": "INFO", "propagate": True},
            # It warns of every HEAD request, whose body it rightly drops.
            "gunicorn.http.wsgi": {"level": "ERROR"},
            "django-q": {"level": "WARNING" if level == "INFO" else level},
        },
    }


def stderr_mask() -> None:
    """From here on nothing of this process reaches stderr unmasked."""
    sys.stderr = cast(TextIO, MaskedStderr(sys.stderr))


def setup(settings: dict[str, Any]) -> None:
    """Django's LOGGING_CONFIG hook."""
    logging.config.dictConfig(settings)
    logging.captureWarnings(True)
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_thread
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *_shared(),
            structlog.stdlib.PositionalArgumentsFormatter(),
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def _uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    if sys.stderr.isatty():
        sys.stderr.write(scrub("".join(traceback.format_exception(kind, error, trace))))
        return
    logging.getLogger("stuckbot").critical("uncaught exception", exc_info=(kind, error, trace))


def _uncaught_in_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None and not issubclass(args.exc_type, SystemExit):
        _uncaught(args.exc_type, args.exc_value, args.exc_traceback)
