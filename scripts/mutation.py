"""Tests the tests of what must not be wrong: masking, and which commands count as the same.

Changes the code in many small ways, one at a time, and runs the tests that know of it. A change
that no test notices has survived. Fails when fewer than `LEAST` of a hundred were noticed.

Two kinds of change: mutmut (configured in pyproject.toml) changes functions, and
`scripts/rule_mutants.py` takes entries out of tables. Both work on a copy below var/mutation,
without Django. There are some 4,000 of the first kind: each day has its tenth of them, and
`--whole` tries all.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from datetime import date
from fnmatch import fnmatch
from pathlib import Path
from typing import Any, Final

import hypothesis
import jsonschema_rs
import pytest
import re2

from scripts.rule_mutants import mutants_of

ROOT: Final = Path(__file__).resolve().parent.parent
WORK: Final = ROOT / "var" / "mutation"
LEAST: Final = 85
KILLED, SURVIVED, TIMEOUT, UNTESTED = "killed", "survived", "timeout", "untested"
#: Of lists of words that are no secrets, one word more or less decides nothing.
WORDS: Final = "words"
OUTCOMES: Final = (KILLED, TIMEOUT, SURVIVED, UNTESTED)
#: How mutmut writes down how the tests of a mutant ended; all else is one that was noticed.
_SURVIVED_CODE: Final = 0
_UNTESTED_CODES: Final = frozenset({None, 5, 33})
_TIMEOUT_CODES: Final = frozenset({24, 36, 152, 255, -24})
#: The tests need none of Django, and say so to pytest in the copy.
_PYTEST_INI: Final = "[pytest]\npythonpath = .\naddopts = --import-mode=importlib\nmarkers = deep\n"
#: A mutant is a fork of a process that has run the tests: an answer that is remembered from there
#: would hide it, and would hide from mutmut which tests reach which functions.
_CONFTEST: Final = """
import functools
import gc

import hypothesis

REMEMBERING = []

# A mutant is told by what it answers, never by how long a busy machine takes.
hypothesis.settings.register_profile("mutants", deadline=None)
hypothesis.settings.load_profile("mutants")


def pytest_collection_finish():
    REMEMBERING[:] = [
        one
        for one in gc.get_objects()
        if isinstance(one, functools._lru_cache_wrapper)
        and one.__module__.startswith(("stuckbot", "tickets", "verification"))
    ]


def pytest_runtest_setup():
    for one in REMEMBERING:
        one.cache_clear()
