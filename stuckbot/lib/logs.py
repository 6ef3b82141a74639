"""Logging: structlog through the standard library, one JSON object a line, secrets left out."""

import logging.config
import re
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

_SECRET = re.compile(
    r"\bsb[eakp]_[A-Za-z0-9_-]+"
    r"|(?i:\b(?:authorization|cookie|x-csrftoken)\b[\"']?\s*[:=]\s*[\"']?[^\r\n\"']+)"
    r"|(?i:\bbearer\s+[A-Za-z0-9._~+/=-]+)"
)


def scrub(text: str) -> str:
    """The text without tokens and without the headers that carry them."""
    return _SECRET.sub("[REDACTED]", text)


def mask_processor(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """The last look at a line before it is written: no text leaves unscrubbed."""
    return {key: _masked(value) for key, value in event.items()}


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return scrub(value)
    if isinstance(value, dict):
        return {key: _masked(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(item) for item in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    return scrub(str(value))


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
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
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


def setup(settings: dict[str, Any]) -> None:
    """Django's LOGGING_CONFIG hook."""
    logging.config.dictConfig(settings)
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
