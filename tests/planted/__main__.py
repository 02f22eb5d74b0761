"""`python -m tests.planted [NUMBER...]`: a JSON line each; exit code 1 if one is not caught, or a
check tells of something without it."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import django


def main() -> None:
    """Run the plants of these numbers, or all."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tonk_site.settings")
    django.setup()
    planting: Any = import_module("tests.planted.planting")  # they import models
    plants: Any = import_module("tests.planted.plants")
    wanted = {int(number) for number in sys.argv[1:]}
    chosen = [one for one in plants.PLANTS if not wanted or one.number in wanted]
    sys.exit(0 if planting.tell(chosen) else 1)


if __name__ == "__main__":
    main()
