"""The known half of what must stay: it only looks like a secret, or talks about one."""

from typing import Final

from tests.masking.corpus.making import LookAlike, look_alike

HASHES: Final = [
    look_alike(
        "commit id",
        "commit ⟨hex:40⟩\nAuthor: Ana <ana@example.com>",
        "HEAD is now at ⟨hex:7⟩ ⟨word⟩: Fix the ⟨word⟩",
        '{"sha": "⟨hex:40⟩", "tree": {"sha": "⟨hex:40⟩"}}',
        "index ⟨hex:7⟩..⟨hex:7⟩ 100644",
        "   ⟨hex:8⟩..⟨hex:8⟩  main -> main",
    ),
    look_alike("uuid", "task ⟨uuid⟩ failed", '{"id": "⟨uuid⟩", "parent": "⟨uuid⟩"}', "⟨UUID⟩"),
    look_alike("ulid", "event 01J⟨bech32:23⟩ stored", '{"id": "01H⟨bech32:23⟩"}'),
    look_alike(
        "sha-256",
        "digest: sha256:⟨hex:64⟩",
        "⟨hex:64⟩  dist/⟨word⟩-⟨ver⟩.tar.gz",
        "FROM python:3.11-slim@sha256:⟨hex:64⟩",
        "Pulling fs layer ⟨hex:12⟩: Pull complete",
        "SHA256 checksum ⟨hex:64⟩ does not match ⟨hex:64⟩",
    ),
    look_alike("md5 sums", "⟨hex:32⟩  ./⟨word⟩.csv\n⟨hex:32⟩  ./⟨word⟩.csv"),
    look_alike("sha-512", "⟨hex:128⟩  ⟨word⟩.iso"),
    look_alike(
        "sri",
        '"integrity": "sha512-⟨b64:86⟩=="',
        "      integrity: sha512-⟨b64:86⟩==",
        '<script src="/⟨word⟩.js" integrity="sha384-⟨b64:64⟩" crossorigin="anonymous">',
    ),
    look_alike(
        "etag", 'ETag: "⟨hex:32⟩"', 'etag: W/"⟨hex:4⟩-⟨b64:27⟩"', 'If-None-Match: "⟨hex:32⟩-⟨n⟩"'
    ),
    look_alike(
        "package hash",
        "    --hash=sha256:⟨hex:64⟩ \\\n    --hash=sha256:⟨hex:64⟩",
        "github.com/acme/⟨word⟩ v1.⟨n⟩.0 h1:⟨b64:43⟩=",
        'checksum = "⟨hex:64⟩"',
        '  resolved "https://registry.example/⟨word⟩/-/⟨word⟩-⟨ver⟩.tgz#⟨hex:40⟩"',
    ),
]

DATA: Final = [
    look_alike(
        "picture",
        "data:image/png;base64,iVBORw0KGgo⟨b64:900⟩=",
        'src="data:image/svg+xml;base64,⟨b64:400⟩"',
        '{"screenshot": "iVBORw0KGgoAAAANSUhEUgAA⟨b64:1200⟩=="}',
    ),
    look_alike("source map", "//# sourceMappingURL=data:application/json;base64,⟨json64⟩⟨b64:300⟩"),
    look_alike("font", "src: url(data:font/woff2;base64,d09GMgABAAAAA⟨b64:600⟩) format('woff2');"),
    look_alike(
        "public key",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI⟨b64:43⟩ user@host",
        "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQ⟨b64:340⟩== ci@build",
        "-----BEGIN PUBLIC KEY-----\n⟨pem:5⟩\n-----END PUBLIC KEY-----",
        "github.com ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ⟨b64:500⟩=",
    ),
    look_alike(
        "certificate",
        "-----BEGIN CERTIFICATE-----\n⟨pem:14⟩\n-----END CERTIFICATE-----",
        '{"ca": "-----BEGIN CERTIFICATE-----\\n⟨pemn:14⟩\\n-----END CERTIFICATE-----"}',
    ),
    look_alike(
        "cursor", '{"next_cursor": "⟨json64⟩"}', "GET /tickets?cursor=⟨json64⟩&limit=50 200"
    ),
    look_alike(
        "hexdump", "00000⟨hex:3⟩: ⟨hex:4⟩ ⟨hex:4⟩ ⟨hex:4⟩ ⟨hex:4⟩ ⟨hex:4⟩ ⟨hex:4⟩  ..⟨lower:8⟩.."
    ),
]

