"""Held out as well: places and ways of writing that no rule was written for.

Those who write rules do not read this file.
"""

from typing import Final

from tests.masking.corpus.making import kind

_PASSWORDS: Final = ["⟨plainpw⟩", "⟨pw⟩"]

CONNECTIONS: Final = [
    kind(
        "odbc",
        "ODBC",
        "⟨plainpw⟩",
        [
            'conn = pyodbc.connect("Driver={ODBC Driver 18 for SQL Server};Server=⟨host⟩;Uid=⟨user⟩;Pwd=⟨⟩;Encrypt=yes")',
            "Driver={MySQL};Server=⟨host⟩;Database=⟨word⟩;UID=⟨user⟩;PWD=⟨⟩;",
        ],
    ),
    kind(
        "ado.net",
        ".NET",
        "⟨plainpw⟩",
        [
            '"ConnectionStrings": { "Default": "Server=⟨host⟩;Database=⟨word⟩;User Id=⟨user⟩;Password=⟨⟩;TrustServerCertificate=true" }',
            "Data Source=⟨host⟩;Initial Catalog=⟨word⟩;User ID=⟨user⟩;Password=⟨⟩",
        ],
    ),
    kind(
        "jdbc",
        "Java",
        "⟨plainpw⟩",
        [
            "jdbc:mysql://⟨host⟩:3306/⟨word⟩?user=⟨user⟩&password=⟨⟩&useSSL=false",
            "spring.datasource.url=jdbc:sqlserver://⟨host⟩:1433;database=⟨word⟩;user=⟨user⟩;password=⟨⟩;encrypt=true",
            "jdbc:postgresql://⟨host⟩/⟨word⟩?user=⟨user⟩&password=⟨⟩",
        ],
    ),
    kind(
        "jdbc thin",
        "Oracle",
        "⟨plainpw⟩",
        [
            "sqlplus ⟨user⟩/⟨⟩@⟨host⟩:1521/ORCL",
            "url=jdbc:oracle:thin:⟨user⟩/⟨⟩@//⟨host⟩:1521/XEPDB1",
        ],
    ),
    kind(
        "libpq",
        "PostgreSQL tools",
        _PASSWORDS,
        [
            'psql "host=⟨host⟩ dbname=⟨word⟩ user=⟨user⟩ password=⟨⟩ sslmode=require"',
            "dsn = 'dbname=⟨word⟩ user=⟨user⟩ password=⟨⟩ host=⟨host⟩'",
        ],
    ),
    kind(
        "pgpassword",
        "PostgreSQL variables",
        _PASSWORDS,
        [
            "PGPASSWORD=⟨⟩ psql -h ⟨host⟩ -U ⟨user⟩ -c 'select 1'",
            "PGPASSWORD='⟨⟩' pg_dump -h ⟨host⟩ ⟨word⟩ > ⟨word⟩.sql",
        ],
    ),
    kind(
        "pgpass",
        "PostgreSQL files",
        "⟨plainpw⟩",
        [
            "$ cat ~/.pgpass\n⟨host⟩:5432:⟨word⟩:⟨user⟩:⟨⟩",
            "echo '⟨host⟩:5432:*:⟨user⟩:⟨⟩' > ~/.pgpass",
        ],
    ),
    kind(
        "jaas",
        "Kafka",
        _PASSWORDS,
        [
            'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="⟨user⟩" password="⟨⟩";',
            '  sasl.jaas.config: \'org.apache.kafka.common.security.scram.ScramLoginModule required username="⟨user⟩" password="⟨⟩";\'',
        ],
    ),
    kind("nats", "NATS", "⟨b62:22⟩", ["nats -s nats://⟨user⟩:⟨⟩@⟨host⟩:4222 pub ⟨word⟩ hi"]),
    kind(
        "clickhouse",
        "ClickHouse",
        "⟨plainpw⟩",
        [
            "clickhouse-client --host ⟨host⟩ --user default --password ⟨⟩ -q 'select 1'",
            "clickhouse://default:⟨⟩@⟨host⟩:9440/⟨word⟩?secure=true",
        ],
    ),
]

