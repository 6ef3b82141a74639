"""Where secrets stand in what agents send: templates with an empty slot for the value."""

#: For values that show by themselves what they are, whatever stands around them.
BARE = [
    "Error: the token ⟨⟩ is invalid or has expired",
    "⟨time⟩ WARN  auth failed for ⟨⟩ (status 403)",
    "E       AssertionError: assert '⟨⟩' == 'expected'",
    'git commit -m "⟨word⟩: drop the leaked ⟨⟩ from the config"',
    "remote: credential ⟨⟩ was rejected",
    "  args: ['deploy', '⟨⟩', '--verbose']",
    "echo ⟨⟩ | docker login -u ci --password-stdin registry.acme.io",
    '{"level":"error","msg":"rejected ⟨⟩","ts":⟨epoch⟩}',
    "requests.exceptions.HTTPError: 401 Client Error for ⟨⟩",
    '-    client = ⟨camel⟩("⟨⟩")',
    "I tried it with `⟨⟩` and got the same 401.",
]


def env(name: str) -> list[str]:
    """A variable, as shells, containers, CI and code set it."""
    return [
        f"{name}=⟨⟩",
        f"LOG_LEVEL=debug\n{name}=⟨⟩\nPORT=⟨port⟩",
        f"export {name}=⟨⟩",
        f'export {name}="⟨⟩"',
        f"{name}='⟨⟩'",
        f"docker run --rm -e {name}=⟨⟩ -p 8080:8080 acme/⟨word⟩:⟨ver⟩",
        f"    environment:\n      - {name}=⟨⟩\n      - TZ=UTC",
        f'        env:\n          {name}: "⟨⟩"',
        f"  {name}: ⟨⟩",
        f"ENV {name}=⟨⟩",
        f'os.environ["{name}"] = "⟨⟩"',
        f"process.env.{name} = '⟨⟩';",
        f'{{"{name}": "⟨⟩", "LOG_LEVEL": "debug"}}',
        f"+ {name}=⟨⟩",
        f"{name}=⟨⟩ make ⟨word⟩",
    ]


def header(name: str) -> list[str]:
    """A request header, as clients write and log it."""
    return [
        f'curl -s -H "{name}: ⟨⟩" https://⟨host⟩/v1/⟨word⟩',
        f"curl -X POST https://⟨host⟩/⟨word⟩ \\\n  -H 'Accept: application/json' \\\n  -H '{name}: ⟨⟩'",
        f"> Host: ⟨host⟩\n> {name}: ⟨⟩\n> Accept: */*",
        f'requests.get(url, headers={{"{name}": "⟨⟩"}}, timeout=10)',
        f'{{"method": "GET", "headers": {{"{name}": "⟨⟩", "Accept": "application/json"}}}}',
        f"  headers: {{ '{name}': '⟨⟩' }},",
        f"⟨time⟩ DEBUG http: headers={{'Accept': '*/*', '{name}': '⟨⟩'}}",
    ]


def field(name: str) -> list[str]:
    """A setting, as configuration files and code write it."""
    return [
        f'{name} = "⟨⟩"',
        f"{name} = ⟨⟩",
        f"{name}: ⟨⟩",
        f'  {name}: "⟨⟩"',
        f"{name}=⟨⟩",
        f'{{"{name}": "⟨⟩", "region": "eu-west-1"}}',
        f"    '{name}': '⟨⟩',",
        f'client = Client({name}="⟨⟩", timeout=30)',
    ]


def pem(label: str, *, newline: str = "\n") -> str:
    """A block of this label around the value; `newline` as it stands in the text."""
    return f"-----BEGIN {label}-----{newline}⟨⟩{newline}-----END {label}-----"
