"""Held out as well: what must stay, of kinds that no rule was tried on.

Those who write rules do not read this file.
"""

from typing import Final

from tests.masking.corpus.making import LookAlike, look_alike

BUILDS: Final = [
    look_alike(
        "image layers",
        "#⟨n⟩ sha256:⟨hex:64⟩ 31.36MB / 31.36MB 2.1s done",
        "⟨hex:12⟩: Layer already exists\nlatest: digest: sha256:⟨hex:64⟩ size: ⟨ms⟩",
        "Successfully built ⟨hex:12⟩",
        "CONTAINER ID   IMAGE\n⟨hex:12⟩   acme/⟨word⟩:⟨ver⟩",
    ),
    look_alike(
        "plan",
        "      ~ password = (sensitive value)\n      + id = (known after apply)",
        "aws_db_instance.⟨word⟩: Refreshing state... [id=db-⟨ALNUM:26⟩]",
        "  + secret_string = (sensitive value)",
    ),
    look_alike(
        "masked by ci",
        "  GITHUB_TOKEN: ***",
        "  DEPLOY_KEY: [MASKED]",
        "export API_TOKEN=<redacted>",
        "Using token ****ab12",
        "password=(hidden)",
    ),
    look_alike(
        "workflow",
        "      NODE_AUTH_TOKEN: ${{ secrets.NPM_TOKEN }}",
        "        with:\n          token: ${{ github.token }}",
        "variables:\n  DB_PASSWORD: $(db-password)",
        "  password: $CI_REGISTRY_PASSWORD",
        "permissions:\n  id-token: write\n  contents: read",
        "  api_key: {{ vault_api_key }}",
        "secrets: inherit",
    ),
    look_alike(
        "lock file",
        "  version: ⟨ver⟩\n  resolution: {integrity: sha512-⟨b64:86⟩==}",
        '  "content-hash": "⟨hex:32⟩",',
        '{file = "⟨word⟩-⟨ver⟩-py3-none-any.whl", hash = "sha256:⟨hex:64⟩"},',
        "Pinned: ⟨camel⟩ (⟨hex:40⟩)",
        '        "sha256": "0⟨alnum:51⟩",',
    ),
    look_alike(
        "coverage",
        "⟨word⟩/⟨word⟩_tokens.py      ⟨n⟩      ⟨n⟩    87%   12-14, 88",
        "tests/test_password_reset.py ..........F.....   [ ⟨n⟩%]",
    ),
    look_alike(
        "job urls",
        "https://ci.acme.io/acme/⟨word⟩/actions/runs/⟨digits:11⟩/job/⟨digits:11⟩",
        "https://ci.acme.io/job/⟨word⟩/⟨n⟩/console",
    ),
    look_alike(
        "merge",
        "Merge: ⟨hex:7⟩ ⟨hex:7⟩",
        "⟨hex:40⟩ refs/heads/⟨word⟩",
        "tree ⟨hex:40⟩\nparent ⟨hex:40⟩",
        "^⟨hex:8⟩ (Ana 2026-03-01 12:00:⟨n⟩ +0000 ⟨n⟩) password = None",
    ),
]

