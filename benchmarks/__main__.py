"""`python -m benchmarks`: a table of ratios, and the same as JSON lines in a file."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks import append, fairness, replay, rules, sourcing, swiss, tree, verifier
from benchmarks.ledger import books
from benchmarks.measure import Figure, line, say, table
from benchmarks.servers import server
from tonk_site.embedded_services import Services, data_folder

BENCHES = (
    "rules",
    "swiss",
    "fairness",
    "verifier",
    "append",
    "replay",
    "sourcing",
    "ledger",
    "tree",
)


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
    parser.add_argument("--pgledger", type=Path, help="file of its published SQL, a peer of ledger")
    asked = parser.parse_args()
    unknown = sorted(set(asked.bench) - set(BENCHES))
    if unknown:
        parser.error(f"unknown: {', '.join(unknown)}")
    return asked


def _measured(asked: Namespace) -> Iterator[Figure]:
    wanted = asked.bench or BENCHES
    if "rules" in wanted:
        yield from rules.measure(rules.QUICK if asked.quick else rules.Plan())
    if "swiss" in wanted:
        yield from swiss.measure(swiss.QUICK if asked.quick else swiss.Plan())
    if set(wanted) - {"rules", "swiss"}:
        with server() as services:
            yield from _on_server(services, wanted, asked)


def _on_server(services: Services, wanted: Sequence[str], asked: Namespace) -> Iterator[Figure]:
    """All that needs the product set up; the tree is the last, for it makes a long log of it."""
    quick = asked.quick
    if "fairness" in wanted:
        yield from fairness.measure(fairness.QUICK if quick else fairness.Plan())
    if "verifier" in wanted:
        yield from verifier.measure(verifier.QUICK if quick else verifier.Plan())
    if "append" in wanted:
        yield from append.measure(services, append.QUICK if quick else append.Plan())
    if "replay" in wanted:
        yield from replay.measure(replay.QUICK if quick else replay.Plan())
    if "sourcing" in wanted:
        yield from sourcing.measure(services, sourcing.QUICK if quick else sourcing.Plan())
    if "ledger" in wanted:
        yield from books.measure(services, books.QUICK if quick else books.Plan(), asked.pgledger)
    if "tree" in wanted:
        yield from tree.measure(services, tree.QUICK if quick else tree.Plan())


if __name__ == "__main__":
    main()
