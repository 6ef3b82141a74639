"""The rule for command lines by itself: which flags carry a password, and where it ends."""

import pytest

from stuckbot.lib.masking.programs import command_secrets
from tests.masking.rules import marked_by, plain, spans

#: What goes is marked: ‹so›.
FLAGS = r"""
tool --password ‹hunter2› --quiet
tool --password --quiet
tool --password
--password ‹hunter2›
-password ‹hunter2›
x--password hunter2
tool -password ‹hunter2›
tool x--password hunter2 --token ‹hunter2›
tool "--password", "‹hunter2›"
tool "--password", "‹-hunter2›"
tool --password "‹-hunter2›"
tool --password⇥-hunter2
tool --auth-key ‹hunter2›
tool --AUTH-KEY ‹hunter2›
tool --oauth2-bearer ‹hunter2›
tool --pass ‹hunter2›
tool --pw ‹hunter2›
tool --key hunter2
tool --access-key ‹hunter2›
use --password to log in, then --token ‹hunter2›
use --password and then go
use --token. Then
tool --password "‹two words›"
tool --password ‹two-words›
tool --password "pass:‹hunter2›"
tool --password true
tool --password ‹hunter›
tool --password "‹true›"
please run --password ‹hunter2›
""".replace("⇥", "\t")
PROGRAMS = r"""
openssl rsa -passin pass:‹hunter2›
openssl rsa -passin env:PASS -passout pass:‹hunter2›
mysql -u ci -p‹hunter2› db
mysql -u ci -p db
mysqldump -p‹hunter2› db
nosql -pxhunter2
7z a -p‹hunter2› x
sshpass -p ‹hunter2› ssh h
sshpass -p=‹hunter2› ssh h
sshpass -e ssh h
docker run -p 8080:80 x
docker login -u ci -p ‹hunter2›
docker login -p -u
redis-cli -a ‹hunter2› ping
unzip -P ‹hunter2› x.zip
ldapsearch -w ‹hunter2› -x
cqlsh -p ‹hunter2›
curl -u ci:‹hunter2› https://x
curl -u ci:‹hunter2› -U ci:‹hunter2› https://x
curl --user "ci:‹hunter2›" https://x
curl --user 'ci:‹hunt er2›' -U 'ci:‹hunter2›' https://x
curl --user 'ci:' -U 'ci:‹hunter2›' https://x
curl -u 'ci:‹hunter2› x
curl --user "ci:${PASS}" -U ci:‹hunter2› https://x
curl -u ci https://x
curl -u ci:$PASS https://x
lftp -u ci,‹hunter2› x
net use /p:‹hunter2›
cmdkey /pass:‹hunter2›
etcdctl --user root:‹hunter2› get
sqlplus ci/‹hunter2›@db
sqlplus ci/‹hunter2›@db/x
expdp "ci/‹hunter2@db›"
curl -u ci:‹hunter2@db› x
smbclient //h/s -U ci%‹hunter2›
htpasswd -bc f ci ‹hunter2› x
htpasswd -c f ci hunter2
mysql -p‹hunter2› a; mysql -p‹hunter3› b
mysqldump -p"‹hunter2›"
a@b sqlplus ci/‹hunter2›@db@c
"""
ON_SEVERAL_LINES = [
    "mysql -p‹hunter2› x\n-phunter3 x",
    "curl x\ncurl -u ci:‹hunter2›\n",
    "curl -u 'ci:‹hunter2›\nit's",
]
ROWS = [*FLAGS.strip().splitlines(), *PROGRAMS.strip().splitlines(), *ON_SEVERAL_LINES]


@pytest.mark.parametrize("marked", ROWS)
def test_what_is_marked_goes_and_nothing_else(marked: str) -> None:
    assert marked_by(command_secrets, plain(marked)) == marked
    assert {span.kind for span in spans(command_secrets, plain(marked))} <= {"command_secret"}


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("tool --db-password hunter2", "db-password"),
        ("mysql -phunter2", "password"),
        ("curl -u 'ci:hunter2' x", "password"),
    ],
)
def test_it_is_told_by_its_flag(command: str, name: str) -> None:
    (found,) = spans(command_secrets, command)
    assert found.name == name
