"""Reads settings from the environment and refuses a bad value with one sentence that names it."""

import os
import re
import secrets
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import environ
from django.core.exceptions import ImproperlyConfigured

from stuckbot.lib.outgoing import Allowed, allowed_hosts, check_ca_file

TRUE = frozenset({"1", "true", "yes", "on"})
FALSE = frozenset({"0", "false", "no", "off", ""})
DATABASE_SCHEMES = frozenset({"sqlite", "postgres", "postgresql"})
EMAIL_SCHEMES = frozenset(
    {"smtp", "smtps", "smtp+tls", "smtp+ssl", "consolemail", "filemail", "memorymail", "dummymail"}
)
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
SHORTEST_KEY = 50


class BadSetting(ImproperlyConfigured):
    """A variable of the environment has a value that the desk cannot work with."""

    def __init__(self, name: str, accepts: str) -> None:
        super().__init__(f"{name} must be {accepts}.")
        self.name = name


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def boolean(name: str, default: bool) -> bool:
    value = text(name, str(default)).lower()
    if value not in TRUE | FALSE:
        raise BadSetting(name, "true or false")
    return value in TRUE


def integer(name: str, default: int, *, low: int, high: int) -> int:
    value = text(name, str(default))
    if not re.fullmatch(r"[0-9]{1,12}", value) or not low <= int(value) <= high:
        raise BadSetting(name, f"a whole number from {low} to {high}")
    return int(value)


def integer_or_off(name: str, default: int, *, high: int) -> int | None:
    """A positive number, or None when the variable says ``off``."""
    if text(name).lower() == "off":
        return None
    try:
        return integer(name, default, low=1, high=high)
    except BadSetting:
        raise BadSetting(name, f"off, or a whole number from 1 to {high}") from None


def words(name: str) -> list[str]:
    """A list written with commas."""
    return [word for part in text(name).split(",") if (word := part.strip())]


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    value = text(name, default).upper()
    if value not in allowed:
        raise BadSetting(name, "one of " + ", ".join(allowed))
    return value


def time_zone(name: str, default: str) -> str:
    value = text(name) or default
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadSetting(name, "the name of a time zone such as Europe/Berlin") from None
    return value


def language(name: str, default: str) -> str:
    value = (text(name) or default).lower()
    if not re.fullmatch(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", value):
        raise BadSetting(name, "a language code such as en or pt-br")
    return value


def web_address(name: str, default: str) -> str:
    """An http(s) address of a host and perhaps a port, without path, query or trailing slash."""
    value = (text(name) or default).removesuffix("/")
    accepts = "an address like https://desk.example.com, with no path and no user name"
    try:
        parts = urlsplit(value)
        parts.port  # noqa: B018  # a port that is none raises here
    except ValueError:
        raise BadSetting(name, accepts) from None
    bare = f"{parts.scheme}://{parts.netloc}" == value and "@" not in parts.netloc
    if parts.scheme not in {"http", "https"} or not parts.hostname or not bare:
        raise BadSetting(name, accepts)
    if re.search(r"[\s*\\]", value):
        raise BadSetting(name, accepts)
    return value


def certificates(name: str) -> str:
    """The path of a file of certificates that can be read, or nothing."""
    path = text(name)
    try:
        check_ca_file(path)
    except ValueError as error:
        raise BadSetting(name, f"a file of certificates in PEM ({error})") from None
    return path


def private_hosts(name: str, ca_file: str) -> Allowed:
    """The private hosts that the desk may open, which those of the file may vouch for."""
    try:
        return allowed_hosts(text(name), ca_file)
    except ValueError as error:
        accepts = f"names of hosts with commas between, no addresses or patterns (not {error})"
        raise BadSetting(name, accepts) from None


def folder(name: str, default: Path) -> Path:
    """A folder that exists when this returns; a relative one starts at the default's parent."""
    path = default.parent / text(name, str(default))
    try:
        path.mkdir(mode=0o750, parents=True, exist_ok=True)
    except OSError as error:
        raise BadSetting(name, f"a folder that can be made ({error.strerror})") from None
    return path


def _scheme(url: str) -> str:
    return url.partition("://")[0].lower() if "://" in url else ""


def database(name: str, default: str) -> dict[str, Any]:
    """Django's connection settings for an address such as ``postgres://user:pw@host/name``."""
    url = text(name) or default
    accepts = "sqlite:////full/path/to/file or postgres://user:password@host:5432/name"
    if _scheme(url) not in DATABASE_SCHEMES:
        raise BadSetting(name, accepts)
    try:
        found: dict[str, Any] = environ.Env.db_url_config(url)
    except (ImproperlyConfigured, ValueError, TypeError):
        raise BadSetting(name, accepts) from None
    if not found.get("NAME") or ":memory:" in str(found["NAME"]):
        raise BadSetting(name, accepts)
    return found


def email(name: str, default: str) -> dict[str, Any]:
    """Django's EMAIL_* settings for an address such as ``smtp+tls://user:pw@host:587``."""
    url = text(name) or default
    accepts = "smtp+tls://user:password@host:587, filemail:///full/path or consolemail://"
    if _scheme(url) not in EMAIL_SCHEMES:
        raise BadSetting(name, accepts)
    try:
        found: dict[str, Any] = environ.Env.email_url_config(url)
    except (ImproperlyConfigured, ValueError, TypeError):
        raise BadSetting(name, accepts) from None
    if _scheme(url) == "filemail":
        # Read as part of the URL the path has lost its first slash.
        found["EMAIL_FILE_PATH"] = "/" + str(found["EMAIL_FILE_PATH"]).lstrip("/")
    return found


def redis(name: str) -> str | None:
    url = text(name)
    if url and _scheme(url) not in {"redis", "rediss", "unix"}:
        raise BadSetting(name, "redis://host:6379/0, or left out")
    return url or None


def secret_key(name: str, keep_in: Path) -> str:
    """The key from the environment, else the one kept in a file, made there the first time."""
    given = text(name)
    if given and len(given) < SHORTEST_KEY:
        raise BadSetting(name, f"at least {SHORTEST_KEY} characters long, or left out")
    try:
        key = given or _kept_key(keep_in)
    except OSError as error:
        accepts = f"set, or {keep_in} a file that can be read and made ({error.strerror})"
        raise BadSetting(name, accepts) from None
    if len(key) < SHORTEST_KEY:
        raise BadSetting(name, f"set, because {keep_in} holds less than {SHORTEST_KEY} characters")
    return key


def _kept_key(path: Path) -> str:
    if not path.exists():
        _make_key(path)
    return path.read_text(encoding="ascii").strip()


def _make_key(path: Path) -> None:
    """Write the file whole and private, then link it into place: of two makers one wins."""
    handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".secret_key-")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(64) + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            return
    finally:
        os.unlink(draft)
