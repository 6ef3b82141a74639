"""Signing up, where the desk is open for it: a mailed link comes before any account.

Whoever asks hears the same of every address. A link works for a day; once its account is there it
says so.
"""

from datetime import datetime, timedelta
from typing import Final

from django.core.signing import BadSignature, TimestampSigner
from django.utils.http import urlsafe_base64_decode, urlsafe_base64_encode

from accounts.letters import have_account_letter, sign_up_letter
from accounts.models import Membership, User
from accounts.names import address_clean
from accounts.services.people import person_with_org_make
from stuckbot.lib.errors import Missing
from stuckbot.lib.mail import mail_queue

LIFE: Final = timedelta(days=1)
_SIGNER: Final = "stuckbot.sign_up"


def sign_up_begin(*, email: str, now: datetime) -> None:
    """Mails the link to finish, or that there is an account already. 422 for what is no address."""
    address = address_clean(email)
    signed = TimestampSigner(salt=_SIGNER).sign(address)
    token = urlsafe_base64_encode(signed.encode())  # a link that no mail program cuts at a colon
    known = User.objects.filter(email=address).exists()
    mail_queue(have_account_letter(address) if known else sign_up_letter(address, token), now=now)


def sign_up_address(token: str) -> str:
    """The address that a link was mailed to. Raises `Missing` for a wrong or old one."""
    try:
        signed = urlsafe_base64_decode(token).decode()
        return TimestampSigner(salt=_SIGNER).unsign(signed, max_age=LIFE)
    except (BadSignature, ValueError) as error:
        raise Missing from error


def sign_up_finish(
    *, token: str, name: str, password: str, org_name: str, now: datetime
) -> Membership:
    """The account with an org of its own; 409 when the link was used."""
    email = sign_up_address(token)
    return person_with_org_make(
        email=email, name=name, password=password, org_name=org_name, now=now
    )
