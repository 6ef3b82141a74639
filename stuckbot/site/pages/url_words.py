"""The words for addresses that the desk opens by itself: why one could not be checked, and what to
do about it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise


@dataclass(frozen=True, slots=True)
class Why:
    """`means` says why it could not be checked; `now` what whoever decides does about it;
    `short` is the same why inside a sentence. `sent`: something was sent to a machine."""

    means: Text
    now: Text
    short: Text
    sent: bool = True


_LOOK: Final = _("Open it yourself: if it shows what it should, approve the fix; else reject it.")
_INSIDE: Final = _(
    "Open it yourself from where it can be reached, then decide. For the next time, whoever runs "
    "StuckBot can allow hosts of your own network by their names."
)
_PLAIN: Final = _(
    "Open it yourself, then decide. For the next time, give an address that begins with https:// "
    "and has no port, name or password in it."
)
#: By the code of why the desk could not check an address.
WHY: Final[Mapping[str, Why]] = {
    "bad_url": Why(
        _("It is no web address that StuckBot can read."),
        _("Look whether it is spelled right. Where you can open it yourself, do, then decide."),
        _("no web address"),
        sent=False,
    ),
    "not_https": Why(
        _("It does not begin with https://, and StuckBot opens nothing else."),
        _PLAIN,
        _("not https"),
        sent=False,
    ),
    "port": Why(
        _("It names a port of its own, and StuckBot opens only the usual one, 443."),
        _PLAIN,
        _("a port other than 443"),
        sent=False,
    ),
    "userinfo": Why(
        _("It has a user name or a password in it, and StuckBot signs in nowhere."),
        _PLAIN,
        _("a password in the address"),
        sent=False,
    ),
    "masked": Why(
        _("A part of it looked like a secret and was masked, so nobody can open it as it was."),
        _("Ask whoever filed the ticket what was meant, look there yourself, then decide."),
        _("a part of it is masked"),
        sent=False,
    ),
    "not_public": Why(
        _("It leads into a private network, and StuckBot opens only public addresses."),
        _INSIDE,
        _("not public"),
        sent=False,
    ),
    "no_such_name": Why(
        _("Nobody knows a machine of this name."),
        _("Look whether it is spelled right. If it should be public by now, reject the fix."),
        _("no such name"),
        sent=False,
    ),
    "name_timeout": Why(
        _("No name server said in time where it is."), _LOOK, _("its name was not found in time")
    ),
    "unreachable": Why(
        _("Its machine could not be reached."), _LOOK, _("its machine cannot be reached")
    ),
    "refused_connection": Why(
        _("Its machine refused the connection."), _LOOK, _("it refused the connection")
    ),
    "tls": Why(_("No secure connection to it came about."), _LOOK, _("no secure connection")),
    "certificate": Why(
        _(
            "Its certificate does not prove that it is this address: it has run out, is of another "
            "name, or nobody known signed it."
        ),
        _("Look at its certificate in your browser. Do not approve over a warning it shows."),
        _("its certificate is not good"),
    ),
    "timeout": Why(
        _("It gave no answer within 10 seconds."), _LOOK, _("no answer within 10 seconds")
    ),
    "bad_answer": Why(
        _("Something answered, but not as a web server does."),
        _LOOK,
        _("no answer of a web server"),
    ),
    "desk_failed": Why(
        _("StuckBot itself failed at it, again and again."),
        _("Open it yourself, then decide. Whoever runs StuckBot finds why in its log."),
        _("StuckBot failed"),
    ),
}
OTHER: Final = Why(_("StuckBot could not open it."), _LOOK, _("it could not be opened"))


def why(code: str) -> Why:
    return WHY.get(code, OTHER)


#: The trust of what a solver says of an address that the desk opens by itself.
COUNTS_NOT: Final = _("StuckBot opens the address itself, and only what it sees there counts.")
#: Whoever holds the ticket can do about one that could not be checked.
AGAIN: Final = _(
    "Once it is mended, send proof again, and StuckBot opens it anew. Submitted as it is, somebody "
    "has to look instead."
)
#: The same of one that it will not open however often it is asked to.
NEVER: Final = _("StuckBot will not open it. Submitted as it is, somebody looks at it instead.")
#: The same while another agent checks the fix.
VERIFIER: Final = _("The agent that checks the fix is told, and decides.")
ALLOWED: Final = _("It is a private address that whoever runs StuckBot allows.")
TOO_LATE: Final = _("Nobody was at work on it any more, so that counts for nothing.")
#: What whoever came back to it does then.
ANEW: Final = _("Send proof again, and StuckBot opens it anew.")
