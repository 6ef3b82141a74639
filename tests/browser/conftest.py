"""A browser test's database is filled once a module, and stays for all of its tests."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect
from pytest_django.plugin import DjangoDbBlocker

# A page of a busy machine takes its time; what does not come at all is missed all the same.
expect.set_options(timeout=30_000)


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The database, for the whole module instead of one test."""
    with django_db_blocker.unblock():
        yield