CODE: Final = [
    look_alike(
        "code that reads",
        'const token = await vault.read("secret/data/⟨word⟩");',
        "password: process.env.DB_PASSWORD,",
        'String apiKey = System.getenv("API_KEY");',
        'api_key = st.secrets["openai"]["api_key"]',
        "password = ENV.fetch('DB_PASSWORD')",
        "$password = getenv('DB_PASSWORD');",
        'let secret = std::env::var("APP_SECRET")?;',
        "token = request.headers.get('Authorization', '').removeprefix('Bearer ')",
        "self.password = password",
        "def login(self, username: str, password: str) -> Token:",
        "if not check_password(password, user.password):",
        "const { accessToken, refreshToken } = await login(user);",
        "password=os.getenv('PGPASSWORD', '')",
        "secret = generate_secret(length=32)",
        "auth_token = self._get_token()",
    ),
    look_alike(
        "pattern",
        "_TOKEN = re.compile(r'gh[pousr]_[A-Za-z0-9]{36}')",
        "password: /^(?=.*[A-Z])(?=.*[0-9]).{12,}$/",
        "grep -rE 'AKIA[0-9A-Z]{16}' .",
    ),
    look_alike(
        "schema",
        "password VARCHAR(255) NOT NULL,",
        '  "required": ["user", "password"],',
        "    api_key: Mapped[str] = mapped_column(String(64))",
        "ALTER TABLE users ADD COLUMN reset_token text;",
        "SELECT id, password_hash FROM users WHERE token IS NULL",
        "password = models.CharField(max_length=128)",
        "  token: string;\n  expiresAt: Date;",
    ),
    look_alike(
        "minified",
        "!function(e,t){var n=e.token||t.password;function r(e){return n[e]||(n[e]={exports:{}})}}(window,{});",
        'r.d(t,"⟨letters:2⟩",(function(){return ⟨letters:1⟩}));e.exports=n.p+"static/⟨word⟩.⟨hex:20⟩.svg"',
    ),
    look_alike(
        "type name",
        "java.lang.IllegalStateException: ⟨camel⟩TokenAuthenticationFilter⟨camel⟩",
        "E   django.core.exceptions.ImproperlyConfigured: The SECRET_KEY setting must not be empty.",
        "_ZN4core3fmt9Formatter9pad_⟨snake⟩17h⟨hex:16⟩E",
        "com.acme.security.JwtTokenProvider$$EnhancerBySpringCGLIB$$⟨hex:8⟩",
        "TypeError: Cannot read properties of undefined (reading 'accessToken')",
    ),
    look_alike(
        "css",
        ".⟨word⟩_⟨word⟩__⟨b62:5⟩ { margin: 0 }",
        'class="css-⟨alnum:7⟩-⟨camel⟩ MuiBox-root"',
        "filter: drop-shadow(0 0 2px #⟨hex:3⟩)",
    ),
    look_alike(
        "front page script",
        '<script nonce="⟨b64:22⟩==">',
        "Content-Security-Policy: script-src 'self' 'nonce-⟨b64:22⟩==' 'sha256-⟨b64:43⟩='",
    ),
]

CLUSTERS: Final = [
    look_alike(
        "cluster names",
        "serviceaccount/default-token-⟨alnum:5⟩",
        "    secretKeyRef:\n      name: ⟨word⟩-db\n      key: password",
        "deployment.apps/⟨word⟩ configured\nreplicaset.apps/⟨word⟩-⟨hex:10⟩ created",
        '  uid: ⟨uuid⟩\n  resourceVersion: "⟨digits:9⟩"',
        "secret/⟨word⟩-credentials unchanged",
        "imagePullSecrets:\n  - name: registry-credentials",
        "      volumes:\n      - name: kube-api-access-⟨alnum:5⟩",
    ),
    look_alike(
        "secret's address",
        "arn:aws:secretsmanager:eu-west-1:⟨digits:12⟩:secret:prod/⟨word⟩/db-⟨b62:6⟩",
        "projects/acme/secrets/⟨word⟩-key/versions/latest",
        "op://deploy/⟨word⟩/password",
        "vault kv get secret/⟨word⟩/database",
        "valueFrom: ssm:/prod/⟨word⟩/password",
        "DB_PASSWORD_FILE=/run/secrets/db_password",
        "keyVaultSecretUri: https://acme.vault.azure.net/secrets/⟨word⟩",
    ),
    look_alike(
        "cloud ids",
        "projects/acme-prod-⟨digits:6⟩/zones/europe-west1-b/instances/⟨word⟩-⟨alnum:4⟩",
        "/subscriptions/⟨uuid⟩/resourceGroups/⟨word⟩/providers/Microsoft.Web/sites/⟨word⟩",
        "ami-0⟨hex:16⟩ vol-0⟨hex:16⟩ eni-0⟨hex:16⟩",
        "distribution E⟨ALNUM:13⟩ (d⟨alnum:13⟩.cloudfront.net)",
        "RequestId: ⟨ALNUM:16⟩, HostId: ⟨b64:75⟩=",
        "ocid1.instance.oc1.eu-frankfurt-1.⟨alnum:60⟩",
    ),
    look_alike(
        "fingerprints",
        "SHA256:⟨b64:43⟩ ci@build (ED25519)",
        "SHA1 Fingerprint=AB:CD:⟨HEX:2⟩:⟨HEX:2⟩:⟨HEX:2⟩:⟨HEX:2⟩",
        "Key fingerprint = ⟨HEX:4⟩ ⟨HEX:4⟩ ⟨HEX:4⟩ ⟨HEX:4⟩ ⟨HEX:4⟩",
        "MD5:⟨hex:2⟩:⟨hex:2⟩:⟨hex:2⟩:⟨hex:2⟩:⟨hex:2⟩:⟨hex:2⟩",
    ),
    look_alike(
        "known hosts",
        "|1|⟨b64:27⟩=|⟨b64:27⟩= ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABB⟨b64:86⟩=",
        "⟨host⟩,⟨ip⟩ ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI⟨b64:43⟩",
    ),
    look_alike(
        "pgp public",
        "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n⟨pem:12⟩\n=⟨b64:4⟩\n-----END PGP PUBLIC KEY BLOCK-----",
        "-----BEGIN CERTIFICATE REQUEST-----\n⟨pem:9⟩\n-----END CERTIFICATE REQUEST-----",
        "-----BEGIN PGP SIGNATURE-----\n\n⟨pem:5⟩\n-----END PGP SIGNATURE-----",
    ),
    look_alike(
        "cluster ca",
        "    certificate-authority-data: ⟨cert64:14⟩",
    ),
]