NAMES: Final = [
    look_alike(
        "module path",
        "node_modules/.pnpm/@babel+core@⟨ver⟩/node_modules/@babel/core",
        "/usr/lib/python3.11/site-packages/⟨word⟩_⟨word⟩/management/commands/__init__.py",
        "at Object.<anonymous> (/home/ci/builds/⟨word⟩/⟨word⟩/node_modules/jest-runtime/build/index.js:⟨n⟩:⟨n⟩)",
    ),
    look_alike(
        "stack trace",
        'File "core/handlers/base.py", line 197, in _get_response',
        "\tat com.acme.⟨word⟩.⟨camel⟩.handle⟨camel⟩(⟨camel⟩.java:⟨n⟩)",
        "goroutine ⟨n⟩ [running]:\nmain.⟨camel⟩(0xc000⟨hex:6⟩, 0x⟨n⟩)",
        "   at Acme.⟨camel⟩.<⟨camel⟩>d__⟨n⟩.MoveNext() in /src/⟨camel⟩.cs:line ⟨n⟩",
    ),
    look_alike(
        "identifier",
        "test_userCan⟨camel⟩WithToken2",
        "tests/test_⟨word⟩.py::Test⟨camel⟩::test_it_⟨snake⟩ FAILED",
        "org.acme.⟨word⟩.Abstract⟨camel⟩FactoryBean⟨n⟩Impl",
        "constraint fk_⟨snake⟩_id on table ⟨snake⟩",
    ),
    look_alike(
        "pod",
        "⟨word⟩-api-⟨hex:9⟩-⟨alnum:5⟩   0/1   CrashLoopBackOff   ⟨n⟩",
        "pod/my-app-⟨hex:10⟩-⟨alnum:5⟩ evicted",
    ),
    look_alike(
        "cloud object",
        "s3://bucket/2026/03/01/part-000⟨n⟩-⟨uuid⟩.snappy.parquet",
        "arn:aws:iam::⟨digits:12⟩:role/ci",
        "arn:aws:lambda:eu-west-1:⟨digits:12⟩:function:⟨word⟩-⟨word⟩",
        "i-0⟨hex:16⟩ in vpc-⟨hex:17⟩, subnet-0⟨hex:16⟩, sg-⟨hex:8⟩",
    ),
    look_alike(
        "trace", "traceparent: 00-⟨hex:32⟩-⟨hex:16⟩-01", "trace_id=⟨hex:32⟩ span_id=⟨hex:16⟩"
    ),
    look_alike(
        "request id", "X-Request-Id: ⟨hex:32⟩", "x-amzn-RequestId: ⟨uuid⟩", "req_⟨b62:24⟩ failed"
    ),
    look_alike(
        "chunk",
        "GET /static/js/main.⟨hex:8⟩.chunk.js 200",
        "dist/assets/⟨camel⟩-⟨b62:8⟩.js  ⟨n⟩ kB",
    ),
    look_alike(
        "payment objects", "cus_⟨b62:14⟩ and pi_⟨b62:24⟩", '{"id": "evt_1⟨b62:23⟩"}', "ch_3⟨b62:23⟩"
    ),
    look_alike("chat ids", "channel C0⟨ALNUM:9⟩, user U0⟨ALNUM:9⟩", '{"ts": "⟨epoch⟩.⟨digits:6⟩"}'),
]

