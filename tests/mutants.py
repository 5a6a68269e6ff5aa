"""`python -m tests.mutants draw|reach|run …`: what share of small lies in the sources the tests notice.

`draw OUT` draws mutants with a fixed seed, a hundred for each package: a comparison, a constant, a sign or
a branch turned round, or a call left out, inside a function. `reach MUTANTS LOG` runs the tests once over a
copy of the tree in which every mutated statement writes down which test came by; what else is said goes to
pytest, as `-m "not browser"`. `run MUTANTS LOG OUT` makes each mutant in a copy of the tree and runs the
tests that reach it, the nearest and quickest first, until one fails or `--seconds` of them, by the time that
they took before, have passed. It takes the packages mixed, so that a run that is ended early is a fair
sample, and goes on where it was. `show OUT` prints the shares.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import Queue
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("engine", "calibration", "vision", "server")

_COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}

# What notes who came by, in the copy of the tree that `reach` runs.
_LOGGER = """
import os
_seen = set()
def hit(number, once):
    key = (number, "" if once else os.environ.get("PYTEST_CURRENT_TEST", ""))
    if key not in _seen:
        _seen.add(key)
        with open(os.environ["TABLEREF_REACHED"], "a") as log:
            log.write(f"{number}\\t{key[1]}\\n")
"""


@dataclass(frozen=True)
class Mutant:
    """One small lie: in `path`, in the function `where`, the `nth` piece of text `before` becomes `after`."""

    path: str
    where: str
    nth: int
    before: str
    after: str
    kind: str


@dataclass(frozen=True)
class Site:
    """Where a mutant stands in a source: its node, and the statement that holds it."""

    mutant: Mutant
    node: ast.AST
    statement: ast.stmt


def lies(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield each way in which a node can be made wrong, with the kind of mistake."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS:
        first = _COMPARISONS[type(node.ops[0])]()
        yield "comparison", ast.Compare(node.left, [first, *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        yield "sign", ast.BinOp(node.left, _SIGNS[type(node.op)](), node.right)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "constant", ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield "constant", ast.Constant(node.value + 1)
    elif isinstance(node, ast.IfExp):
        yield "branch", ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    elif isinstance(node, ast.BoolOp):
        yield "branch", ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "call", ast.Pass()


def span(lines: list[bytes], node: ast.AST) -> tuple[int, int]:
    """Tell where a node stands in its source, in bytes."""
    ends = ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))  # type: ignore[attr-defined]
    first, last = (sum(map(len, lines[: line - 1])) + column for line, column in ends)
    return first, last


def sites(path: str, source: str) -> list[Site]:
    """List every mutant of a source's functions, in the order of the text."""
    found: list[Site] = []
    counted: Counter[tuple[str, str, str]] = Counter()
    text = source.encode()
    lines = text.splitlines(keepends=True)

    def add(node: ast.AST, where: str, statement: ast.stmt) -> None:
        for kind, other in lies(node):
            start, end = span(lines, node)
            before = text[start:end].decode()
            ast.fix_missing_locations(other)
            written = ast.unparse(other)
            after = written if isinstance(other, ast.Pass | ast.Constant) else f"({written})"
            key = (where, before, after)
            found.append(Site(Mutant(path, where, counted[key], before, after, kind), node, statement))
            counted[key] += 1

    def walk(node: ast.AST, where: str, statement: ast.stmt | None) -> None:
        for name, field in ast.iter_fields(node):
            if name in {"decorator_list", "annotation", "returns", "args"} and not isinstance(node, ast.Call):
                continue
            for child in field if isinstance(field, list) else [field]:
                if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr):
                    continue
                inside, holder = where, child if isinstance(child, ast.stmt) else statement
                if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                    inside = f"{where}.{child.name}" if where else child.name
                elif where and holder is not None:
                    add(child, where, holder)
                walk(child, inside, holder)

    walk(ast.parse(source), "", None)
    return found


def sources(root: Path) -> Iterator[Path]:
    """Yield the Python files of the four packages, tests beside them left out."""
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            if "versions" not in path.parts and not path.name.startswith("test_"):
                yield path.relative_to(root)


def draw(root: Path, each: int, seed: int) -> list[Mutant]:
    """Draw `each` mutants a package, spread over its functions by their number of lies."""
    by_package: dict[str, list[Mutant]] = defaultdict(list)
    for path in sources(root):
        for site in sites(path.as_posix(), (root / path).read_text()):
            by_package[path.parts[0]].append(site.mutant)
    dice = random.Random(seed)
    return [one for package in PACKAGES for one in dice.sample(by_package[package], each)]


def located(root: Path, mutant: Mutant) -> Site | None:
    """Find a mutant in a tree that may have changed since it was drawn, in its file or wherever it went."""
    name = mutant.where.rpartition(".")[2]
    own = root / mutant.path
    rest = [] if not own.is_file() else [own]
    rest += [root / p for p in sources(root) if p.parts[0] == mutant.path.split("/")[0] and root / p != own]
    for path in rest:
        text = path.read_text()
        if mutant.before not in text or f"{name}" not in text:
            continue
        for site in sites(path.relative_to(root).as_posix(), text):
            if replace(site.mutant, path=mutant.path) == mutant:
                return site
    return None


