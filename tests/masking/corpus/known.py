"""The known half: rules may be written with these kinds in view."""

import random
from typing import Final
from urllib.parse import quote

from tests.masking.corpus import words
from tests.masking.corpus.frames import BARE, env, field, header, pem
from tests.masking.corpus.known_brands import BRANDS
from tests.masking.corpus.known_tools import TOOLS
from tests.masking.corpus.making import Kind, Secret, among_others, fill, kind

#: In two, so that no scanner takes the templates for keys.
SK: Final = "sk" + "_"

CLOUDS: Final = [
    kind("aws access key id", "AWS", "AKIA⟨b32:16⟩", env("AWS_ACCESS_KEY_ID") + BARE),
    kind("aws temporary key id", "AWS", "ASIA⟨b32:16⟩", BARE),
    kind(
        "aws secret key",
        "AWS",
        "⟨b64:40⟩",
        env("AWS_SECRET_ACCESS_KEY") + field("aws_secret_access_key"),
    ),
    kind("aws session token", "AWS", "FwoGZXIvYXdz⟨b64:180⟩==", env("AWS_SESSION_TOKEN")),
    kind("google api key", "Google", "AIza⟨b64u:35⟩", BARE + env("GOOGLE_MAPS_KEY")),
    kind("google client secret", "Google", "GOCSPX-⟨b64u:28⟩", BARE + field("client_secret")),
    kind("google access token", "Google", "ya29.⟨b64u:60-160⟩", BARE),
    kind(
        "google service account",
        "Google",
        "⟨pemn:24⟩",
        [
            '{"type": "service_account", "private_key_id": "⟨hex:40⟩", "private_key": "'
            + pem("PRIVATE KEY", newline="\\n")
            + '\\n", "client_email": "ci@acme.iam.gserviceaccount.com"}'
        ],
    ),
    kind(
        "azure storage key",
        "Azure",
        "⟨b64:86⟩==",
        [
            "DefaultEndpointsProtocol=https;AccountName=acme⟨word⟩;AccountKey=⟨⟩;"
            "EndpointSuffix=core.windows.net",
            '{"storage": "AccountName=acme;AccountKey=⟨⟩;EndpointSuffix=core.windows.net"}',
        ],
    ),
    kind("azure client secret", "Azure", "⟨b62:3⟩8Q~⟨b64u:34⟩", env("AZURE_CLIENT_SECRET")),
    kind(
        "azure hub key",
        "Azure",
        "⟨b64:43⟩=",
        ["HostName=acme.azure-devices.net;DeviceId=⟨word⟩;SharedAccessKey=⟨⟩"],
    ),
    kind("digitalocean token", "DigitalOcean", "dop_v1_⟨hex:64⟩", BARE),
    kind("databricks token", "Databricks", "dapi⟨hex:32⟩", BARE + env("DATABRICKS_TOKEN")),
    kind("vault token", "HashiCorp", "hvs.⟨b64u:90⟩", BARE + header("X-Vault-Token")),
    kind("terraform token", "HashiCorp", "⟨b62:14⟩.atlasv1.⟨b62:64⟩", BARE),
]

CODE: Final = [
    kind(
        "github token",
        "GitHub",
        [f"{prefix}_⟨b62:36⟩" for prefix in ("ghp", "gho", "ghs", "ghu", "ghr")],
        BARE + env("GITHUB_TOKEN"),
    ),
    kind(
        "github fine-grained token",
        "GitHub",
        "github_pat_⟨b62:22⟩_⟨b62:59⟩",
        [*BARE, "git clone https://x-access-token:⟨⟩@github.com/acme/⟨word⟩"],
    ),
    kind("gitlab token", "GitLab", "glpat-⟨b64u:20⟩", BARE + env("GITLAB_TOKEN")),
    kind("gitlab runner token", "GitLab", "glrt-⟨b64u:20⟩", BARE),
    kind("npm token", "npm", "npm_⟨b62:36⟩", [*BARE, "npm ERR! token ⟨⟩ was revoked"]),
    kind("pypi token", "PyPI", "pypi-AgEIcHlwaS5vcmc⟨b64u:140-180⟩", BARE),
]