SMALL: Final = [
    look_alike("colour", "color: #c0ffee; background: #⟨hex:6⟩", "--accent: #⟨hex:8⟩;"),
    look_alike(
        "address",
        "⟨ip⟩:5432",
        "fe80::⟨hex:4⟩:⟨hex:4⟩:⟨hex:4⟩:⟨hex:4⟩",
        "inet6 2001:db8::⟨hex:4⟩/64",
    ),
    look_alike(
        "version", "v⟨ver⟩-rc.⟨n⟩+build.⟨n⟩", "⟨word⟩==⟨ver⟩", "Python 3.11.⟨n⟩ (main, GCC 12.2.0)"
    ),
    look_alike("time", "⟨time⟩", "Date: Sun, 01 Mar 2026 12:00:⟨n⟩ GMT", "took ⟨ms⟩ms at ⟨epoch⟩"),
    look_alike("locale", "LANG=en_US.UTF-8 LC_ALL=C.UTF-8", "Accept-Language: en-US,en;q=0.9"),
    look_alike(
        "mail address", "Contact ⟨word⟩.team+⟨word⟩@example.com", "Signed-off-by: Ana <ana@acme.io>"
    ),
]

ABOUT: Final = [
    look_alike(
        "prose",
        "The password is wrong. Reset your password at the login page.",
        "The token has expired, so the ⟨word⟩ job could not log in; ask for a new token.",
        "Password: must be at least 12 characters long and hold a digit.",
        "I do not have the secret for ⟨word⟩. The API key is kept by the platform team.",
        'error: password authentication failed for user "⟨user⟩"',
    ),
    look_alike(
        "url without a secret",
        "postgres://localhost:5432/⟨word⟩",
        "postgres://⟨user⟩@⟨host⟩/⟨word⟩",
        "postgres://⟨user⟩:${DB_PASSWORD}@⟨host⟩/⟨word⟩",
        "git@github.com:acme/⟨word⟩.git",
        "https://⟨host⟩:⟨port⟩/⟨word⟩?page=2&sort=asc",
        "redis://⟨host⟩:6379/0",
    ),
    look_alike(
        "placeholder",
        "password=<your-password>",
        "API_KEY=xxxx",
        '{"apiKey": "xxxx"}',
        "token: ${{ secrets.TOKEN }}",
        "SECRET=$SECRET",
        '{"password": null, "user": "⟨user⟩"}',
        '{"password": ""}',
        "password: ********",
        "OPENAI_API_KEY=sk-your-key-here",
        "sk_test_XXXXXXXXXXXXXXXXXXXXXXXX",
        "curl -u user:<password> https://⟨host⟩",
    ),
    look_alike(
        "documentation value",
        "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
        "use AKIAIOSFODNN7EXAMPLE here",
    ),
    look_alike(
        "code that fetches",
        "password = getpass.getpass()",
        'token = os.environ["TOKEN"]',
        "secret: !vault ⟨word⟩",
        'password = settings.DATABASES["default"]["PASSWORD"]',
        "const apiKey = process.env.⟨UPPER:6⟩_API_KEY;",
        'token := os.Getenv("API_TOKEN")',
        "api_key = config.get('⟨word⟩', 'api_key')",
    ),
    look_alike(
        "key that only sounds secret",
        "token_count=⟨ms⟩",
        "max_tokens: 4096",
        "password_min_length: 12",
        "secret_name: db-creds",
        '{"tokens": ⟨ms⟩, "tokenizer": "cl100k_base", "author": "keyboard"}',
        "primary_key = ⟨word⟩_id",
        "secretName: ⟨word⟩-tls",
        '{"usage": {"prompt_tokens": ⟨ms⟩, "completion_tokens": ⟨n⟩}}',
        "foreign key (⟨word⟩_id) references ⟨word⟩ (id)",
    ),
    look_alike(
        "redaction",
        "password: [REDACTED]",
        "##[debug]token: ***",
        "(sensitive value)",
        "Authorization: [REDACTED]",
    ),
    look_alike(
        "publishable key",
        "pk_live_⟨b62:24⟩",
        "pk_test_⟨b62:99⟩",
        'data-sitekey="6L⟨b64u:38⟩"',
    ),
]

LOOK_ALIKES: Final[list[LookAlike]] = [*HASHES, *DATA, *NAMES, *SMALL, *ABOUT]