def mutated(source: str, site: Site) -> str:
    """Write the lie into the source, at the place of its node."""
    text = source.encode()
    start, end = span(text.splitlines(keepends=True), site.node)
    return (text[:start] + site.mutant.after.encode() + text[end:]).decode()


class _Noting(ast.NodeTransformer):
    """Puts a note of who came by before each statement that holds a mutant.

    A class is made once, whichever test comes first: what stands in it is no single test's.
    """

    def __init__(self, numbers: dict[ast.stmt, list[int]]) -> None:
        self.numbers, self.once = numbers, True

    def generic_visit(self, node: ast.AST) -> ast.AST:
        before = self.once
        self.once = before and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                setattr(node, name, [new for old in block for new in (*self._notes(old), old)])
        self.once = before
        return node

    def _notes(self, statement: ast.stmt) -> list[ast.stmt]:
        noted = (f"__import__('reached').hit({n}, {self.once})" for n in self.numbers.get(statement, ()))
        return [ast.parse(note).body[0] for note in noted]


def copy_tree(root: Path, to: Path) -> Path:
    """Copy a checkout into `to`, beside what its tests look for beside it."""
    tree = to / "tree"
    ignored = shutil.ignore_patterns(".venv", ".git", "__pycache__", ".*_cache", ".hypothesis", ".gate")
    shutil.copytree(root, tree, ignore=ignored)
    if (root.parent / "shared").is_dir():
        (to / "shared").symlink_to(root.parent / "shared")
    return tree


