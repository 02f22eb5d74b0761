"""`python -m tests.planted [NUMBER...]`: a JSON line each, at last a line in words; exit code 1 if
one is not caught, or a check tells of something without it, 2 for a number that no plant has."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from importlib import import_module
from typing import Any

import django

from tonk_site.proving.stopping import stoppable


def main() -> None:
    """Run the plants of these numbers, or all."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tonk_site.settings")
    django.setup()
    planting: Any = import_module("tests.planted.planting")  # they import models
    plants: Any = import_module("tests.planted.plants")
    parser = ArgumentParser(prog="python -m tests.planted")
    numbers = [one.number for one in plants.PLANTS]
    parser.add_argument("numbers", nargs="*", type=int, metavar="NUMBER", help="all without one")
    wanted = set(parser.parse_args().numbers)
    unknown = sorted(wanted - set(numbers))
    if unknown:
        parser.error(f"no plant {unknown[0]}; there are {', '.join(map(str, numbers))}")
    chosen = [one for one in plants.PLANTS if not wanted or one.number in wanted]
    with stoppable():
        good = planting.tell(chosen)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
