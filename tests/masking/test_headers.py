"""The rule for HTTP headers by itself: which credentials let one in, and where they end."""

import pytest

from stuckbot.lib.masking.headers import header_secrets
from tests.masking.rules import marked_by, plain, spans

MIXED = "aB3dE5fG7hI9jK1mN2pQ"
USER = "Y2k6aHVudGVyMg=="  # ci:hunter2

#: What goes is marked: ‹so›.
CREDENTIALS = f"""
Bearer ‹{MIXED[:12]}›
Bearer {MIXED[:11]}
x bearer \t ‹{MIXED}› x
Bearer abcdefghijklmnop
Bearer EXAMPLE{MIXED}
Bearer xxxxxxxxxxxxxxx1
Bearer ‹Y2k6eA==›, Bearer ‹{MIXED}›
Bearer <token>, Bearer ‹{MIXED}›
Basic ‹{USER}›
basic ‹{USER}›
basic ‹Y2k6aHVu›
Basic Y2k6
Authorization: ‹{MIXED}›
Authorization: Y2k6aHVu
x "authorization": "‹{MIXED}›", then
Authorization: token ‹{MIXED}›
Authorization: token ‹{MIXED[:12]}›
Authorization: token {MIXED[:11]}
Authorization: {MIXED[:7]} {MIXED[:7]}
Authorization: short; then Authorization: Token token=‹{MIXED}›
AUTH PLAIN ‹AGNpAGh1bnRlcjI=›
x AUTH LOGIN ‹aHVudGVyMg›, AUTH CRAM-MD5 ‹aHVudGVyMg›
AUTH OTHER aHVudGVyMg
""".strip().splitlines()

#: The cookies that go, by name.
COOKIES = [
    (f"Cookie: a=b; session=‹{MIXED}›; sid=‹{MIXED[:12]}›; theme=dark", ["session", "sid"]),
    (f"Set-Cookie2: jwt=‹{MIXED}›", ["jwt"]),
    (f"Cookie: é-sid=‹{MIXED}›", ["Ã©-sid"]),
    (f"Cookie: sid={MIXED[:11]}", []),
    (f"Cookie: session=abcdefghijklmnop; jwt=‹{MIXED}›", ["jwt"]),
    (f"Cookie: theme=dark-and-gloomy-1234; x=‹{MIXED[:16]}›", ["x"]),
    (f"Cookie: x={MIXED[:15]}; y=abcdefghijklmnopqrst; z=‹-{MIXED[:16]}-›", ["z"]),
    (f"Cookie: session=${{SESSION_1_VALUE}}; jwt=<session-1>; sid=‹{MIXED}›", ["sid"]),
    ("Cookie: session=‹settings.SESSION_1›", ["session"]),
    (f"Cookie: theme=dark\nthen: session={MIXED}", []),
    (f"x=1; session={MIXED}", []),
]


@pytest.mark.parametrize("marked", CREDENTIALS)
def test_credentials_are_told_by_what_stands_before_them(marked: str) -> None:
    assert marked_by(header_secrets, plain(marked)) == marked
    assert {span.kind for span in spans(header_secrets, plain(marked))} <= {"authorization"}


@pytest.mark.parametrize(("marked", "names"), COOKIES)
def test_cookies_of_a_session_are_told_from_others(marked: str, names: list[str]) -> None:
    assert marked_by(header_secrets, plain(marked)) == marked
    found = spans(header_secrets, plain(marked))
    assert [(span.kind, span.name) for span in found] == [("cookie", name) for name in names]