SERVICES: Final = [
    kind(
        "slack token",
        "Slack",
        [
            "xoxb-⟨digits:12⟩-⟨digits:13⟩-⟨b62:24⟩",
            "xoxp-⟨digits:12⟩-⟨digits:12⟩-⟨digits:13⟩-⟨hex:32⟩",
            "xapp-1-A⟨ALNUM:10⟩-⟨digits:13⟩-⟨hex:64⟩",
        ],
        BARE + env("SLACK_BOT_TOKEN"),
    ),
    kind(
        "slack webhook",
        "Slack",
        "⟨b62:24⟩",
        [
            "curl -d @m.json https://hooks.slack.com/services/T⟨ALNUM:8⟩/B⟨ALNUM:10⟩/⟨⟩",
            '{"webhook": "https://hooks.slack.com/services/T⟨ALNUM:10⟩/B⟨ALNUM:10⟩/⟨⟩"}',
        ],
    ),
    kind(
        "discord webhook",
        "Discord",
        "⟨b64u:68⟩",
        [
            "POST https://discord.com/api/webhooks/⟨digits:18⟩/⟨⟩ 404",
            "DISCORD_HOOK=https://discord.com/api/webhooks/⟨digits:19⟩/⟨⟩",
        ],
    ),
    kind(
        "stripe key",
        "Stripe",
        [SK + "live_⟨b62:24-99⟩", "rk_live_⟨b62:24-99⟩", SK + "test_⟨b62:24-99⟩"],
        BARE + field("stripe.api_key"),
    ),
    kind("stripe webhook secret", "Stripe", "whsec_⟨b64:32⟩", BARE + env("STRIPE_WEBHOOK_SECRET")),
    kind("openai key", "OpenAI", "sk-proj-⟨b64u:48-156⟩", BARE + env("OPENAI_API_KEY")),
    kind("anthropic key", "Anthropic", "sk-ant-api03-⟨b64u:93⟩AA", BARE + header("x-api-key")),
    kind("hugging face token", "Hugging Face", "hf_⟨letters:34⟩", BARE + env("HF_TOKEN")),
    kind("groq key", "Groq", "gsk_⟨b62:52⟩", BARE),
    kind("linear key", "Linear", "lin_api_⟨b62:40⟩", BARE + header("Authorization")),
    kind("sendgrid key", "SendGrid", "SG.⟨b64u:22⟩.⟨b64u:43⟩", BARE + env("SENDGRID_API_KEY")),
    kind("twilio auth token", "Twilio", "⟨hex:32⟩", env("TWILIO_AUTH_TOKEN") + field("auth_token")),
    kind("twilio key", "Twilio", "SK⟨hex:32⟩", BARE),
    kind(
        "telegram bot token",
        "Telegram",
        "⟨digits:10⟩:AA⟨b64u:33⟩",
        [*BARE, "GET https://api.telegram.org/bot⟨⟩/getMe"],
    ),
    kind("age key", "age", "AGE-SECRET-KEY-1⟨bech32:58⟩", BARE),
    kind("stuckbot token", "StuckBot", [f"sb{letter}_⟨b62:61⟩" for letter in "aek"], BARE),
]

REQUESTS: Final = [
    kind("bearer jwt", "JWT", "⟨jwt⟩", [*BARE, "Authorization: Bearer ⟨⟩", "access_token=⟨⟩"]),
    kind(
        "basic",
        "HTTP",
        "⟨basic⟩",
        [line.replace("⟨⟩", "Basic ⟨⟩") for line in header("Authorization")],
    ),
    kind(
        "opaque bearer",
        "HTTP",
        ["⟨b64u:43⟩", "⟨hex:64⟩", "⟨b62:32⟩"],
        [line.replace("⟨⟩", "Bearer ⟨⟩") for line in header("Authorization")],
    ),
    kind("key header", "HTTP", ["⟨b62:32⟩", "⟨hex:40⟩"], header("X-Api-Key")),
    kind(
        "session cookie",
        "HTTP",
        "⟨b62:32-64⟩",
        [
            "Cookie: sessionid=⟨⟩",
            "Cookie: theme=dark; sessionid=⟨⟩; lang=en",
            "curl -b 'sessionid=⟨⟩' https://⟨host⟩/⟨word⟩",
            "Set-Cookie: sessionid=⟨⟩; Path=/; HttpOnly; Secure",
        ],
    ),
    kind(
        "signed url",
        "HTTP",
        ["⟨hex:64⟩", "⟨b64:43⟩%3D", "⟨b64u:43⟩"],
        [
            "GET https://acme.s3.amazonaws.com/⟨word⟩.tgz?X-Amz-Expires=300&X-Amz-Signature=⟨⟩ 403",
            "https://acme.blob.core.windows.net/⟨word⟩/a.zip?sv=2024-05-04&sig=⟨⟩&se=⟨time⟩",
            "fetch('https://⟨host⟩/v1/⟨word⟩?access_token=⟨⟩')",
            '{"url": "https://⟨host⟩/v1/⟨word⟩?limit=10&api_key=⟨⟩"}',
        ],
    ),
]