SERVICES: Final = [
    look_alike(
        "service object ids",
        "price_1⟨b62:23⟩ prod_⟨b62:14⟩ sub_1⟨b62:23⟩",
        "in_1⟨b62:23⟩ has no payment method",
        "acct_1⟨b62:15⟩",
        '{"object": "file", "id": "file-⟨b62:24⟩"}',
        "run_⟨b62:24⟩ of asst_⟨b62:24⟩",
        "msg_01⟨b62:22⟩",
    ),
    look_alike(
        "model names",
        "model=gpt-4o-mini-2024-07-18",
        "sentence-transformers/all-MiniLM-L6-v2",
        "claude-3-5-sonnet-20241022",
        "meta-llama/Llama-3.1-8B-Instruct",
    ),
    look_alike(
        "video and page ids",
        "https://www.youtube.com/watch?v=⟨b64u:11⟩",
        "https://docs.example.com/d/1⟨b64u:43⟩/edit",
        "https://www.figma.example/file/⟨b62:22⟩/⟨word⟩",
        "https://acme.atlassian.example/browse/OPS-⟨ms⟩",
    ),
    look_alike(
        "measuring ids", "gtag('config', 'G-⟨ALNUM:10⟩');", "UA-⟨digits:8⟩-1", "GTM-⟨ALNUM:7⟩"
    ),
    look_alike(
        "queue",
        "SentMessageMetadata: MessageId=⟨uuid⟩ MD5=⟨hex:32⟩",
        "offset=⟨ms⟩ partition=⟨n⟩ key=⟨word⟩-⟨n⟩",
        "correlation_id=⟨hex:32⟩ delivery_tag=⟨n⟩",
    ),
    look_alike(
        "mail",
        "Message-ID: <⟨digits:14⟩.⟨hex:16⟩@mail.example.net>",
        "DKIM-Signature: v=1; a=rsa-sha256; bh=⟨b64:43⟩=; b=⟨b64:170⟩==",
        "Queued as ⟨HEX:10⟩ for <⟨word⟩@example.com>",
    ),
    look_alike(
        "paging",
        '{"nextPageToken": "⟨json64⟩", "items": []}',
        "GET /v2/⟨word⟩?page_token=⟨json64⟩ 200",
        '"endCursor": "Y3Vyc29yOnYyOpK5⟨b64u:40⟩"',
        "continuationToken: ⟨json64⟩",
    ),
]

