"""Whether a plain explanation is plain: what in it only its writer's tools would say.

Small on purpose. It looks for traces that machines leave, each of which can be named in the
warning, and never for hard words: a person may well know what a certificate is.
"""

import re
from functools import lru_cache
from typing import Final

#: What is found, in words that complete "it holds …", and how it is recognised.
_TRACES: Final = tuple(
    (name, re.compile(pattern, flags))
    for name, pattern, flags in (
        (
            "lines of a stack trace",
            r"Traceback \(most recent call last\)|^\s*at \S+\s?\(.*\)|\bFile \"[^\"\n]+\", line \d",
            re.MULTILINE,
        ),
        (
            "the name of an exception",
            r"\b(?:[A-Z][a-z]+){1,12}(?:Error|Exception|Fault)\b"
            r"|\b(?:ECONN[A-Z]{3,12}|ENOENT|EACCES|EPERM|EPIPE|ENOSPC|EEXIST|EMFILE"
            r"|ETIMEDOUT|EADDRINUSE|ENOTFOUND|EAI_AGAIN|SIG(?:KILL|TERM|SEGV|ABRT))\b",
            0,
        ),
        (
            "an exit code",
            r"\bexit(?:s|ed)(?: with)? -?\d|\b(?:exit|return)(?:s|ed)?(?: with)?(?: an?)?"
            r" (?:code|status)\b",
            re.IGNORECASE,
        ),
        (
            "lines of a log",
            r"\b[a-z]+ ERR!|^\W*(?:ERROR|FATAL|WARN(?:ING)?|INFO|DEBUG|PANIC)\b\W"
            r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\b(?:fatal|panic|stderr|stdout): ?\S",
            re.MULTILINE,
        ),
        ("a status code of the web", r"\bHTTP(?:/\d(?:\.\d)?)?[ :]{1,2}[1-5]\d\d\b", 0),
        (
            "a place in a file",
            r"[\w/\\-]\.[A-Za-z]{1,5}:\d+|\bline \d+, in \S"
            r"|(?<![\w:/.])(?:[A-Za-z]:\\|~?/|\.{1,2}/)[\w.@+\\/-]*[/\\]?[\w-]*\.[a-z]{1,5}\b",
            0,
        ),
        (
            "a command",
            r"`[^`\n]+`|^\s*[$#>] \w|\w \s*--[a-z][a-z-]+"
            r"|\b[a-z][a-z0-9]+ -[A-Za-z]{1,3}(?=[\s=]|$)|\S \|\| \S|\S && \S",
            re.MULTILINE,
        ),
        ("JSON", r"\{\s*\"|\[\s*[\"{]|\"\s*:\s*[\"{\[\d]", 0),
        (
            "bytes in hexadecimal",
            r"\b0x[0-9A-Fa-f]{2,}\b|(?:\b[0-9a-f]{2}[ :]){7,}"
            r"|\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{12,}\b",
            0,
        ),
    )
)
#: Words in capitals that need no explaining.
_FAMILIAR: Final = frozenset(
    (
        *("AI", "AM", "API", "APP", "ATM", "CD", "CEO", "CPU", "CSS", "CSV", "CV", "DNS", "DVD"),
        *("EU", "FAQ", "FYI", "GB", "GDPR", "GIF", "GPS", "HR", "HTML", "HTTP", "HTTPS", "IBAN"),
        *("ID", "IP", "ISO", "IT", "JPEG", "JPG", "KB", "LAN", "MB", "MP3", "MP4", "NASA", "OK"),
        *("PC", "PDF", "PIN", "PM", "PNG", "PR", "QA", "QR", "RAM", "SB", "SIM", "SMS", "SQL"),
        *("SSL", "TB", "TLS", "TV", "UI", "UK", "UN", "URL", "US", "USA", "USB", "UTC", "VAT"),
        *("VIP", "VPN", "WIFI", "XML", "ZIP"),
    )
)
_CAPITALS: Final = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\b")
_UNKNOWN_MOST: Final = 2


@lru_cache(maxsize=512)
def machine_trace(text: str) -> str | None:
    """What in the text is no everyday language, as words that complete "it holds …"."""
    for name, pattern in _TRACES:
        if pattern.search(text):
            return name
    return "several abbreviations" if len(_abbreviations(text)) > _UNKNOWN_MOST else None


def _abbreviations(text: str) -> set[str]:
    """Abbreviations and names of constants that a reader may not know. In a text that is written
    in capitals throughout, only what is joined by underscores counts."""
    words = {word for word in _CAPITALS.findall(text) if len(word) > 1}
    shouted = sum(map(str.isupper, text)) > sum(map(str.islower, text))
    return {word for word in words if "_" in word or not (shouted or word in _FAMILIAR)}
