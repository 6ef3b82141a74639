"""Runs one function of the programs beside this file with the public client, in JSON and out.

    python run.py FILE.FUNCTION < what-to-do.json

The public client and the project share an import name; the project is not on the path here, and
each function gets the client as its first argument.
"""

import importlib
import json
import os
import sys
from typing import Any


def main() -> None:
    file, _, function = sys.argv[1].partition(".")
    client: Any = importlib.import_module("stuckbot")
    home = os.path.dirname(os.path.dirname(os.path.abspath(client.__file__)))
    assert home == os.path.abspath(os.environ["PYTHONPATH"]), home
    ask = json.load(sys.stdin)
    print(json.dumps(getattr(importlib.import_module(file), function)(client, ask)))


if __name__ == "__main__":
    main()
