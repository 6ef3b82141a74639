"""Is a value under a telling name a secret, or a placeholder, a reference, a piece of code?"""

import re
from functools import lru_cache
from typing import Final

from stuckbot.lib.masking.keys import KEYED, SILENT, WEAK, telling
from stuckbot.lib.masking.randomness import is_mixed, names_a_user
from stuckbot.lib.masking.spans import REDACTED_BYTES

#: Words that stand where a secret would and are none; quoted, the first few alone.
_BLANKS: Final = frozenset(
    b"null none nil undefined redacted hidden masked removed omitted placeholder string".split()
)
_WORDS: Final = _BLANKS | frozenset(
    b"true false yes no on off empty unset required optional missing invalid wrong incorrect "
    b"expired unknown denied failed mismatch rejected disabled enabled accepted changed updated "
    b"reset set not is was has must should cannot can str int integer bool boolean bytes number "
    b"object any text dict list tuple map array function callable secretstr char varchar "
    b"password passwd secret token key default self this "
    b"the a an for from with and or to in of your my n/a tbd todo sensitive authentication "
    b"inherit permission login".split()
)
#: Of these nothing can be a secret, quoted or not.
_STAND_INS: Final = re.compile(
    rb"""(?ix:
      ([x*.\#?_=-]|\xe2\x80\xa2|\xe2\x80\xa6)\1{2,}                 # xxxx, ****, ....
    | <[^<>]*> | [\[{<(]{1,3}[a-z0-9_ .-]*[\])}>]{1,3}                # <your-password>
    | (?:[a-z]{1,6}[-_]){0,2}your[-_ ][a-z_ -]*                     # sk-your-key-here
    | (?:change|replace|insert|enter|put|add)[-_ ]?(?:me|this|it|your|with|in|here)[a-z_ -]*
    | (?:example|dummy|fake|sample|placeholder|redacted)[-_ a-z]*
    | \$\{.*\}.* | \$\(.* | \{\{.* | %\{.* | \#\{.* | \{[a-z_.]*\} | \$\{.*
    | %[a-z_]+% | %\([a-z_]+\)s? | %[sdrv] | @[a-z_]+@ | :[a-z_]+
    | \$\$?(?-i:[A-Z][A-Z0-9_]*|[a-z]+(?:_[a-z]+)*|[a-z]+(?:[A-Z][a-z]+)+|[0-9])
    | (?:ref\+)?(?:vault|op|awssm|gcpsm|secretsmanager|ssm|env|file|keyvault)://?[/a-z0-9_.\#-]+
    | (?:vault|env|file|fd|ssm|secretsmanager):[/a-z0-9_.\#-]+
    | (?:sha-?[0-9]{1,3}|md5|uuid|urn)[:-].*
    | arn:aws[a-z-]*:.* | projects/[^/]+/secrets/.* | enc\[.*\] | @microsoft\.keyvault.*
    | (?-i:(?:~|\.{1,2})?(?:/[a-z0-9._-]+){2,}/? | (?:~|\.{1,2})/[a-z0-9._-]+)
    )""",
)
#: Of these nothing can be a secret where no quotes stand around it.
_CODE: Final = re.compile(
    rb"""(?ix:
      (?:[a-z_]+)(?:(?:\.|->|::|\?\.|!\.)[a-z_]+)+[;,.]?
    | (?:await|new|return|lambda|async|typeof|if|func|function|def|let|const)
    | (?:str|string|optional|list|dict|bytes|promise|array|map|union)[\[<|?].*
    | [`\#].*
    )""",
)
_IN_WORDS: Final = re.compile(rb"[A-Za-z]?[a-z]+(?:[ _.:/-][A-Za-z]?[a-z]+)*[.!?]?")
_VARIABLE: Final = re.compile(
    rb"_*[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|_*[a-z]+(?:_[a-z]+)+|_*[a-z]+(?:[A-Z][a-z]+)+|_*(?:[A-Z][a-z]+){2,}"
)
_LONG_RUN: Final = re.compile(rb"[A-Za-z0-9]{12}")
_NAME: Final = re.compile(rb"[A-Za-z_]+")
#: What vendors write in their documentation in a secret's place.
_SHOWN: Final = re.compile(rb"(?i)EXAMPLE|X{5,}|\.\.\.|your[-_]|[-_]here$|\*{3}|0{12,}|dummy")
_CHAINED_WORD: Final = re.compile(
    rb"_*(?:[A-Z]?[a-z]+(?:[A-Z][a-z]+)*|[A-Z]+(?:_[A-Z]+)*|[a-z]+(?:_[a-z]+)*)_*"
)
#: Longer values are nobody's placeholder, and are not worth a backtracking matcher's time.
_LONGEST: Final = 200


def is_shown(value: bytes) -> bool:
    """A vendor's own documentation value, or a token blotted out by hand."""
    return _SHOWN.search(value) is not None


@lru_cache(maxsize=4096)
def is_stand_in(value: bytes, quoted: bool = False) -> bool:
    """It stands where a secret would: a placeholder, a reference to one, code that fetches one."""
    if REDACTED_BYTES in value or value.lower() in (_BLANKS if quoted else _WORDS):
        return True
    if len(value) > _LONGEST:
        return False
    if _STAND_INS.fullmatch(value):
        return True
    return not quoted and (_is_code(value) or _is_telling_name(value))


def _is_code(value: bytes) -> bool:
    """`settings.API_KEY`, `req.headers.auth`; not a chain of letters and dots that chance made."""
    if not _CODE.fullmatch(value):
        return False
    return all(_CHAINED_WORD.fullmatch(part) for part in _NAME.findall(value))


def _is_telling_name(value: bytes) -> bool:
    """`token=access_token`, `api_key=OPENAI_API_KEY`: a variable of a telling name."""
    return bool(_NAME.fullmatch(value)) and telling(value.decode()) > WEAK


def is_secret(strength: int, value: bytes, quoted: bool = False) -> bool:
    """Whether the value under a name of that strength is a secret."""
    if strength == SILENT or not value:
        return False
    if strength != WEAK and _is_plainly_drawn(value):
        return b"EXAMPLE" not in value
    if is_stand_in(value, quoted):
        return False
    if strength == WEAK:
        value = value[:_LONGEST]
        return b" " not in value and _is_likely(value) and not is_shown(value)
    if strength == KEYED and _IN_WORDS.fullmatch(value):
        return False
    return b"EXAMPLE" not in value


def _is_plainly_drawn(value: bytes) -> bool:
    """Letters and digits and nothing else: no placeholder is written so."""
    return value.isalnum() and not value.isalpha() and len(value) > 4


def is_in_words(value: bytes) -> bool:
    """`correct-horse`, `access_token`: written in words, so that it may stand for itself."""
    return _IN_WORDS.fullmatch(value) is not None


def is_variable(value: bytes) -> bool:
    """`MAX_SIZE`, `new_token`, `SecretField`: a name that code gives to something."""
    return _VARIABLE.fullmatch(value) is not None


def _is_likely(value: bytes) -> bool:
    """Under a name that may be that of a secret: one long run that looks drawn."""
    if names_a_user(value):
        return True
    return len(value) >= 20 and _LONG_RUN.search(value) is not None and is_mixed(value)
