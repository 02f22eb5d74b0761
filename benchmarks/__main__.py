"""`python -m benchmarks`: a table of ratios, and the same as JSON lines in a file."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from benchmarks import append, rules
from benchmarks.measure import Figure, line, say, table
from tonk_site.embedded_services import data_folder

BENCHES = ("append", "rules")


def main() -> None:
    """Measure what the arguments name; rates are shown and judged by nobody."""
    asked = _arguments()
    figures = []
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    with asked.out.open("w", encoding="utf-8") as out:
        for figure in _measured(asked):
            out.write(f"{line(figure)}\n")
            out.flush()
            figures.append(figure)
    print(table(figures))
    say(f"JSON lines: {asked.out}")


def _arguments() -> Namespace:
    parser = ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("bench", nargs="*", help=f"of {', '.join(BENCHES)}; all without a name")
    parser.add_argument("--quick", action="store_true", help="shorter runs, coarser figures")
    parser.add_argument("--out", type=Path, default=data_folder() / "bench.jsonl")
    asked = parser.parse_args()
    unknown = sorted(set(asked.bench) - set(BENCHES))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    return asked


def _measured(asked: Namespace) -> Iterator[Figure]:
    wanted = asked.bench or BENCHES
    if "rules" in wanted:
        yield from rules.measure(rules.QUICK if asked.quick else rules.Plan())
    if "append" in wanted:
        yield from append.measure(append.QUICK if asked.quick else append.Plan())


if __name__ == "__main__":
    main()
