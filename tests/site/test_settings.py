"""Settings come from the environment; a bad value is one line that names it."""

import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OURS = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "PUBLIC_URL", "DEBUG", "EMAIL_URL")
PRODUCTION = {
    "PUBLIC_URL": "https://desk.example.com",
    "TRUSTED_PROXIES": "1",
    "DATABASE_URL": "postgres://desk:password@127.0.0.1:5432/desk",
    "EMAIL_URL": "smtp+tls://user:password@mail.example.com:587",
}
SHOW = "import json; from django.conf import settings; print(json.dumps(settings.{}))"


def _run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if name not in OURS}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=inherited | {"DATA_DIR": str(folder)} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def _show(folder: Path, name: str, **variables: str) -> str:
    variables["DJANGO_SETTINGS_MODULE"] = "stuckbot.settings"
    done = _run(folder, "-c", SHOW.format(name), **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("url", ["filemail:///full/path", "filemail:////full/path"])
def test_mail_goes_to_the_folder_it_names(tmp_path: Path, url: str) -> None:
    assert _show(tmp_path, "EMAIL_FILE_PATH", EMAIL_URL=url) == '"/full/path"'
    assert _show(tmp_path, "EMAIL_FILE_PATH") == f'"{tmp_path}/mail"'


@pytest.mark.parametrize(
    ("name", "value", "accepts"),
    [
        ("DEBUG", "maybe", "true or false"),
        ("WEB_WORKERS", "two", "a whole number from 1 to 256"),
        ("WEB_THREADS", "0", "a whole number from 1 to 256"),
        ("TASK_WORKERS", "-1", "a whole number from 1 to 64"),
        ("RATE_LIMIT", "fast", "off, or a whole number from 1 to 1000000"),
        ("PUBLIC_URL", "https://desk.example.com/app", "with no path"),
        ("PUBLIC_URL", "desk.example.com", "an address like"),
        ("PUBLIC_URL", "https://a:99999", "an address like"),
        ("PUBLIC_URL", "https://me:pw@desk.example.com", "no user name"),
        ("DATABASE_URL", "mysql://root@localhost/desk", "sqlite:////full/path"),
        ("DATABASE_URL", "sqlite://:memory:", "sqlite:////full/path"),
        ("DATABASE_URL", "postgres://", "postgres://user:password@host"),
        ("REDIS_URL", "http://localhost", "redis://host"),
        ("EMAIL_URL", "ftp://mail", "smtp+tls://"),
        ("SECRET_KEY", "short", "at least 50 characters"),
        ("DATA_DIR", "/proc/none/here", "a folder that can be made"),
        ("TIME_ZONE", "Mars/Olympus", "the name of a time zone"),
        ("LANGUAGE_CODE", "!", "a language code"),
        ("LOG_LEVEL", "loud", "one of DEBUG, INFO"),
    ],
)
def test_it_names_the_bad_value(tmp_path: Path, name: str, value: str, accepts: str) -> None:
    done = _run(tmp_path, "manage.py", "check", **{name: value})
    assert done.returncode == 1
    assert done.stderr.startswith(f"Cannot start: {name} must be")
    assert accepts in done.stderr
    assert done.stderr.count("\n") == 1


def test_it_is_clean_for_production_as_documented(tmp_path: Path) -> None:
    done = _run(tmp_path, "manage.py", "check", "--deploy", "--fail-level", "WARNING", **PRODUCTION)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout + done.stderr


def test_it_warns_when_https_has_no_trusted_proxy(tmp_path: Path) -> None:
    production = PRODUCTION | {"TRUSTED_PROXIES": "0"}
    done = _run(tmp_path, "manage.py", "check", "--deploy", **production)
    assert "stuckbot.W001" in done.stderr


def test_it_makes_the_secret_key_once_and_keeps_it_private(tmp_path: Path) -> None:
    first = _show(tmp_path, "SECRET_KEY")
    assert _show(tmp_path, "SECRET_KEY") == first
    key = tmp_path / "secret_key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob("*secret*")] == ["secret_key"]


def test_it_makes_one_key_when_many_start_at_once(tmp_path: Path) -> None:
    script = SHOW.format("SECRET_KEY")
    environment = os.environ | {
        "DATA_DIR": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "stuckbot.settings",
    }
    environment.pop("SECRET_KEY", None)
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script], cwd=ROOT, env=environment, stdout=subprocess.PIPE
        )
        for _ in range(4)
    ]
    assert len({process.communicate()[0] for process in started}) == 1


def test_it_is_safe_without_any_variable(tmp_path: Path) -> None:
    assert _show(tmp_path, "DEBUG") == "false"
    assert _show(tmp_path, "ALLOWED_HOSTS") == '["127.0.0.1", "localhost", "[::1]"]'
    assert _show(tmp_path, "RATE_LIMIT") == "600"
    assert _show(tmp_path, "RATE_LIMIT", RATE_LIMIT="off") == "null"


def test_it_derives_hosts_and_cookies_from_the_public_address(tmp_path: Path) -> None:
    assert '"desk.example.com"' in _show(tmp_path, "ALLOWED_HOSTS", **PRODUCTION)
    assert _show(tmp_path, "CSRF_TRUSTED_ORIGINS", **PRODUCTION) == '["https://desk.example.com"]'
    assert _show(tmp_path, "SESSION_COOKIE_SECURE", **PRODUCTION) == "true"
    assert _show(tmp_path, "SECURE_HSTS_SECONDS", **PRODUCTION) == "31536000"
    assert _show(tmp_path, "SESSION_COOKIE_SECURE") == "false"


def test_it_describes_every_variable_that_it_reads() -> None:
    source = (ROOT / "stuckbot" / "settings.py").read_text(encoding="utf-8")
    read = set(re.findall(r"\benv\.[a-z_]+\(\s*\"([A-Z_]+)\"", source))
    described = set(
        re.findall(
            r"^\| `([A-Z_]+)`", (ROOT / "docs" / "configuration.md").read_text(), re.MULTILINE
        )
    )
    assert len(read) > 20
    assert read == described
