"""What a person reads of the kind of a secret that was masked."""

import pytest

from stuckbot.lib.masking.tokens import KINDS
from stuckbot.site.pages.masked import _kind


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("named_secret", "Password or key"),
        ("url_password", "Password in an address"),
        ("github_token", "GitHub token"),
        ("aws_access_key", "AWS access key"),
        ("google_api_key", "Google API key"),
        ("private_key", "Private key"),
    ],
)
def test_a_kind_has_a_name_for_people(code: str, said: str) -> None:
    assert str(_kind(code)) == said


def test_no_kind_is_shown_as_a_code() -> None:
    assert not any("_" in str(_kind(kind.code)) for kind in KINDS)