def environment(tree: Path, **more: str) -> dict[str, str]:
    """Make an environment in which commands import this tree, not the one that is installed."""
    return {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", **more}


def reach(root: Path, mutants: list[Mutant], log: Path, options: list[str]) -> None:
    """Run the tests once and write who came by which mutant, and how long each test took, beside `log`."""
    with tempfile.TemporaryDirectory() as folder:
        tree = copy_tree(root, Path(folder))
        by_file: dict[str, list[tuple[int, Site]]] = defaultdict(list)
        for number, mutant in enumerate(mutants):
            if (site := located(root, mutant)) is not None:
                by_file[site.mutant.path].append((number, site))
        for path, held in by_file.items():
            text = (tree / path).read_text()
            parsed = ast.parse(text)
            matching = {
                (type(n), n.lineno, n.col_offset): n for n in ast.walk(parsed) if isinstance(n, ast.stmt)
            }
            numbers: dict[ast.stmt, list[int]] = defaultdict(list)
            for number, site in held:
                s = site.statement
                numbers[matching[type(s), s.lineno, s.col_offset]].append(number)
            (tree / path).write_text(ast.unparse(ast.fix_missing_locations(_Noting(numbers).visit(parsed))))
        (tree / "reached.py").write_text(_LOGGER)
        command = [
            sys.executable,
            "-m",
            "pytest",
            *options,
            f"--junit-xml={log}.xml",
            "-o",
            "junit_family=xunit1",
        ]
        subprocess.run(command, cwd=tree, env=environment(tree, TABLEREF_REACHED=str(log)), check=False)


def durations(xml: Path) -> dict[str, float]:
    """Read how many seconds each test that passed took, by its node id.

    The file that is named is where a test is written; one that a class inherits runs in another.
    """
    found: dict[str, float] = {}
    for case in ElementTree.parse(xml).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            continue
        parts = case.get("classname", "").split(".")
        module = max((k for k, part in enumerate(parts) if part.startswith("test_")), default=0)
        test = "::".join(["/".join(parts[: module + 1]) + ".py", *parts[module + 1 :], case.get("name", "")])
        found[test] = float(case.get("time", 0))
    return found


def reached(log: Path, took: dict[str, float]) -> dict[int, list[str]]:
    """Read which tests reach which mutant.

    What a fixture reaches, every test of its file does; what is done once, as a module is read, all do.
    """
    by_file: dict[str, list[str]] = defaultdict(list)
    for test in took:
        by_file[test.split("::")[0]].append(test)
    found: dict[int, set[str]] = defaultdict(set)
    for line in log.read_text().splitlines():
        number, _, said = line.partition("\t")
        test, _, phase = said.rpartition(" ")
        if phase == "(call)":
            found[int(number)].add(test)
        elif test:
            found[int(number)].update(by_file[test.split("::")[0]])
        else:
            found[int(number)].update(took)
    return {number: [t for t in tests if t in took] for number, tests in found.items()}


def in_turn(mutant: Mutant, tests: list[str], took: dict[str, float], seconds: float) -> list[str]:
    """Put a mutant's tests in order, those of its module, its room and quick ones first, up to `seconds`."""
    own = Path(mutant.path)

    def distance(test: str) -> tuple[bool, int, float]:
        file = Path(test.partition("::")[0])
        apart = [a != b for a, b in zip(own.parent.parts, file.parent.parts[1:], strict=False)]
        shared = apart.index(True) if True in apart else len(apart)
        return own.stem not in file.stem, -shared, took[test]

    chosen: list[str] = []
    for test in sorted(tests, key=distance):
        if took[test] <= seconds or not chosen:
            seconds -= took[test]
            chosen.append(test)
    return chosen


def run(root: Path, mutants: list[Mutant], log: Path, out: Path, args: argparse.Namespace) -> None:
    """Make each mutant and run its tests; what was found is written down mutant by mutant."""
    took = durations(Path(f"{log}.xml"))
    by_mutant = reached(log, took)
    done = {json.loads(line)["number"] for line in out.read_text().splitlines()} if out.is_file() else set()
    only = set(json.loads(Path(args.only).read_text())) if args.only else set(range(len(mutants)))
    order = random.Random(args.seed).sample(range(len(mutants)), len(mutants))
    with tempfile.TemporaryDirectory() as folder:
        trees: Queue[Path] = Queue()
        for worker in range(args.workers):
            (Path(folder) / str(worker)).mkdir()
            trees.put(copy_tree(root, Path(folder) / str(worker)))

        def one(number: int) -> None:
            mutant, site = mutants[number], located(root, mutants[number])
            tests = in_turn(mutant, by_mutant.get(number, []), took, args.seconds)
            found = {"number": number, "result": "gone" if site is None else "survived", "tests": len(tests)}
            tree = trees.get()
            if site is not None and tests:
                source = (root / site.mutant.path).read_text()
                (tree / site.mutant.path).write_text(mutated(source, site))
                ended = _ended(tree, tests, args.seconds)
                (tree / site.mutant.path).write_text(source)
                # pytest may not have asked at all, which it then does not do without the mutant, either.
                if ended.startswith("ended with") and _ended(tree, tests, args.seconds) == ended:
                    found["result"] = "unasked"
                elif ended:
                    found["result"] = "killed"
                found["by"] = ended
            trees.put(tree)
            with out.open("a") as file:
                file.write(json.dumps({**found, **asdict(mutant)}) + "\n")

        with ThreadPoolExecutor(args.workers) as pool:
            list(pool.map(one, [n for n in order if n in only and n not in done]))


def _ended(tree: Path, tests: list[str], seconds: float) -> str:
    """Name the test that fails, or say how else they ended: they may run on far longer than all took before.

    That goes by the processor's time, which other work beside does not lengthen; a wait has a limit, too.
    """
    options = ["-x", "-q", "-rfE", "-p", "no:cacheprovider", "-p", "no:xdist", "-o", "addopts=-p no:asyncio"]
    limited = ["/bin/sh", "-c", f'ulimit -t {30 + 2 * round(seconds)}; exec "$@"', "sh"]
    command = [*limited, sys.executable, "-m", "pytest", *options, *tests]
    with tempfile.TemporaryFile("w+") as said:
        pytest = subprocess.Popen(
            command, cwd=tree, env=environment(tree), stdout=said, stderr=said, start_new_session=True
        )
        try:
            code = pytest.wait(timeout=60 + 30 * seconds)
        except subprocess.TimeoutExpired:
            code = -signal.SIGXCPU
        finally:
            # With what a test has started and could not end as it failed.
            with suppress(ProcessLookupError):
                os.killpg(pytest.pid, signal.SIGKILL)
            pytest.wait()
        said.seek(0)
        told = [line for line in said if line.startswith(("FAILED tests", "ERROR tests"))]
    if code in (-signal.SIGXCPU, -signal.SIGKILL):
        return "ran on"
    if code == 1 and told:
        return told[0].strip().partition(" ")[2].split(" - ")[0]
    return f"ended with {code}" if code else ""


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["draw", "reach", "run", "show"])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout whose tests are asked")
    parser.add_argument("--each", type=int, default=100, help="mutants a package")
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=60, help="of tests a mutant")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", help="a JSON list of the numbers of the mutants to run")
    args, options = parser.parse_known_args()
    if args.what == "draw":
        drawn = [asdict(one) for one in draw(args.root, args.each, args.seed)]
        args.files[0].write_text("[\n" + ",\n".join(map(json.dumps, drawn)) + "\n]\n")
        return
    if args.what == "show":
        show(args.files[0])
        return
    mutants = [Mutant(**one) for one in json.loads(args.files[0].read_text())]
    if args.what == "reach":
        reach(args.root, mutants, args.files[1].resolve(), options)
    else:
        run(args.root, mutants, args.files[1], args.files[2], args)
        show(args.files[2])


def show(out: Path) -> None:
    """Print the share killed, package by package."""
    found = [json.loads(line) for line in out.read_text().splitlines()]
    for package in (*PACKAGES, ""):
        held = [one for one in found if one["path"].startswith(package)]
        counted = Counter(one["result"] for one in held)
        stood = counted["killed"] + counted["survived"]
        alone = sum(one["result"] == "survived" and not one["tests"] for one in held)
        print(f"{package or 'all':12} killed {counted['killed']} of {stood}; no test reaches {alone}")
        print(f"{'':12} {counted['gone']} no longer there, {counted['unasked']} could not be asked")


if __name__ == "__main__":
    main()