"""
#: A mutant that never ends is stopped after this many times what the tests take, in CPU seconds.
_PATIENCE: Final = 4

#: Imported once, so that each run of the tests starts with them.
_WARM: Final = (hypothesis, jsonschema_rs, re2)

Counts = dict[str, Counter[str]]


def main() -> int:
    options = _options()
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["mutmut"]
    _copy(config)
    counts: Counts = {}
    if not options.rules_only:
        _functions(_modules(config, options.only), options.tenth, options.children, counts)
    if not options.functions_only:
        _rules(config, _modules(config, options.only), options.rules, counts)
    return _report(counts)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Mutation testing.")
    cores = os.cpu_count() or 1
    parser.add_argument("--children", type=int, default=cores, help="how many mutants at a time")
    parser.add_argument("--rules", type=int, default=5, help="how many entries of a module to try")
    today = str(date.today().day % 10)
    parser.add_argument("--tenth", default=today, help="only functions' mutants of this last digit")
    parser.add_argument("--whole", dest="tenth", action="store_const", const="", help="all of them")
    parser.add_argument("--rules-only", action="store_true", help="only entries of tables")
    parser.add_argument("--functions-only", action="store_true", help="only functions")
    parser.add_argument(
        "--only", default="*", help="the modules to try, as patterns with commas between"
    )
    return parser.parse_args()


def _copy(config: dict[str, Any]) -> None:
    """A fresh copy. The root's conftest needs Django's database and stays behind."""
    shutil.rmtree(WORK, ignore_errors=True)
    for folder in (*config["source_paths"], "tests", "bench"):
        shutil.copytree(ROOT / folder, WORK / folder, ignore=_left_behind)
    shutil.copy(ROOT / "pyproject.toml", WORK)
    (WORK / "pytest.ini").write_text(_PYTEST_INI)
    (WORK / "conftest.py").write_text(_CONFTEST)


def _left_behind(folder: str, names: list[str]) -> set[str]:
    is_tests = Path(folder) == ROOT / "tests"
    return {name for name in names if name == "__pycache__" or (is_tests and name == "conftest.py")}


def _modules(config: dict[str, Any], only: str) -> list[Path]:
    """Paths in the copy of what is to be changed."""
    names = {str(path.relative_to(WORK)): path for path in WORK.rglob("*.py")}
    return [
        path
        for name, path in sorted(names.items())
        if any(fnmatch(name, glob) for glob in only.split(","))
        and any(fnmatch(name, glob) for glob in config["only_mutate"])
    ]


def _functions(modules: list[Path], tenth: str, children: int, counts: Counts) -> None:
    mutmut = str(Path(sys.executable).with_name("mutmut"))
    dotted = [".".join(path.relative_to(WORK).with_suffix("").parts) for path in modules]
    names = [f"{name}.x*{tenth}" for name in dotted]
    command = [mutmut, "run", "--max-children", str(children), *names]
    with (WORK / "mutmut.log").open("wb") as log:
        ended = subprocess.run(command, cwd=WORK, stdout=log, stderr=subprocess.STDOUT, check=False)
    if ended.returncode:
        sys.exit(f"mutmut failed: see {WORK / 'mutmut.log'}")
    for path in modules:
        module = path.relative_to(WORK)
        meta = WORK / "mutants" / f"{module}.meta"
        codes = json.loads(meta.read_text())["exit_code_by_key"] if meta.exists() else {}
        for name, code in codes.items():
            if not name.endswith(tenth):
                continue
            outcome = _outcome(code)
            counts.setdefault(f"{module} functions", Counter())[outcome] += 1
            if outcome in {SURVIVED, UNTESTED}:
                print(f"{outcome}: {name}", flush=True)


def _outcome(code: int | None) -> str:
    if code in _UNTESTED_CODES:
        return UNTESTED
    if code in _TIMEOUT_CODES:
        return TIMEOUT
    return SURVIVED if code == _SURVIVED_CODE else KILLED


def _rules(config: dict[str, Any], modules: list[Path], most: int, counts: Counts) -> None:
    for is_masking in (True, False):
        tests = _tests_of(config, is_masking)
        here = [path for path in modules if ("masking" in path.parts) == is_masking]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        if here and _outcome_of_tests(tests, 600) != SURVIVED:
            sys.exit("The tests fail without any change: mend them first.")
        took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        for path in here:
            _rules_of(path, tests, int(took * _PATIENCE) + 5, most, counts)


def _rules_of(path: Path, tests: list[str], patience: int, most: int, counts: Counts) -> None:
    """Tries the entries of one module; of many, some at even distances."""
    module = path.relative_to(WORK)
    whole = path.read_text()
    mutants = [mutant for mutant in mutants_of(whole) if mutant.kind != WORDS]
    for mutant in mutants[:: max(1, -(-len(mutants) // most))]:
        path.write_text(mutant.source)
        outcome = _outcome_of_tests(tests, patience)
        counts.setdefault(f"{module} {mutant.kind}", Counter())[outcome] += 1
        if outcome == SURVIVED:
            print(f"survived: {module}:{mutant.label}", flush=True)
    path.write_text(whole)


def _tests_of(config: dict[str, Any], is_masking: bool) -> list[str]:
    chosen = config["pytest_add_cli_args_test_selection"]
    chosen = [test for test in chosen if ("masking" in test) == is_masking]
    return [*config["pytest_add_cli_args"], *chosen]


def _outcome_of_tests(arguments: list[str], seconds: int) -> str:
    """Runs the tests in a child that has what they import, but nothing of the project yet."""
    child = os.fork()
    if child == 0:
        try:
            os._exit(_tests(arguments, seconds))
        except BaseException:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return TIMEOUT
    return KILLED if os.WEXITSTATUS(status) else SURVIVED


def _tests(arguments: list[str], seconds: int) -> int:
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    os.chdir(WORK)
    sys.path[:] = [str(WORK), *(place for place in sys.path if Path(place).resolve() != ROOT)]
    sys.dont_write_bytecode = True
    with open(os.devnull, "w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    return int(pytest.main(["-x", "-q", *arguments]))


def _report(counts: Counts) -> int:
    """Prints the counts; 1 when too many mutants survived in any of the modules' groups."""
    width = max(map(len, counts), default=0)
    print(f"{'':{width}} {'  '.join(OUTCOMES)}  noticed")
    for module, found in sorted(counts.items()):
        cells = "  ".join(f"{found[name]:{len(name)}}" for name in OUTCOMES)
        print(f"{module:{width}} {cells}  {_noticed(found):6.1f}%")
    groups: Counts = {}
    for module, found in counts.items():
        groups.setdefault(_group(module), Counter()).update(found)
    for group, found in sorted(groups.items()):
        print(f"{group}: {_noticed(found):.1f}% of {found.total():,} noticed")
    low = [group for group, found in groups.items() if _noticed(found) < LEAST]
    if low:
        print(f"FAILED: under {LEAST}% in {', '.join(low)}")
    return 1 if low else 0


def _group(module: str) -> str:
    """The modules of a package count together where there are several."""
    path, kind = module.rsplit(" ", 1)
    return f"{Path(path).parent}: {kind}"


def _noticed(found: Counter[str]) -> float:
    return 100 * (found[KILLED] + found[TIMEOUT]) / max(found.total(), 1)


if __name__ == "__main__":
    sys.exit(main())
