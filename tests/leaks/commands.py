"""Run by a test in a process of its own: commands with a secret in each word they take."""

import sys
from collections.abc import Iterator

import manage
from tests.leaks.planted import some


def lines(text: str, email: str) -> Iterator[list[str]]:
    yield ["bootstrap", "--org", text, "--email", "eve@example.com"]
    yield ["bootstrap", "--org", "Fine", "--email", email]
    yield ["bootstrap", "--org", "Fine", "--email", text]
    yield ["bootstrap", "--org", "Fine", "--email", "eve@example.com", text]
    yield ["person_token", "--email", "ana@example.com", "--name", text]
    yield ["person_token", "--email", email, "--name", "fine"]
    yield ["person_token", "--email", "ana@example.com", "--org", text]
    yield ["policy", "--org", text, "--project", text, "--blocker", text, "--verifier-wait", text]
    yield ["policy", "--org", text, f"--{text}"]
    yield ["verifier_key", "list", "--org", text]
    yield ["verifier_key", "add", "--org", text, "--name", text, text]
    yield ["verifier_key", "revoke", "--org", text, text]
    yield ["createsuperuser", "--noinput", "--email", email]
    yield ["serve", "--host", text, "--port", "1"]
    yield ["openapi", "--check", f"--{text}"]
    yield [text]
    yield ["shell", "-c", f"raise ValueError({text!r})"]


def main() -> None:
    for planted in some(0, 3):
        for line in lines(planted.text, f"{planted.secret[:60]}@example.com"):
            try:
                sys.argv = ["manage.py", *line]
                manage.main()
            except SystemExit:
                continue
            except Exception:
                sys.excepthook(*sys.exc_info())


if __name__ == "__main__":
    main()
