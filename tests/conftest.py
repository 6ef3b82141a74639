"""Fixtures that every test may use."""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from django.conf import settings
from django.core.management import call_command

from accounts.states import Role
from policy import resolve
from stuckbot.lib import ratelimit
from stuckbot.site.usecases import work
from tests.support import Api, Desk, make_desk
from tickets.offer_board import boards_forget
from tickets.services import wordsets

# How long an example takes says how busy the machine is. They are the same each time, since what a
# new one brings to light is no fault of the change that is tested; EXAMPLES=new draws new ones.
hypothesis.settings.register_profile(
    "desk",
    deadline=None,
    derandomize=os.environ.get("EXAMPLES") != "new",
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("desk")


def pytest_configure() -> None:
    """Slow password hashes protect people's passwords; here they would only slow the tests.

    So would looking for all static files again for each client that a test makes.
    """
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.WHITENOISE_AUTOREFRESH = True
    # What the running desk keeps in its data folder has no place in the tests.
    folder = Path(tempfile.mkdtemp(prefix="stuckbot-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    settings.DATA_DIR = folder
    settings.STATIC_ROOT = folder / "static"
    settings.STATIC_ROOT.mkdir()


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: pytest.FixtureRequest) -> None:
    """The shared cache is a table; migrations do not make it."""
    with django_db_blocker.unblock():  # type: ignore[attr-defined]
        call_command("createcachetable", verbosity=0)


@pytest.fixture(autouse=True)
def _fresh_process_caches() -> Iterator[None]:
    """What a process remembers must not outlive the database rows of a test."""
    yield
    resolve._resolve.cache_clear()
    wordsets._wordset_id.cache_clear()
    work._memos.clear()
    boards_forget()
    ratelimit._buckets.clear()


@pytest.fixture
def desk(db: None) -> Desk:
    return make_desk("Acme", {"alice": Role.OWNER, "bob": Role.MEMBER, "carol": Role.VIEWER})


@pytest.fixture
def other(db: None) -> Desk:
    return make_desk("Other", {"mallory": Role.OWNER})


@pytest.fixture
def stuck(desk: Desk) -> Api:
    return desk.agent("stuck")


@pytest.fixture
def solver(desk: Desk) -> Api:
    return desk.agent("solver")


@pytest.fixture
def racer(desk: Desk) -> Api:
    return desk.agent("racer")


@pytest.fixture
def alice(desk: Desk) -> Api:
    return desk.person("alice")


@pytest.fixture
def bob(desk: Desk) -> Api:
    return desk.person("bob")


@pytest.fixture
def carol(desk: Desk) -> Api:
    return desk.person("carol")


@pytest.fixture
def mallory(other: Desk) -> Api:
    return other.person("mallory")


@pytest.fixture(autouse=True)
def _no_batches_in_threads(settings: pytest.FixtureRequest) -> None:
    """A thread that writes later has no place in a test's transaction."""
    settings.TOKEN_USED_SECONDS = 0  # type: ignore[attr-defined]
