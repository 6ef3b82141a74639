"""Making an account, and ending all of its sessions."""

from datetime import datetime
from zoneinfo import available_timezones

from allauth.account.models import EmailAddress
from django.db import IntegrityError, transaction
from django.db.models import Q

from accounts.models import Membership, User
from accounts.names import name_clean
from accounts.services.orgs import member_add, org_make
from accounts.states import Role
from stuckbot.lib import ids
from stuckbot.lib.errors import Conflict, invalid_fields


def person_make(*, email: str, name: str, password: str) -> User:
    """An account for an address that its owner proved to read mail at.

    409 when somebody has the address already.
    """
    clean = name_clean(name)
    try:
        with transaction.atomic():
            user = User.objects.create_user(email, password, name=clean)
            address_follow(user)
    except IntegrityError as error:
        raise Conflict("There is an account with this address already. Sign in.") from error
    return user


def address_follow(user: User) -> None:
    """The sign-in package's own row of the address says what the account says, and no other does.

    Without it a row that is not verified counts as the address to change to, and an address that
    an operator took away would still be mailed codes to sign in.
    """
    others = EmailAddress.objects.filter(user=user).exclude(email=user.email)
    others.filter(Q(verified=True) | Q(primary=True)).delete()
    EmailAddress.objects.update_or_create(
        user=user, email=user.email, defaults={"verified": True, "primary": True}
    )


def person_with_org_make(
    *, email: str, name: str, password: str, org_name: str, now: datetime
) -> Membership:
    """An account with an org of its own, as signing up makes it."""
    with transaction.atomic():
        user = person_make(email=email, name=name, password=password)
        org = org_make(name=org_name, now=now)
        return member_add(org=org, user=user, role=Role.OWNER, now=now)


def sessions_end(user: User) -> None:
    """Signs the person out everywhere; the caller keeps their own session alive if they want."""
    user.session_mark = ids.base62(22)
    user.save(update_fields=["session_mark"])


def person_change(*, user: User, name: str, time_zone: str) -> None:
    """The person's name, as every org of theirs shows it, and the zone of the times they read.

    Without a name the first part of their address stands for it.
    """
    clean = name_clean(name) if name.strip() else ""
    if time_zone and time_zone not in available_timezones():
        raise invalid_fields([("time_zone", "Choose one of the zones in the list.")])
    with transaction.atomic():
        user.name, user.time_zone = clean, time_zone
        user.save(update_fields=["name", "time_zone"])
        user.actors.update(name=name_clean(user.shown_name))
