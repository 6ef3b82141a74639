"""Of the known half, the kinds that a rule knows by their program, file or address.

They were held out until a rule named them.
"""

from typing import Final

from tests.masking.corpus.making import Kind, kind

_PASSWORDS: Final = ["⟨plainpw⟩", "⟨pw⟩"]

TOOLS: Final[list[Kind]] = [
    kind(
        "netrc",
        "netrc",
        _PASSWORDS,
        [
            "machine ⟨host⟩ login ⟨user⟩ password ⟨⟩",
            "machine ⟨host⟩\n  login ⟨user⟩\n  password ⟨⟩",
        ],
    ),
    kind(
        "shadow", "Unix", "$6$⟨b62:16⟩$⟨b62:86⟩", ["root:⟨⟩:19000:0:99999:7:::", '    passwd: "⟨⟩"']
    ),
    kind(
        "htpasswd",
        "Apache",
        "$apr1$⟨b62:8⟩$⟨b62:22⟩",
        ["$ cat .htpasswd\n⟨user⟩:⟨⟩", "basic auth users: ⟨user⟩:⟨⟩"],
    ),
    kind(
        "teams webhook",
        "Microsoft",
        "⟨hex:32⟩/⟨uuid⟩",
        [
            "TEAMS_URL=https://acme.webhook.office.com/webhookb2/⟨uuid⟩@⟨uuid⟩/IncomingWebhook/⟨⟩",
            "POST https://acme.webhook.office.com/webhookb2/⟨uuid⟩@⟨uuid⟩/IncomingWebhook/⟨⟩ 400",
        ],
    ),
    kind(
        "ssh pass",
        "ssh",
        "⟨plainpw⟩",
        ["sshpass -p '⟨⟩' ssh ⟨user⟩@⟨host⟩ uptime", "sshpass -p ⟨⟩ scp a.tgz ⟨user⟩@⟨host⟩:/tmp"],
    ),
    kind(
        "wget",
        "wget",
        _PASSWORDS,
        [
            "wget --http-user=⟨user⟩ --http-password=⟨⟩ https://⟨host⟩/a.zip",
            "wget --user ⟨user⟩ --password '⟨⟩' https://⟨host⟩/⟨word⟩",
        ],
    ),
    kind(
        "sqlcmd",
        "sqlcmd",
        "⟨plainpw⟩",
        [
            "sqlcmd -S ⟨host⟩ -U sa -P ⟨⟩ -Q 'select 1'",
            "bcp ⟨word⟩ out a.csv -S ⟨host⟩ -U sa -P ⟨⟩",
            "MSSQL_SA_PASSWORD=⟨⟩",
        ],
    ),
    kind(
        "mongo shell",
        "mongosh",
        "⟨plainpw⟩",
        [
            "mongosh --host ⟨host⟩ -u ⟨user⟩ -p ⟨⟩ --authenticationDatabase admin",
            "mongodump -u ⟨user⟩ --password=⟨⟩ -d ⟨word⟩",
            'db.createUser({user: "⟨user⟩", pwd: "⟨⟩", roles: []})',
        ],
    ),
    kind(
        "docker login",
        "registries",
        "⟨plainpw⟩",
        [
            "docker login registry.acme.io -u ⟨user⟩ -p ⟨⟩",
            "podman login --username ⟨user⟩ --password ⟨⟩ ⟨host⟩",
            "docker login -u ⟨user⟩ -p '⟨⟩'",
        ],
    ),
    kind(
        "openssl",
        "OpenSSL",
        "⟨plainpw⟩",
        [
            "openssl pkcs12 -export -in a.pem -out a.p12 -passout pass:⟨⟩",
            "openssl rsa -in key.pem -passin pass:⟨⟩",
        ],
    ),
    kind(
        "redis command",
        "Redis",
        "⟨plainpw⟩",
        ["redis-cli -h ⟨host⟩ -a ⟨⟩ ping", "requirepass ⟨⟩", "masterauth ⟨⟩"],
    ),
    kind(
        "ldap",
        "LDAP",
        "⟨plainpw⟩",
        [
            "ldapsearch -x -H ldap://⟨host⟩ -D cn=admin,dc=acme,dc=io -w ⟨⟩ -b dc=acme,dc=io",
            "ldap_bind_password: ⟨⟩",
            "bindpw ⟨⟩",
        ],
    ),
    kind(
        "helm",
        "Helm",
        "⟨plainpw⟩",
        [
            "helm upgrade --install ⟨word⟩ ./chart --set auth.password=⟨⟩ --wait",
            "kubectl create secret generic ⟨word⟩ --from-literal=password=⟨⟩",
            "helm install pg bitnami/postgresql --set postgresqlPassword=⟨⟩",
        ],
    ),
]
