"""The measurements of docs/benchmarks.md: finding work, operations against bare views, memory.

    make bench                                    on SQLite
    scripts/with_postgres .venv/bin/python -m bench    on PostgreSQL

`--quick` takes smaller sizes: to see that it runs, not for numbers.
"""

import argparse
import os
import tempfile
from pathlib import Path

import django


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure the desk.")
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory(prefix="stuckbot-bench-") as folder:
        os.environ |= {
            "DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "bench.settings",
            "RATE_LIMIT": "off",
            "LOG_LEVEL": "ERROR",
        }
        django.setup()
        from bench.report import report

        report(quick=quick, folder=Path(folder))


if __name__ == "__main__":
    main()