FILES: Final = [
    kind(
        "npmrc",
        "private registries",
        ["⟨b62:40⟩", "⟨uuid⟩", "⟨bytes64:30⟩"],
        [
            "//npm.acme.io/:_authToken=⟨⟩",
            "registry=https://npm.acme.io/\n//npm.acme.io/:_authToken=⟨⟩\nalways-auth=true",
            "//⟨host⟩/repository/npm/:_password=⟨⟩",
        ],
    ),
    kind(
        "pip index",
        "private indexes",
        "⟨plainpw⟩",
        [
            "pip install --index-url https://⟨user⟩:⟨⟩@pypi.acme.io/simple ⟨word⟩",
            "[global]\nextra-index-url = https://⟨user⟩:⟨⟩@⟨host⟩/simple/",
            "Looking in indexes: https://⟨user⟩:⟨⟩@⟨host⟩/simple",
        ],
    ),
    kind(
        "maven",
        "Maven",
        "⟨plainpw⟩",
        [
            "<server>\n  <id>⟨word⟩</id>\n  <username>⟨user⟩</username>\n  <password>⟨⟩</password>\n</server>"
        ],
    ),
    kind(
        "gradle",
        "Gradle",
        "⟨plainpw⟩",
        [
            "signing.keyId=⟨HEX:8⟩\nsigning.password=⟨⟩",
            "    credentials {\n        username = '⟨user⟩'\n        password = '⟨⟩'\n    }",
            "RELEASE_STORE_PASSWORD=⟨⟩",
        ],
    ),
    kind(
        "java properties",
        "Spring",
        "⟨plainpw⟩",
        [
            "spring.datasource.username=⟨user⟩\nspring.datasource.password=⟨⟩",
            "spring.mail.password = ⟨⟩",
            "jwt.secret=⟨⟩",
        ],
    ),
    kind(
        "xml attribute",
        "Tomcat",
        "⟨plainpw⟩",
        [
            '<Resource name="jdbc/⟨word⟩" username="⟨user⟩" password="⟨⟩" url="jdbc:mysql://⟨host⟩/⟨word⟩"/>',
            '<user username="⟨user⟩" password="⟨⟩" roles="manager-gui"/>',
        ],
    ),
    kind(
        "xml setting",
        ".NET files",
        "⟨plainpw⟩",
        ['<add key="SmtpPassword" value="⟨⟩" />', '<add key="ApiSecret" value="⟨⟩"/>'],
    ),
    kind(
        "hcl",
        "HCL",
        _PASSWORDS,
        [
            '  master_username = "⟨user⟩"\n  master_password = "⟨⟩"',
            'variable "db_password" {\n  default = "⟨⟩"\n}',
            'admin_password      = "⟨⟩"',
        ],
    ),
    kind(
        "php define",
        "PHP",
        "⟨quotedpw⟩",
        ["define('DB_PASSWORD', '⟨⟩');", "define( 'AUTH_KEY', '⟨⟩' );", "$db_pass = '⟨⟩';"],
    ),
    kind(
        "laravel key",
        "Laravel",
        "⟨bytes64:32⟩",
        ["APP_KEY=base64:⟨⟩", "APP_ENV=production\nAPP_KEY=base64:⟨⟩\nAPP_DEBUG=false"],
    ),
    kind(
        "django key",
        "Django",
        ["⟨quotedpw⟩⟨alnum:20⟩"],
        ["SECRET_KEY = '⟨⟩'", 'SECRET_KEY = "django-insecure-⟨⟩"'],
    ),
    kind(
        "rails key",
        "Rails",
        "⟨hex:128⟩",
        ["secret_key_base: ⟨⟩", "SECRET_KEY_BASE=⟨⟩", "RAILS_MASTER_KEY=⟨⟩"],
    ),
    kind(
        "ini",
        "ini",
        _PASSWORDS,
        [
            "[client]\nuser=⟨user⟩\npassword=⟨⟩",
            "[smtp]\nhost = ⟨host⟩\npass = ⟨⟩",
            "[database]\ntype = mysql\npasswd = ⟨⟩",
        ],
    ),
    kind(
        "toml",
        "toml",
        _PASSWORDS,
        ['[http-basic.⟨word⟩]\nusername = "⟨user⟩"\npassword = "⟨⟩"', '[auth]\nsecret_key = "⟨⟩"'],
    ),
    kind(
        "ansible",
        "Ansible",
        _PASSWORDS,
        ["⟨host⟩ ansible_user=⟨user⟩ ansible_ssh_pass=⟨⟩", "ansible_become_password: ⟨⟩"],
    ),
    kind(
        "wireguard",
        "WireGuard",
        "⟨bytes64:32⟩",
        ["[Interface]\nPrivateKey = ⟨⟩\nAddress = ⟨ip⟩/24", "PresharedKey = ⟨⟩"],
    ),
    kind("wifi", "Wi-Fi", "⟨plainpw⟩", ['network={\n  ssid="⟨word⟩"\n  psk="⟨⟩"\n}']),
]

CLUSTERS: Final = [
    kind(
        "kubeconfig key",
        "Kubernetes",
        "⟨key64:24⟩",
        ["    client-certificate-data: ⟨cert64:14⟩\n    client-key-data: ⟨⟩"],
    ),
    kind(
        "cluster env",
        "Kubernetes pods",
        ["⟨b62:32⟩", "⟨plainpw⟩"],
        [
            "        - name: DB_PASSWORD\n          value: ⟨⟩",
            '        - name: API_SECRET\n          value: "⟨⟩"',
            '{"containerDefinitions": [{"environment": [{"name": "DB_PASSWORD", "value": "⟨⟩"}]}]}',
        ],
    ),
    kind(
        "cluster secret",
        "Kubernetes secrets",
        "⟨bytes64:18⟩",
        [
            "kind: Secret\ndata:\n  password: ⟨⟩\ntype: Opaque",
            "apiVersion: v1\ndata:\n  API_TOKEN: ⟨⟩\nkind: Secret",
        ],
    ),
    kind(
        "swarm",
        "Swarm",
        "SWMTKN-1-⟨alnum:50⟩-⟨alnum:25⟩",
        ["docker swarm join --token ⟨⟩ ⟨ip⟩:2377"],
    ),
    kind(
        "kubeadm",
        "kubeadm",
        "⟨alnum:6⟩.⟨alnum:16⟩",
        ["kubeadm join ⟨ip⟩:6443 --token ⟨⟩ --discovery-token-ca-cert-hash sha256:⟨hex:64⟩"],
    ),
]
