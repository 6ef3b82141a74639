"""Names of agents, people, projects and connectors: they stand outside `content`."""

import unicodedata
from collections.abc import Iterable
from typing import NewType

from django.core.exceptions import ValidationError
from django.core.validators import validate_email

from stuckbot.lib.errors import SECRET_REFUSED, invalid_fields
from stuckbot.lib.masking import looks_secret

#: A name that `name_clean` let pass; what stores one takes nothing else.
Name = NewType("Name", str)

NAME_LIMIT = 80
ADDRESS_LIMIT = 254
SECRET_NAME = "This looks like a key, token or password. Choose a name that is none."
SECRET_ADDRESS = "This looks like a key, token or password, not like a mail address of somebody."
#: Characters that turn the direction of text around and so can make a name read as another.
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def name_fault(name: str) -> str | None:
    """What is wrong with a name, in a sentence; None when it can be used."""
    if not len(name.strip()) >= 1 or len(name) > NAME_LIMIT:
        return f"A name has 1 to {NAME_LIMIT} characters."
    if any(char in _BIDI or unicodedata.category(char) in ("Cc", "Cs") for char in name):
        return "A name holds no control characters and none that turn the text direction."
    return None


def name_clean(name: str, label: str = "name") -> Name:
    """The name, without the white space around it; 422 `secret_refused` when it looks secret."""
    names_check([(label, name)])
    return Name(name.strip())


def names_check(names: Iterable[tuple[str, str]], faults: Iterable[tuple[str, str]] = ()) -> None:
    """Refuses all names that cannot be used at once, along with the `faults` found elsewhere.

    Masking would leave a name that means nothing, so one that looks secret is refused instead: the
    code is `secret_refused` then, whatever else is wrong.
    """
    found = list(faults)
    secret = False
    for label, name in names:
        fault = name_fault(name)
        if fault is None and looks_secret(name):
            fault, secret = SECRET_NAME, True
        if fault is not None:
            found.append((label, fault))
    if found:
        raise invalid_fields(found, code=SECRET_REFUSED if secret else None)


def address_fault(email: str) -> str | None:
    """What is wrong with a valid mail address: it is shown and stored like a name."""
    return SECRET_ADDRESS if looks_secret(email) else None


def address_clean(email: str) -> str:
    """A mail address as it is kept: valid, in lower case; 422 for anything else."""
    address = email.strip().lower()
    fault = address_fault(address) if _is_address(address) else "Give a mail address."
    if fault:
        code = SECRET_REFUSED if fault == SECRET_ADDRESS else None
        raise invalid_fields([("email", fault)], code=code)
    return address


def _is_address(email: str) -> bool:
    try:
        validate_email(email)
    except ValidationError:
        return False
    return len(email) <= ADDRESS_LIMIT
