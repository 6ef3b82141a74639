"""Tokens that give themselves away by their shape, with nothing around them."""

import base64
import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import re2

from stuckbot.lib.masking.meter import Meter
from stuckbot.lib.masking.randomness import is_drawn, is_hex, is_mixed
from stuckbot.lib.masking.spans import Span
from stuckbot.lib.masking.values import is_shown


class Kind(NamedTuple):
    """A shape of token. `split` is its shape where its length is known, by which it is recognised
    even when a line break went through it."""

    code: str
    shape: str
    split: str = ""


def fixed(code: str, shape: str) -> Kind:
    """A kind all tokens of which are of one length."""
    return Kind(code, shape, shape)


KINDS: Final = (
    fixed("aws_access_key", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}"),
    Kind("github_token", r"gh[oprsu]_[A-Za-z0-9]{36,}", r"gh[oprsu]_[A-Za-z0-9]{36}"),
    fixed("github_token", r"github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    Kind(
        "slack_token",
        r"(?:xox[a-z]|xapp)-[A-Za-z0-9.-]{10,}",
        r"(?:xox[a-z]|xapp-[0-9]-[A-Z0-9]{8,12})(?:-[0-9]{10,13}){1,3}-(?:[0-9a-f]{64}|[0-9a-f]{32}|[A-Za-z0-9]{24})",
    ),
    Kind("stripe_key", r"(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}"),
    Kind(
        "signing_secret",
        r"whsec_[A-Za-z0-9+/]{24,88}={0,2}",
        r"whsec_[A-Za-z0-9+/]{32}",
    ),
    fixed("anthropic_key", r"sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{93}AA"),
    Kind("ai_key", r"sk-[A-Za-z0-9_-]{20,}"),
    fixed("ai_key", r"gsk_[A-Za-z0-9]{52}"),
    fixed("google_api_key", r"AIza[A-Za-z0-9_-]{35}"),
    fixed("google_secret", r"GOCSPX-[A-Za-z0-9_-]{28}"),
    Kind("google_token", r"ya29\.[A-Za-z0-9_-]{30,}", r"ya29\.[A-Za-z0-9_-]{60}"),
    fixed("npm_token", r"npm_[A-Za-z0-9]{36}"),
    Kind("package_index_token", r"pypi-[A-Za-z0-9_-]{100,}"),
    Kind("gitlab_token", r"gl[a-z]{2,7}-[A-Za-z0-9_.-]{20,}", r"gl[a-z]{2,7}-[A-Za-z0-9_-]{20}"),
    fixed("sendgrid_key", r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    fixed("hugging_face_token", r"(?:hf|api_org)_[A-Za-z]{34}"),
    Kind("stuckbot_token", r"sb[aekp]_[A-Za-z0-9_-]{20,}", r"sb[aekp]_[A-Za-z0-9]{61}"),
    fixed("digitalocean_token", r"do[opr]_v1_[0-9a-f]{64}"),
    fixed("databricks_token", r"dapi[0-9a-f]{32}"),
    fixed("linear_key", r"lin_(?:api|oauth)_[A-Za-z0-9]{40}"),
    fixed("twilio_key", r"SK[0-9a-f]{32}"),
    Kind(
        "telegram_token",
        r"(?:bot)?[0-9]{8,10}:AA[A-Za-z0-9_-]{33}",
        r"[0-9]{10}:AA[A-Za-z0-9_-]{33}",
    ),
    Kind("vault_token", r"hv[bsr]\.[A-Za-z0-9_-]{24,}", r"hv[bsr]\.[A-Za-z0-9_-]{90}"),
    Kind(
        "terraform_token",
        r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,}",
        r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{64}",
    ),
    fixed("age_key", r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    fixed("cloud_token", r"pul-[0-9a-f]{40}"),
    fixed("monitoring_key", r"NRAK-[A-Z0-9]{27}|[0-9a-f]{36}NRAL"),
    Kind("monitoring_token", r"(?:sntry[su]|glc)_[A-Za-z0-9+/=_-]{32,}"),
    fixed("mail_key", r"[0-9a-f]{32}-us[0-9]{1,2}"),
    fixed("mail_key", r"xkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    Kind("atlassian_token", r"ATATT3[A-Za-z0-9_=-]{60,}|ATBB[A-Za-z0-9]{32}"),
    Kind("hosting_token", r"fm[12][a-z]?_[A-Za-z0-9+/=_,-]{60,}|HRKU-[A-Za-z0-9_-]{36,}"),
    Kind("registry_token", r"dckr_[a-z]{3,5}_[A-Za-z0-9_-]{27,}"),
    fixed("table_token", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    fixed("planning_token", r"[0-9]/[0-9]{16}(?:/[0-9]{16})?:[0-9a-f]{32}"),
    Kind("push_key", r"AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{100,}"),
    Kind("design_token", r"figd_[A-Za-z0-9_-]{36,}"),
    Kind("database_token", r"pscale_[a-z]{2,6}_[A-Za-z0-9_.-]{32,}"),
    Kind("web_token", r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_.-]*"),
    Kind(
        "private_key",
        r"(?:MII[A-Za-z0-9+/]{2,3}IBA(?:AK|DAN)|MHcCAQEE|MIGHAgEAMBM|b3BlbnNzaC1rZXktdjE)"
        r"[A-Za-z0-9+/]{40,}={0,2}",
    ),
    Kind("password_hash", r"\$(?:2[abxy]|5|6|y|apr1|argon2id?)\$[A-Za-z0-9./=,$+-]{20,}"),
)
#: What lies between two tokens: nothing of the sort.
_AROUND: Final = rb"[A-Za-z0-9_]"
#: What one compiled shape may take.
_MOST_MEMORY: Final = 64 << 20


def pattern(shape: str, *, any_case: bool = False) -> Any:
    """A shape on RE2, over bytes."""
    options = re2.Options()
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1
    options.case_sensitive = not any_case
    options.max_mem = _MOST_MEMORY
    return re2.compile(shape.encode(), options)


_TOKEN: Final = pattern("|".join(kind.shape for kind in KINDS))
#: Values of a known length that only their name tells.
_SPLIT_VALUE: Final = (
    r"(?i:AccountKey)=[A-Za-z0-9+/]{86}==",
    r"(?i:secret_?access_?key)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?[A-Za-z0-9+/]{40}",
    r"(?i:auth_?token)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?[0-9a-f]{32}",
)
_SPLIT_TOKEN: Final = pattern(
    "|".join([*(kind.split for kind in KINDS if kind.split), *_SPLIT_VALUE])
)
_NAMED: Final = re.compile(
    rb"(?i)(?:(?:account|access_?)key|auth_?token)[\"']?[ \t]*[:=][ \t]*[\"']?"
)
_EACH: Final = tuple((kind.code, re.compile(kind.shape.encode())) for kind in KINDS)
_NO_WORDS: Final = re.compile(rb"[A-Z]|[0-9][a-z]|[a-z][0-9]")
_BESIDE: Final = re.compile(_AROUND)

#: Something short, a separator, and a long run: `acme_…`, `key-…`.
_PREFIXED: Final = pattern(r"\b[A-Za-z][A-Za-z0-9]{0,15}[_.-][A-Za-z0-9_.-]{24,}")
#: Three long runs with dots between.
_DOTTED: Final = pattern(r"\b[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{20,}")
_UNDERSCORE: Final = ord("_")
_BACKSLASH: Final = ord("\\")
_HEAD: Final = re.compile(rb"[a-z][a-z0-9]*|[A-Z][A-Z0-9]*|[A-Z][a-z]+[0-9]*")
_WORD: Final = re.compile(rb"[A-Z]?[a-z]{4,}")
_ONE_CASE: Final = re.compile(rb"[a-z0-9]+|[A-Z0-9]+")
_PARTS: Final = re.compile(rb"[_.-]")
_UUID_HYPHENS: Final = 4
_UUID: Final = re.compile(rb"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
#: A sortable id: a time in front, one case alone.
_SORTABLE: Final = re.compile(rb"0[0-7](?:[0-9a-z]{24}|[0-9A-Z]{24})")
#: Prefixes of what is public: digests, and the ids of things.
_PUBLIC: Final = frozenset(
    b"sha sha1 sha224 sha256 sha384 sha512 md5 crc blake2b blake3 h1 nonce etag cs pi evt req msg "
    b"chatcmpl cmpl resp run thread asst file batch call toolu trace span build deploy dpl layer "
    b"image img pk pub public publishable arn ami snap vol subnet sg vpc eni index chunk vendor "
    b"main app runtime page polyfills rev commit tag release artifact job task node pod event "
    b"user usr acct account cus customer order ord inv invoice sub session sess ses cursor id obj "
    b"object key_id org team project proj repo branch cache hash digest integrity version v1 v2 "
    b"ch in re sub si price prod product txn tr tok_type pm seti src ba card item list model ft "
    b"ftjob prj srv ins inst dep run vs conv response reasoning rs fc assistant step ws wss x "
    b"amz".split()
)
_ASSIGNED: Final = re.compile(rb"[:=][ \t]*(?:W/)?\\*[\"']?\Z")
#: Names that say that what follows is public.
_PUBLIC_NAME: Final = re.compile(
    rb"(?i)(?:etag|match|integrity|nonce|site_?-?key|digest|checksum|sha-?[0-9]+|fingerprint|hash|"
    rb"cursor|next|challenge|[a-z]*[_-]?id|ref|revision|version|filename|file|path)"
    rb"\\*[\"']?[ \t]*[:=][ \t]*(?:W/)?\\*[\"']?\Z"
)
_TELLING: Final = frozenset(
    b"key sk tok token secret pat api auth priv private access apikey refresh bearer pass "
    b"sec live test".split()
)


def tokens(text: bytes, meter: Meter) -> Iterator[Span]:
    """Tokens of known shapes, and those of unknown ones that look drawn at random."""
    for found in meter.each(_TOKEN, text):
        start, end = found.span()
        value = text[start:end].rstrip(b",.")
        end = start + len(value)
        if _stands_alone(text, start, end) and not is_shown(value) and _passes(value):
            yield Span(start + 3 * value.startswith(b"bot"), end, "token")
    yield from _prefixed(text, meter)
    for found in meter.each(_DOTTED, text):
        start, end = found.span()
        start += _is_escape(text, start)
        if is_mixed(text[start:end]) and not is_shown(text[start:end]):
            yield Span(start, end, "token")


def may_be_split(squeezed: bytes) -> bool:
    """Whether a token of a known length stands in the text once white space is out of it."""
    return _SPLIT_TOKEN.search(squeezed) is not None


def split_tokens(joined: bytes, meter: Meter) -> Iterator[Span]:
    """Tokens of a known length in text whose line breaks were taken out; what stands behind one
    may be the next line, so their ends are not looked at."""
    for found in meter.each(_SPLIT_TOKEN, joined):
        start, end = found.span()
        value = joined[start:end]
        name = _NAMED.search(value)
        if not is_shown(value):
            yield Span(start + (name.end() if name else 0), end, "token")


def _stands_alone(text: bytes, start: int, end: int) -> bool:
    """No letter, digit or underscore touches it, so it is not a part of something longer. What
    begins with a sign of its own, as a hashed password does, ends by it whatever stands before."""
    is_joined = start > 0 and _BESIDE.match(text, start)
    before = is_joined and _BESIDE.match(text, start - 1)
    return not before and not _BESIDE.match(text, end)


def kind_of(token: bytes) -> str:
    """The code of the kind that a token is of; `token` where the kind has no name."""
    return next((code for code, shape in _EACH if shape.fullmatch(token)), "token")


def _passes(value: bytes) -> bool:
    """The test of its kind, for shapes that words and other things have too."""
    if value.startswith(b"eyJ"):
        return _is_web_token(value)
    if value.startswith(b"sk-"):
        return is_drawn(value[3:])
    return not value.startswith(b"gl") or _NO_WORDS.search(value) is not None


def _prefixed(text: bytes, meter: Meter) -> Iterator[Span]:
    for found in meter.each(_PREFIXED, text):
        start, end = found.span()
        start += _is_escape(text, start)
        value = text[start:end].rstrip(b"._-")
        if text[start - 1 : start] == b"-" or not _is_secret_by_prefix(value) or is_shown(value):
            continue
        if not _is_named_public(text, start):
            yield Span(start, start + len(value), "token")


def _is_escape(text: bytes, start: int) -> bool:
    """The letter of a line break that is written out is no part of what stands behind it."""
    return start > 0 and text[start - 1] == _BACKSLASH and text[start] in b"nrt"


def _is_named_public(text: bytes, start: int) -> bool:
    """`etag: …`, `request_id=…`: what stands before says that it is no secret."""
    if not _ASSIGNED.search(text, max(0, start - 8), start):
        return False
    return _PUBLIC_NAME.search(text, max(0, start - 40), start) is not None


def _is_secret_by_prefix(value: bytes) -> bool:
    """A short prefix, then a run drawn at random: 28 or more of mixed case and digits, or 24 of
    one case with digits. Hexadecimal runs are digests unless the prefix says otherwise."""
    parts = [part for part in _PARTS.split(value) if part]
    head, longest = parts[0].lower(), max(parts[1:], key=len, default=b"")
    body = value[len(parts[0]) + 1 :]
    telling = any(part.lower() in _TELLING for part in parts[:-1])
    if not _HEAD.fullmatch(parts[0]) or sum(map(_is_word, parts)) > 2:
        return False
    if head in _PUBLIC or _SORTABLE.fullmatch(longest):
        return False
    if body.count(b"-") >= _UUID_HYPHENS and _UUID.search(body):
        return telling
    if is_hex(longest):
        if any(len(part) >= 16 and is_mixed(part) for part in parts[1:]):
            return True
        return len(longest) >= 32 and (telling or _is_brand(value, parts))
    if len(longest) >= 24 and _ONE_CASE.fullmatch(longest) and is_drawn(longest):
        return True
    return len(longest) >= 16 and len(body) >= 28 and is_mixed(body)


def _is_brand(value: bytes, parts: list[bytes]) -> bool:
    """`acme_…`, `ACME-…`: what a vendor puts before hexadecimal digits, and a file name has not."""
    if parts[0].isupper() and len(parts[0]) > 2:
        return True
    return len(parts) == 2 and len(parts[0]) <= 8 and value[len(parts[0])] == _UNDERSCORE


def _is_word(part: bytes) -> bool:
    return _WORD.fullmatch(part) is not None


def _is_web_token(value: bytes) -> bool:
    """Its header is JSON that names an algorithm."""
    head, _, _ = value.partition(b".")
    try:
        decoded = base64.urlsafe_b64decode(head + b"==")
    except ValueError:
        return False
    return b'"alg"' in decoded or b'"enc"' in decoded
