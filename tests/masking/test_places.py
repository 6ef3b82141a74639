"""Each place where secrets stand, by itself: flags, short flags of programs, addresses, headers,
settings, SQL and sentences; and what stands in such places and is no secret."""

import random

import pytest

from stuckbot.lib.masking import REDACTED, mask_text
from tests.masking.corpus.making import fill

FLAGS = [
    f"tool --{name} ⟨⟩ run"
    for name in ("password", "db-password", "token", "api-key", "client-secret", "auth-token")
]
PROGRAMS = [
    *[f"{program} -u root -p⟨⟩ shop" for program in ("mysql", "mysqldump", "mariadb")],
    "sshpass -p ⟨⟩ ssh ci@host",
    "docker login -u ci -p ⟨⟩ registry.example.com",
    "podman login -u ci -p ⟨⟩ registry.example.com",
    "helm registry login -u ci -p ⟨⟩ registry.example.com",
    "mongosh -u ci -p ⟨⟩ shop",
    "oc login -u ci -p ⟨⟩ https://cluster.example.com",
    "az login -u ci -p ⟨⟩ --tenant t",
    "7z x -p⟨⟩ backup.7z",
    "redis-cli -h cache -a ⟨⟩ ping",
    "sqlcmd -S db -U sa -P ⟨⟩ -Q 'select 1'",
    "unzip -P ⟨⟩ backup.zip",
    "ldapsearch -x -D cn=admin -w ⟨⟩ -b dc=example",
    "cqlsh -u ci -p ⟨⟩ node1",
    "curl -u ci:⟨⟩ https://example.com/x",
    "curl --user ci:⟨⟩ https://example.com/x",
    "wget --user ci:⟨⟩ https://example.com/x",
    "http -a ci:⟨⟩ example.com/x",
    "lftp -u ci,⟨⟩ ftp.example.com",
    "net use z: /p:⟨⟩ x",
    "cmdkey /add:host /user:ci /pass:⟨⟩ x",
    "xfreerdp /u:ci /p:⟨⟩ /v:host",
    "etcdctl --user root:⟨⟩ get a",
    "smbclient //host/share -U ci%⟨⟩ -c ls",
    "htpasswd -bc .htpasswd ci ⟨⟩ ",
]
ADDRESSES = [
    "postgres://ci:⟨⟩@db.example.com:5432/shop",
    "redis://:⟨⟩@cache:6379/0",
    "amqp://ci:⟨⟩@mq/vhost and more",
    "git clone https://ci:⟨⟩@git.example.com/a/b",
    "mongodb+srv://ci:⟨⟩@c0.example.com/?retryWrites=true",
    "https://example.com/x?access_token=⟨⟩&page=2",
    "https://example.com/x?a=1&api_key=⟨⟩",
    "https://hooks.example.com/services/⟨⟩",
    "https://example.com/api/webhooks/⟨⟩",
]
HEADERS = [
    "Authorization: Bearer ⟨⟩",
    "authorization: token ⟨⟩",
    "curl -H 'Authorization: Bearer ⟨⟩' https://example.com",
    '"Authorization": "Bearer ⟨⟩"',
    "X-Api-Key: ⟨⟩",
    "Cookie: theme=dark; session=⟨⟩; a=b",
    "Set-Cookie: sid=⟨⟩; Path=/; HttpOnly",
]
SETTINGS = [
    *[f"{name}=⟨⟩" for name in ("DB_PASSWORD", "PASSWD", "API_TOKEN", "CLIENT_SECRET", "PGPASSWORD")],
    *[f"{name}: ⟨⟩" for name in ("password", "dbPassword", "secret-key", "access_token", "pwd")],
    *[f'{{"{name}": "⟨⟩", "a": 1}}' for name in ("password", "apiKey", "client_secret", "authToken")],
    "export SECRET_KEY='⟨⟩'",
    "password => ⟨⟩",
    "password := ⟨⟩",
    '{\\"password\\": \\"⟨⟩\\"}',
    "<password>⟨⟩</password>",
    '<add key="ApiToken" value="⟨⟩" />',
    "- name: DB_PASSWORD\n  value: ⟨⟩",
    'variable "db_password" {\n  default = "⟨⟩"\n}',
    "define('DB_PASSWORD', '⟨⟩');",
    'client.setPassword("⟨⟩")',
    "ENV DB_PASSWORD ⟨⟩",
    "setx API_TOKEN ⟨⟩",
    "machine example.com login ci password ⟨⟩",
    "CREATE USER ci IDENTIFIED BY '⟨⟩';",
    "ALTER ROLE ci WITH PASSWORD '⟨⟩';",
    "echo ⟨⟩ | docker login -u ci --password-stdin r.example.com",
    "the password is ⟨⟩",
    "used token ⟨⟩ for this",
    '{"kty": "oct", "k": "⟨⟩"}',
]  # fmt: skip
PLACES = [*FLAGS, *PROGRAMS, *ADDRESSES, *HEADERS, *SETTINGS]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("shape", ["⟨b62:32⟩", "⟨b62:26⟩"])
def test_it_finds_what_stands_there_and_nothing_else(place: str, shape: str) -> None:
    value = fill(random.Random(3), shape)
    before, after = place.split("⟨⟩")
    for around in ("{}", "line 1\n{}\nline 3", "$ {}"):
        text = around.format(before + value + after) if "{" not in place else before + value + after
        masked = mask_text(text)
        assert value not in masked.text
        assert masked.text == text.replace(value, REDACTED)
        assert len(masked.findings) == 1
        assert value not in masked.findings[0].preview