_URLS: Final = [
    "postgres://⟨user⟩:⟨⟩@⟨host⟩:5432/⟨word⟩",
    "postgresql+psycopg://⟨user⟩:⟨⟩@⟨host⟩/⟨word⟩?sslmode=require",
    "mongodb+srv://⟨user⟩:⟨⟩@c⟨n⟩.example.net/⟨word⟩",
    "redis://:⟨⟩@⟨host⟩:6379/0",
    "amqp://⟨user⟩:⟨⟩@⟨host⟩:5672/%2f",
    "mysql://⟨user⟩:⟨⟩@⟨host⟩/⟨word⟩",
    "smtp://⟨user⟩:⟨⟩@mail.example.net:587",
    "ftp://⟨user⟩:⟨⟩@⟨host⟩/⟨word⟩.csv",
    "https://⟨user⟩:⟨⟩@⟨host⟩/⟨word⟩.git",
]
_AROUND_URLS: Final = [
    "could not connect to {}",
    "DATABASE_URL={}",
    '{{"url": "{}", "pool": 5}}',
    "⟨time⟩ ERROR ⟨word⟩: {} refused the login",
    '    "{}",',
]
URL_FRAMES: Final = [
    around.replace("{}", url).replace("{{", "{").replace("}}", "}")
    for around in _AROUND_URLS
    for url in _URLS
]


def _encoded_password(rng: random.Random) -> Secret:
    drawn = "".join(rng.choices(words.ALPHABETS["b62"] + "@:/?#%+ ", k=rng.randint(6, 30)))
    value = quote(drawn, safe="")
    return Secret(value, among_others(rng, fill(rng, rng.choice(URL_FRAMES), value)))


def _raw_password(rng: random.Random) -> Secret:
    """With an @ or a colon that should have been encoded and was not."""
    value = fill(rng, rng.choice(["⟨b62:4-10⟩@⟨b62:3-10⟩", "⟨b62:4-10⟩:⟨b62:3-10⟩", "P@ss⟨b62:4⟩"]))
    return Secret(value, among_others(rng, fill(rng, rng.choice(URL_FRAMES), value)))


URLS: Final = [
    kind("url password", "databases", "⟨urlpw⟩", URL_FRAMES),
    Kind("encoded url password", "databases", _encoded_password),
    Kind("raw url password", "databases", _raw_password),
]

_LABELS: Final = ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY"]
_MORE_LABELS: Final = ["ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK"]

KEYS: Final = [
    kind("pem", "PEM", "⟨pem:4-26⟩", [pem(label) for label in _LABELS + _MORE_LABELS]),
    kind(
        "escaped pem",
        "PEM",
        "⟨pemn:4-26⟩",
        [f'KEY="{pem(label, newline=chr(92) + "n")}"' for label in _LABELS]
        + [f'{{"key": "{pem(label, newline=chr(92) + "n")}"}}' for label in _LABELS],
    ),
    kind("cut pem", "PEM", "⟨pem:3-9⟩", [f"-----BEGIN {label}-----\n⟨⟩" for label in _LABELS]),
]

_SECRET_KEYS: Final = ["password", "Passwd", "client_secret", "apiKey", "x-api-key", "secret"]

