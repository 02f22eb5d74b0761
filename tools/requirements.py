"""The requirements files: compiled from pyproject.toml, and known by its fingerprint.

    python tools/requirements.py compile     (with network)
    python tools/requirements.py check       (without)

The first line of each file is a fingerprint of the dependency tables. A check compares that alone:
a fresh compilation could differ because somebody published a wheel.
"""

import json
import subprocess
import sys
import tomllib
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPILE = ("pip", "compile", "pyproject.toml", "--quiet", "--universal", "--python-version",
           "3.11", "--generate-hashes", "--no-emit-index-url", "--no-annotate", "--no-header",
           "--custom-compile-command", "make requirements")  # fmt: skip
# Every file after the first takes the versions of the first.
FILES = {
    "requirements.txt": (),
    "requirements-dev.txt": ("--group", "dev", "--constraint", "requirements.txt"),
    "requirements-bench.txt": ("--group", "bench", "--constraint", "requirements.txt"),
    "requirements-mutants.txt": ("--group", "mutants", "--constraint", "requirements-dev.txt"),
}


def fingerprint(root: Path = ROOT) -> str:
    """First line of the files that belong to the pyproject.toml of `root`."""
    tables = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    project = tables["project"]
    subject = [
        project["requires-python"],
        sorted(project["dependencies"]),
        project.get("optional-dependencies", {}),
        tables.get("dependency-groups", {}),
    ]
    text = json.dumps(subject, sort_keys=True)
    return f"# pyproject.toml: {sha256(text.encode()).hexdigest()}"


def stale(root: Path = ROOT) -> list[str]:
    """Names of the files that do not belong to the pyproject.toml of `root`."""
    wanted = fingerprint(root)
    paths = [root / name for name in FILES]
    return [path.name for path in paths if not path.exists() or _first_line(path) != wanted]


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8") as lines:
        return lines.readline().rstrip("\n")


def compile_all() -> None:
    """Write every file afresh; versions that still fit are kept."""
    tool = Path(sys.executable).with_name("uv")
    for name, arguments in FILES.items():
        command = [str(tool), *COMPILE, *arguments, "--output-file", name]
        subprocess.run(command, cwd=ROOT, check=True)
        path = ROOT / name
        path.write_text(f"{fingerprint()}\n{path.read_text(encoding='utf-8')}", encoding="utf-8")


def main() -> None:
    """Do what argv[1] says; exit 1 when a file is stale."""
    if sys.argv[1:] == ["compile"]:
        compile_all()
    elif sys.argv[1:] == ["check"]:
        if names := stale():
            sys.exit(
                f"out of step with pyproject.toml: {', '.join(names)}; run `make requirements`"
            )
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