STAND_INS = [
    "null", "none", "true", "false", "required", "undefined", "changeme", "change_me", "xxxxxxxx",
    "********", "........", "<your-password>", "<password>", "${DB_PASSWORD}", "$(cat secret)",
    "$DB_PASSWORD", "{{ db_password }}", "your-api-key", "your_token_here",
    "example", "placeholder", "os.environ", "settings.DB_PASSWORD", "[REDACTED]", "REDACTED",
    "vault://secret/db", "arn:aws:secretsmanager:eu-west-1:1:secret:db", "/run/secrets/db_password",
]  # fmt: skip


@pytest.mark.parametrize("value", STAND_INS)
@pytest.mark.parametrize("place", ["password={}", "password: {}", "DB_PASSWORD={}", "token: {}"])
def test_it_leaves_what_stands_in_for_a_secret(value: str, place: str) -> None:
    text = place.format(value)
    assert mask_text(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "max_tokens: 4096",
        "prompt_tokens=1200 completion_tokens=88",
        "next_token: eyJvZmZzZXQiOjEwMH0",
        "primary key: id",
        "foreign_key=orders_id",
        "sort_key: created_at",
        "password must be at least 12 characters",
        "The token was rejected by the server.",
        "Invalid password for user admin",
        "token = get_token(session)",
        "unexpected token '}' at line 3",
        "--password-stdin",
        "mysql -p shop < dump.sql",
        "curl -u admin https://example.com",
        "https://example.com:8443/a@b",
        "http://user:password@host",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7 ci@host",
        "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQsw\n-----END CERTIFICATE-----",
        "Set-Cookie: theme=dark; Path=/",
        "keyboard shortcut: Ctrl+Shift+P",
        "def test_password_reset(self) -> None:",
    ],
)  # fmt: skip
def test_it_leaves_talk_of_secrets(text: str) -> None:
    assert mask_text(text).text == text


@pytest.mark.parametrize("name", ["RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])  # fmt: skip
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\\n"])
@pytest.mark.parametrize("cut", [False, True])
def test_it_finds_private_keys_whole_on_one_line_and_cut_off(
    name: str, newline: str, cut: bool
) -> None:
    lines = [fill(random.Random(n), "⟨b64:64⟩") for n in range(6)]
    key = newline.join(
        [f"-----BEGIN {name}-----", *lines, *([] if cut else [f"-----END {name}-----"])]
    )
    text = f"key:\n{key}" + ("" if cut else "\nafter")
    masked = mask_text(text)
    assert not any(line[:12] in masked.text for line in lines)
    assert masked.text.count("\n") == text.count("\n")
    assert masked.text.startswith("key:\n")
    assert cut or masked.text.endswith("\nafter")
    assert {each.kind for each in masked.findings} == {"private_key"}
