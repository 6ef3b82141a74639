"""A mail server of each test's own."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.lib.smtp import MailServer, mail_server


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with mail_server() as running:
        use(settings, running.port)
        yield running


def use(settings: Any, port: int) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", port
    settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
    settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
