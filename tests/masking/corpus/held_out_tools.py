"""Held out as well: command lines, code, words and encodings.

Those who write rules do not read this file.
"""

import base64
import json
import random
from typing import Final

from tests.masking.corpus.making import Kind, Secret, among_others, fill, kind

_PASSWORDS: Final = ["⟨plainpw⟩", "⟨pw⟩"]

TOOLS: Final = [
    kind(
        "keytool",
        "keytool",
        "⟨plainpw⟩",
        ["keytool -list -keystore ⟨word⟩.jks -storepass ⟨⟩", "-Djavax.net.ssl.keyStorePassword=⟨⟩"],
    ),
    kind(
        "mqtt",
        "MQTT",
        "⟨plainpw⟩",
        [
            "mosquitto_pub -h ⟨host⟩ -u dev⟨n⟩ -P ⟨⟩ -t ⟨word⟩/state -m on",
            "client.username_pw_set('dev⟨n⟩', '⟨⟩')",
            "mqtt:\n  broker: ⟨ip⟩\n  password: ⟨⟩",
        ],
    ),
    kind(
        "sql user",
        "SQL",
        "⟨plainpw⟩",
        [
            "CREATE USER ⟨user⟩ WITH PASSWORD '⟨⟩';",
            "ALTER ROLE ⟨user⟩ PASSWORD '⟨⟩';",
            "CREATE USER '⟨user⟩'@'%' IDENTIFIED BY '⟨⟩';",
            "ERROR 1396: GRANT ALL ON *.* TO '⟨user⟩'@'%' IDENTIFIED BY '⟨⟩'",
        ],
    ),
    kind(
        "powershell",
        "PowerShell",
        ["⟨plainpw⟩", "⟨b62:32⟩"],
        ['$pw = ConvertTo-SecureString "⟨⟩" -AsPlainText -Force', '$env:API_TOKEN = "⟨⟩"'],
    ),
    kind(
        "unusual name",
        "nobody's names",
        "⟨b62:32⟩",
        [
            "ACME_SIGNING_KEY=⟨⟩",
            "ENCRYPTION_KEY=⟨⟩",
            "COOKIE_SECRET: ⟨⟩",
            "webhookSecret: '⟨⟩'",
            "HMAC_SECRET=⟨⟩",
            "refresh_token=⟨⟩",
            '{"privateKey": "⟨⟩"}',
            "BOT_PASS=⟨⟩",
        ],
    ),
    kind(
        "unusual header",
        "nobody's headers",
        ["⟨b62:32⟩", "⟨hex:40⟩"],
        [
            "PRIVATE-TOKEN: ⟨⟩",
            "curl -H 'X-Acme-Token: ⟨⟩' https://⟨host⟩/",
            "X-Access-Key: ⟨⟩",
            "Ocp-Apim-Subscription-Key: ⟨⟩",
            "'X-Auth-Secret': '⟨⟩'",
            "Proxy-Authorization: Bearer ⟨⟩",
        ],
    ),
    kind(
        "form post",
        "forms",
        "⟨plainpw⟩",
        [
            "curl -d 'username=⟨user⟩&password=⟨⟩' https://⟨host⟩/login",
            "POST /oauth/token grant_type=password&username=⟨user⟩&password=⟨⟩",
            "--data-urlencode 'client_secret=⟨⟩'",
        ],
    ),
    kind(
        "session",
        "web frameworks",
        ["s%3A⟨b64u:32⟩.⟨b62:43⟩", "⟨b62:40⟩"],
        [
            "Cookie: connect.sid=⟨⟩",
            "set-cookie: PHPSESSID=⟨⟩; path=/; HttpOnly",
            "Cookie: _ga=GA1.2.⟨digits:9⟩.⟨epoch⟩; JSESSIONID=⟨⟩",
            "cookies={'auth_session': '⟨⟩'}",
        ],
    ),
    kind(
        "one-time seed",
        "TOTP",
        "⟨b32:32⟩",
        [
            "otpauth://totp/Acme:ana@acme.io?secret=⟨⟩&issuer=Acme",
            "oathtool --totp -b ⟨⟩",
            "MFA_SECRET=⟨⟩",
        ],
    ),
    kind(
        "said in words",
        "people",
        "⟨plainpw⟩",
        [
            "The password for ⟨user⟩ is ⟨⟩",
            "I logged in as ⟨user⟩ with password ⟨⟩ and it worked.",
            "user: ⟨user⟩, pass: ⟨⟩",
            'password is "⟨⟩"',
        ],
    ),
    kind(
        "code",
        "code",
        ["⟨plainpw⟩", "⟨b62:32⟩"],
        [
            'self.auth = HTTPBasicAuth("⟨user⟩", "⟨⟩")',
            'private static final String API_TOKEN = "⟨⟩";',
            'const SECRET_KEY: &str = "⟨⟩";',
            'String password = "⟨⟩";',
            'auth=("⟨user⟩", "⟨⟩")',
            "let accessToken = '⟨⟩'",
        ],
    ),
]


def _docker_auths(rng: random.Random) -> Secret:
    value = fill(rng, "⟨basic⟩")
    host = fill(rng, "⟨host⟩")
    text = rng.choice(
        [
            json.dumps({"auths": {host: {"auth": value}}}),
            json.dumps({"auths": {host: {"auth": value, "email": "ci@acme.io"}}}, indent=2),
        ]
    )
    return Secret(value, text)


def _docker_auths_encoded(rng: random.Random) -> Secret:
    """The whole file in base64, as clusters keep it."""
    inner = fill(
        rng, '{"auths":{"⟨host⟩":{"username":"⟨user⟩","password":"⟨⟩"}}}', fill(rng, "⟨plainpw⟩")
    )
    value = base64.b64encode(inner.encode()).decode()
    return Secret(value, among_others(rng, f"data:\n  .dockerconfigjson: {value}"))


DOCKER: Final = [
    Kind("docker auths", "Docker files", _docker_auths),
    Kind("encoded docker auths", "Docker secrets", _docker_auths_encoded),
]
