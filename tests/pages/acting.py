"""A person at a ticket's page without a script: reads its forms, fills them in, sends them."""

from typing import Any

from django.test import Client

from tests.leaks.browsing import Fields
from tests.support import Desk

SIGNED_IN_BY = "django.contrib.auth.backends.ModelBackend"


def signed_in(desk: Desk, name: str) -> Client:
    client = Client()
    client.force_login(desk.people[name].user, SIGNED_IN_BY)
    return client


def page_of(client: Client, path: str, status: int = 200) -> str:
    response = client.get(path)
    assert response.status_code == status, response.content[:800]
    return response.content.decode()


def hidden(client: Client, path: str) -> dict[str, str]:
    """What the forms of the page carry unseen: their key, and the newest event."""
    values = Fields(client.get(path).content.decode()).values
    return {name: values[name] for name in ("key", "seen") if name in values}


def send(client: Client, ref: str, slug: str, **typed: Any) -> Any:
    """Opens the act's page, fills it in, sends it; the answer as it comes."""
    place = f"/tickets/{ref}/{slug}"
    query = f"?criterion={typed.pop('criterion')}" if "criterion" in typed else ""
    return client.post(place + query, {**hidden(client, f"/tickets/{ref}"), **typed})


def done(response: Any, ref: str = "SB-1") -> None:
    """It was done: back to the ticket."""
    assert response.status_code == 303, response.content.decode()[:3000]
    assert response.headers["Location"].split("#")[0] == f"/tickets/{ref}"
