"""A browser test's database is filled once a module, and stays for all of its tests."""

from collections.abc import Iterator

import pytest
from pytest_django.plugin import DjangoDbBlocker


@pytest.fixture(scope="module")
def db(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The database, for the whole module instead of one test."""
    with django_db_blocker.unblock():
        yield