SMALL: Final = [
    look_alike(
        "hardware address",
        "link/ether 02:42:⟨hex:2⟩:⟨hex:2⟩:⟨hex:2⟩:⟨hex:2⟩ brd ff:ff:ff:ff:ff:ff",
        "UUID=⟨uuid⟩ / ext4 defaults 0 1",
        "Serial Number: ⟨ALNUM:12⟩",
    ),
    look_alike(
        "windows",
        "HKEY_LOCAL_MACHINE\\SOFTWARE\\Classes\\CLSID\\{⟨UUID⟩}",
        "C:\\Users\\ana\\AppData\\Local\\Temp\\⟨word⟩-⟨hex:8⟩\\setup.exe",
        "PublicKeyToken=b77a5c561934e089",
    ),
    look_alike(
        "memory",
        "0x00007f⟨hex:10⟩ in __libc_start_main () from /lib64/libc.so.6",
        "Segmentation fault at 0x⟨hex:16⟩ rip 0x⟨hex:16⟩",
        "panic: runtime error [signal SIGSEGV code=0x1 addr=0x⟨hex:4⟩ pc=0x⟨hex:6⟩]",
    ),
    look_alike(
        "schedule",
        "*/5 * * * * /usr/local/bin/⟨word⟩ --quiet",
        "30 2 * * 1-5 root /opt/⟨word⟩/backup.sh",
    ),
    look_alike(
        "coordinates", "47.⟨digits:6⟩, 8.⟨digits:6⟩", "geo:47.37⟨digits:2⟩,8.54⟨digits:2⟩;u=35"
    ),
    look_alike(
        "phone",
        "Call +41 44 668 ⟨digits:2⟩ ⟨digits:2⟩",
        "IBAN CH93 0076 2011 6238 5295 7",
        "ISBN 978-3-16-148410-0",
    ),
    look_alike(
        "bibliography",
        "@article{⟨word⟩2026,\n  doi = {10.1000/⟨digits:6⟩},\n  author = {Key, A. and Token, B.}\n}",
    ),
    look_alike(
        "table",
        "| ⟨word⟩_tokens | ⟨ms⟩ | ⟨n⟩ |\n| key | value |",
        "key,value,count\n⟨word⟩,⟨camel⟩,⟨n⟩",
        "Passed: ⟨n⟩  Failed: ⟨n⟩  Tokens/s: ⟨ms⟩",
    ),
    look_alike(
        "access log",
        '⟨ip⟩ - - [01/Mar/2026:12:00:⟨n⟩ +0000] "GET /⟨word⟩/⟨uuid⟩?page=2 HTTP/1.1" 200 ⟨ms⟩ "-" "curl/8.5.0"',
        '"POST /oauth/token HTTP/1.1" 401 ⟨n⟩',
        '"GET /reset-password/done HTTP/2" 302 0',
    ),
    look_alike(
        "redis keys",
        "GET session:count:2026-03-01",
        "cache:⟨word⟩:⟨uuid⟩:v2",
        "TTL lock:⟨word⟩:⟨digits:8⟩ 30",
    ),
    look_alike(
        "emoji and languages",
        "Passwort vergessen? Bitte ein neues Passwort anfordern.",
        "Le mot de passe est incorrect.",
        "密码错误,请重试。",
    ),
]

ABOUT: Final = [
    look_alike(
        "talk",
        "Rotate the API key, then store the new token in the vault; nobody has its password.",
        "The secret is missing: create it with kubectl and run the job again.",
        "Token exchange failed: invalid_grant (token expired or revoked)",
        "WARNING! Using --password via the CLI is insecure. Use --password-stdin.",
        "Password authentication is disabled for ⟨host⟩, use a key.",
        "api key not found, token missing, password required",
        "Enter passphrase for key '/root/.ssh/id_ed25519':",
        "Which secret: the one named ⟨word⟩-db or the one named ⟨word⟩-cache?",
        "SyntaxError: Unexpected token < in JSON at position 0",
        "error: unexpected token: expected identifier, found keyword",
        "[sudo] password for ⟨user⟩:",
        "The access token is read from the environment by the runner.",
    ),
    look_alike(
        "settings about secrets",
        "password_hashers = argon2, pbkdf2",
        "token_url: https://⟨host⟩/oauth/token",
        "PASSWORD_RESET_TIMEOUT=259200",
        "token_type: bearer",
        "access_token_lifetime=3600",
        "auth_method = password",
        '{"password_required": true, "token_ttl": ⟨ms⟩, "key_size": 2048}',
        "ssh_key_path: ~/.ssh/id_ed25519",
        "secretsFolder=/run/secrets",
        '{"has_password": false, "apiKeyEnabled": true}',
        "keyboard_layout: de-ch",
        "sort_key=created_at partition_key=⟨word⟩_id",
        "password_encryption = scram-sha-256",
        "use_token_auth: true",
        "passthrough=1 bypass=off compass: north",
        "token_endpoint_auth_method: client_secret_post",
    ),
    look_alike(
        "made-up value",
        "password: <password>",
        "API_TOKEN=your_api_token_here",
        "api_key: YOUR_API_KEY",
        'token = "<insert token>"',
        "Authorization: Bearer <token>",
        "Authorization: Bearer $TOKEN",
        'curl -H "Authorization: Bearer ${ACCESS_TOKEN}" https://⟨host⟩/',
        "SECRET_KEY=...",
        "mysql -u root -p ⟨word⟩ < dump.sql",
        "https://<user>:<password>@⟨host⟩/",
        "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "PASSWORD=%DB_PASSWORD%",
        "password: {{ .Values.auth.password }}",
        "password = var.db_password",
        "postgres://user:<password>@⟨host⟩/⟨word⟩",
        "X-Api-Key: {api_key}",
        "export TOKEN=$(gcloud auth print-access-token)",
        "token: null",
    ),
    look_alike(
        "documentation sample",
        "aws_access_key_id = AKIAI44QH8DHBEXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    ),
]

HELD_OUT_LOOK_ALIKES: Final[list[LookAlike]] = [
    *BUILDS,
    *CODE,
    *CLUSTERS,
    *SERVICES,
    *SMALL,
    *ABOUT,
]
