"""`python -m benchmarks.ledger.jobs JOB` answers calls, one a line: `[function, argument, ...]`."""

import json
import sys
from importlib import import_module

import django


def main() -> None:
    """Serve until there is no further line."""
    answers, sys.stdout = sys.stdout, sys.stderr  # what others print is no answer
    django.setup()  # before the job, which may import models
    job = import_module(f"benchmarks.ledger.jobs.{sys.argv[1]}")
    for line in sys.stdin:
        do, *arguments = json.loads(line)
        print(json.dumps(getattr(job, do)(*arguments)), file=answers, flush=True)


if __name__ == "__main__":
    main()
