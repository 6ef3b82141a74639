"""Words that tell nothing of a problem, and words that tell the same one.

Chosen for what agents get stuck on; `tests/search/problems.py` measures what they are worth.
"""

import re
from typing import Final

#: English, German, and what every ticket says.
_FILLERS: Final = """
a about after again all also an and any are as at be because been before being both but by can
cannot could did do does doing don down during each either else ever every few for from further
get gets getting give go goes going got had has have having he her here him his how however i if
in into is isn it its itself just keep keeps let like made make makes many may me might more most
much must my need needs never no nor not now of off on once one only or other our out over own
please same say says see seems shall she should since so some still such than that the their them
then there these they this those though through thus to too try tried trying two under until up
upon us use used uses using very via was wasn we were what when where whether which while who whose
why will with within without won would yet you your
aber alle als am an auch auf aus bei beim bin bis da dann das dass dem den der des die dies dieser
doch du durch ein eine einem einen einer eines er es fur gegen hat haben hier ich im immer in ist
ja kann kein keine konnte mehr mit nach nicht noch nun nur ob oder ohne schon sehr sein sich sie
sind so uber um und uns unter vom von vor war warum was weil wenn werden wie wieder wir wird wo
zu zum zur
agent error errors fehler problem issue ticket task work working works run running runs fix fixed
help stuck blocked blocker step step next last first new old time times way thing something
anything nothing line file files code exit exits status message output log logs call called trace
traceback recent info warn warning debug fatal true false null none at ms sec seconds minutes hours
www http https com org net io
"""
FILLERS: Final = frozenset(_FILLERS.split())

#: Words that mean the same here, by their stem or as they are written.
SAME: Final = {
    word: stem
    for stem, words in {
        "fail": "fail failur failed broken broke break breaks crash crashed abort aborted dies died"
        " scheitert fehlgeschlagen kaputt bricht abbruch absturz",
        "timeout": "timeout timedout etimedout hang hangs hung hanging freeze freezes 504 408"
        " zeituberschreitung hangt deadline",
        "denied": "denied deny permission permissions forbidden eacces eperm 403 unauthorized"
        " unauthorised 401 refuses verweigert zugriff berechtigung rechte accessdenied",
        "refused": "refused econnrefused unreachable ehostunreach abgelehnt",
        "missing": "missing absent lacks lack lacking enoent notfound 404 unknown nonexistent"
        " fehlt fehlen fehlend undefined unresolved",
        "memory": "memory oom oomkilled enomem heap ram 137 speicher arbeitsspeicher",
        "disk": "disk enospc disc festplatte plattenplatz",
        "cert": "cert certs certificate certificates tls ssl x509 zertifikat zertifikate",
        "database": "database databases db datenbank",
        "connect": "connect connects connection connections connecting connected verbindung"
        " verbinden",
        "depend": "dependency dependencies dependenc abhangigkeit abhangigkeiten",
        "module": "module modules modul import imports importerror modulenotfounderror",
        "config": "config configuration configure configured configured conf settings konfiguration"
        " einstellung einstellungen",
        "auth": "auth authentication authenticate authenticated login signin credentials credential"
        " anmeldung anmelden zugangsdaten",
        "install": "install installs installed installing installation setup installieren",
        "build": "build builds built building compile compiles compilation compiler compiling bauen"
        " gebaut",
        "repo": "repo repos repository repositories",
        "migration": "migration migrations migrate migrated migrating migrationen",
        "deploy": "deploy deploys deployed deployment deploying rollout ausrollen",
        "conflict": "conflict conflicts conflicting konflikt konflikte clash clashes",
        "expired": "expired expires expire expiry expiration abgelaufen outdated",
        "version": "version versions mismatch incompatible incompatibility",
        "limit": "limit limits quota quotas throttle throttled throttling ratelimit 429 exceeded",
        "lock": "lock locks locked locking deadlock gesperrt sperre",
        "duplicate": "duplicate duplicates duplicated unique doppelt uniqueviolation",
        "parse": "parse parses parsing parser syntax syntaxerror unexpected malformed invalid",
        "test": "test tests testing tested spec specs suite",
        "flaky": "flaky intermittent intermittently sporadic sporadically sometimes manchmal",
        "env": "env environment variable variables umgebungsvariable umgebung",
        "port": "port ports eaddrinuse address bind",
        "image": "image images docker container containers dockerfile",
        "upload": "upload uploads uploading uploaded hochladen",
        "slow": "slow slower slowly latency langsam",
        "merge": "merge merges merging merged rebase rebasing",
        "dns": "dns enotfound eai_again getaddrinfo resolver nameserver hostname",
        "encode": "encoding encode encoded decode decoding unicode utf8 unicodedecodeerror charset",
        "null": "nullpointer nullpointerexception nonetype nil",
        "token": "token tokens jwt apikey",
        "prod": "prod production produktion live",
        "python": "python python3 py",
        "node": "node nodejs npm",
        "postgres": "postgres postgresql pg psql",
        "kube": "kubernetes k8s kube pod pods",
    }.items()
    for word in words.split()
}

#: Turns of phrase that mean one of these.
PHRASES: Final = tuple(
    (re.compile(pattern), stem)
    for pattern, stem in (
        (r"\btim(?:es|ed|ing|e)[ -]out\b|\bnever (?:finish|end|return|answer)", "timeout"),
        (
            r"\bnot? (?:be )?found\b|\bno such\b|\bcannot find\b|\bcan't find\b|\bdoes ?n.t exist"
            r"|\bnicht gefunden\b",
            "missing",
        ),
        (r"\bno space left\b|\bdisk (?:is )?full\b|\bkein platz\b", "disk"),
        (r"\bout of memory\b", "memory"),
        (r"\bnot (?:allowed|permitted|authori[sz]ed)\b|\bno (?:access|permission|right)", "denied"),
        (r"\btoo many requests\b|\brate[ -]limit", "limit"),
        (r"\balready (?:exists|in use|taken)\b", "duplicate"),
        (r"\bin use\b", "port"),
        (r"\bno longer valid\b|\bran out\b|\brun out\b", "expired"),
    )
)
