"""House rules that a machine can read off the source."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ["stuckbot", "accounts", "policy", "tickets", "verification"]
FUNCTION_LINES = 50
FILE_LINES = 400
CLOCK = Path("stuckbot/lib/clock.py")
SIGNAL_MODULES = ("django.dispatch", "django.db.models.signals", "django.core.signals")


def _files(*folders: str) -> list[Path]:
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path.relative_to(ROOT) for path in found if "migrations" not in path.parts)


CODE = _files(*PACKAGES)
ALL = [*CODE, *_files("tests", "bench", "scripts")]


def _tree(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", ALL, ids=str)
def test_it_keeps_files_and_functions_small(path: Path) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    assert len(text.splitlines()) < FILE_LINES
    long = [
        f"{function.name} ({_length(function)} lines)"
        for function in _functions(ast.parse(text))
        if _length(function) > FUNCTION_LINES
    ]
    assert long == []


def _length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


@pytest.mark.parametrize("path", CODE, ids=str)
def test_it_uses_no_signals(path: Path) -> None:
    signals = [name for name in _imported(_tree(path)) if name.startswith(SIGNAL_MODULES)]
    assert signals == []


@pytest.mark.parametrize("path", [path for path in CODE if path != CLOCK], ids=str)
def test_it_asks_the_clock_module_for_the_time(path: Path) -> None:
    assert sorted(_other_clocks(_tree(path))) == []


def _other_clocks(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        if called.endswith(
            ("timezone.now", "datetime.now", "datetime.utcnow", "date.today")
        ) or called in {"Now", "functions.Now", "time.time"}:
            yield f"line {node.lineno}: {called}"


@pytest.mark.parametrize("path", CODE, ids=str)
def test_it_imports_at_the_top(path: Path) -> None:
    inside = [
        f"line {node.lineno}, in {function.name}"
        for function in _functions(_tree(path))
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom) and function.name != "ready"
    ]
    assert inside == []