KEYED: Final = [
    kind(
        "password in json",
        "JSON",
        ["⟨pw⟩", "⟨plainpw⟩"],
        [f'{{"{key}": "⟨⟩"}}' for key in _SECRET_KEYS]
        + [f'{{"db": {{"host": "⟨host⟩", "{key}":"⟨⟩"}}}}' for key in _SECRET_KEYS]
        + [f'{{"accounts": [{{"user": "⟨user⟩", "{key}": "⟨⟩"}}]}}' for key in _SECRET_KEYS],
    ),
    kind(
        "json in json",
        "JSON",
        "⟨plainpw⟩",
        [
            '{"body": "{\\"user\\":\\"⟨user⟩\\",\\"password\\":\\"⟨⟩\\"}"}',
            'body="{\\"password\\":\\"⟨⟩\\",\\"remember\\":true}"',
        ],
    ),
    kind("password variable", "shells", "⟨pw⟩", ["DB_PASSWORD=⟨⟩", "export DB_PASSWORD=⟨⟩"]),
    kind("password setting", "YAML", "⟨pw⟩", ["password: ⟨⟩", "  password: ⟨⟩\n  port: 5432"]),
    kind(
        "quoted password",
        "shells",
        "⟨quotedpw⟩",
        ["DB_PASSWORD='⟨⟩'", 'password: "⟨⟩"', 'password = "⟨⟩"', "--password '⟨⟩'"],
    ),
    kind(
        "secret variable",
        "shells",
        ["⟨b62:24-64⟩", "⟨hex:32-64⟩"],
        [*env("API_KEY"), *env("AUTH_TOKEN"), *env("CLIENT_SECRET"), *env("ACCESS_TOKEN")],
    ),
    kind(
        "password flag",
        "shells",
        "⟨pw⟩",
        [
            "acme login --user ⟨user⟩ --password ⟨⟩",
            "acme login --password=⟨⟩ --host ⟨host⟩",
            "mysql -h ⟨host⟩ -u ⟨user⟩ -p⟨⟩ ⟨word⟩",
            "curl -u admin:⟨⟩ https://⟨host⟩/⟨word⟩",
        ],
    ),
    kind(
        "unknown prefix",
        "nobody",
        ["acme_⟨b62:28-48⟩", "zq_⟨b62:32⟩", "tkn_live_⟨b62:40⟩", "wx2_⟨b62:36⟩"],
        BARE,
    ),
]


def _wrapped_token(rng: random.Random) -> Secret:
    """A token of known length that a log broke in two."""
    shapes = ["ghp_⟨b62:36⟩", "npm_⟨b62:36⟩", "AKIA⟨b32:16⟩", "glpat-⟨b64u:20⟩", "AIza⟨b64u:35⟩"]
    token = fill(rng, rng.choice(shapes))
    cut = rng.randint(8, len(token) - 8)
    value = f"{token[:cut]}\n{token[cut:]}"
    return Secret(value, fill(rng, "⟨time⟩ ERROR token ⟨⟩ was refused", value))


def _wrapped_pem(rng: random.Random) -> Secret:
    body = fill(rng, "⟨pem:6⟩")
    value = body[:90] + "\n" + body[90:]
    return Secret(value, fill(rng, pem(rng.choice(_LABELS)), value))


def _twice(rng: random.Random) -> Secret:
    """Told by its key once; then percent-encoded, and alone."""
    value = fill(rng, "⟨b62:8-20⟩+⟨b62:3-9⟩")
    alone = fill(rng, "the proxy logged ⟨⟩ as well", value)
    encoded = fill(rng, "GET /login?next=%2F&p=⟨⟩ 401", quote(value, safe=""))
    return Secret(value, f"DB_PASSWORD={value}", (encoded, alone))


WRITTEN_ODDLY: Final = [
    Kind("wrapped token", "logs", _wrapped_token),
    Kind("wrapped pem", "logs", _wrapped_pem),
    Kind("the same twice", "logs", _twice),
]

KNOWN: Final = [
    *CLOUDS,
    *CODE,
    *SERVICES,
    *REQUESTS,
    *URLS,
    *KEYS,
    *KEYED,
    *WRITTEN_ODDLY,
    *TOOLS,
    *BRANDS,
]
