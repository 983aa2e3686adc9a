"""The documents say what is so: what they show is executed, what they point at exists.

    ```console             lines `$ command`, each followed by exactly what the command prints
    ```console ellipsis    the same; a line `...` stands for any lines
    ```python, ```pycon    with `>>>`: a doctest; all blocks of a document share their names
    <!-- file: x.fun -->   before a block: its text is the file x.fun in the commands' folder

Commands run in a fresh folder in which everything of the checkout lies as well.  A command that
fails is followed by `$ echo $?`, an exception by its `Traceback`: no failure is shown by mistake.
``pytest tests/project/test_docs.py --update-golden`` writes what is printed into the documents.
"""

import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path

import pytest
from attrs import define, field
from click.testing import CliRunner

import funmem
from funmem.driver.source import Source
from funmem.ir.diagnostics import SourceError
from funmem.passes.framework import Report
from funmem.passes.runner import Pipeline
from tests.support.devices import has_pocl
from tests.support.paths import ROOT
from tests.support.sampling import sampled

DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "TOUR.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "papers").rglob("*.md")),
    ROOT / "tests" / "programs" / "README.md",
]
LONG = {
    "TOUR.md",
    "papers/frontends/futhark.md",
    "papers/frontends/harlan.md",
    "papers/frontends/nova.md",
    "papers/frontends/testing.md",
    "papers/funmem/memory.md",
    "papers/funmem/testing.md",
    "papers/funmem/verify.md",
    "papers/harlan/README.md",
    "papers/harlan/regions.md",
    "papers/nikola/README.md",
    "papers/nova/README.md",
    "papers/tutorial.md",
}
"""Documents whose commands take seconds: their test is slow."""

# ---------------------------------------------------------------------- blocks

FENCE = re.compile(r"( *)```(.*)")
FILE = re.compile(r"<!-- file: (\S+) -->")


@define
class Block:
    """Lines between fences (``info`` is what the opening one says), or lines outside (None)."""

    lines: list[str] = field(factory=list)
    info: str | None = None
    file: str | None = None

    @property
    def language(self) -> str:
        return (self.info or " ").split(" ")[0]

    @property
    def ellipsis(self) -> bool:
        return "ellipsis" in (self.info or "").split(" ")[1:]


def blocks(text: str) -> Iterator[Block]:
    """A document's lines, in order; the fences are lines outside."""
    block, indent = Block(), ""
    for line in text.split("\n"):
        if (m := FENCE.fullmatch(line)) is None:
            block.lines.append(line.removeprefix(indent) if block.info is not None else line)
        elif block.info is None:
            mark = next((FILE.fullmatch(x) for x in reversed(block.lines) if x.strip()), None)
            block.lines.append(line)
            yield block
            indent, block = m[1], Block(info=m[2].strip(), file=mark[1] if mark else None)
        else:
            block.lines = [indent + x if x else x for x in block.lines]
            yield block
            indent, block = "", Block([line])
    assert block.info is None, "a block is not closed"
    yield block


# ---------------------------------------------------------------------- a reader at work

WORD = r"""(?:'[^']*'|"[^"]*"|[^\s'"|&;<>()$*?~`\[\\])+"""
HERE = re.compile(rf"(?P<command>funmem(?: +{WORD})*?)(?P<both> 2>&1)? *(?P<rest>[|>].*)?")
"""A command of ours and what the shell does with its output.  It runs in this process, which is
half a second faster than a new one.
"""


@define
class Reader:
    """Somebody who types in what a document shows, from its first to its last line."""

    folder: Path
    names: dict[str, object] = field(factory=lambda: {"__name__": "__main__"})
    code: int = 0

    def block(self, b: Block) -> list[str]:
        """The block's lines as they should be."""
        if b.file is not None:
            (self.folder / b.file).write_text("\n".join([*b.lines, ""]), encoding="utf-8")
        if b.language == "console":
            found = list(self._console(b.lines))
        elif b.language in ("python", "pycon") and any(x.startswith(">>>") for x in b.lines):
            found = self._doctest(b.lines)
        else:
            return b.lines
        return b.lines if b.ellipsis and matches(b.lines, found) else found

    def _console(self, lines: Sequence[str]) -> Iterator[str]:
        commands = list(spoken(lines))
        for command, following in zip(commands, [*commands[1:], []], strict=True):
            yield from command
            line = " ".join(x[2:].removesuffix("\\") for x in command)
            shown = self._run(line)
            announced = following == ["$ echo $?"]
            assert not self.code or announced, f"{line}: exit code {self.code}\n{shown}"
            yield from shown.removesuffix("\n").split("\n") if shown else ()

    def _run(self, line: str) -> str:
        if line == "echo $?":
            said, self.code = f"{self.code}\n", 0
            return said
        if (parts := HERE.fullmatch(line)) is None:
            return self._shell(line)
        from funmem.cli import main

        said = CliRunner().invoke(main, shlex.split(parts["command"])[1:], prog_name="funmem")
        self.code = said.exit_code
        if not (rest := parts["rest"]):
            return said.output
        code, errors = self.code, "" if parts["both"] else said.stderr
        shown = errors + self._shell(f"cat {rest}", said.output if parts["both"] else said.stdout)
        if rest.startswith(">"):
            self.code = code
        return shown

    def _shell(self, line: str, fed: str = "") -> str:
        """What a command line prints in the folder; ``fed`` is its standard input."""
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            input=fed,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        found_differences = line.startswith("diff ") and done.returncode == 1
        self.code = 0 if found_differences else done.returncode
        return done.stdout

    def _doctest(self, lines: Sequence[str]) -> list[str]:
        pieces = doctest.DocTestParser().parse("\n".join([*lines, ""]))
        return "".join(p if isinstance(p, str) else self._example(p) for p in pieces).split("\n")[
            :-1
        ]

    def _example(self, e: doctest.Example) -> str:
        out = io.StringIO()
        try:
            with redirect_stdout(out):
                exec(compile(e.source, "<document>", "single"), self.names)
        except Exception as error:
            if e.exc_msg is None:
                raise
            out.write("Traceback (most recent call last):\n    ...\n")
            out.writelines(traceback.format_exception_only(error))
        first, *more = e.source.removesuffix("\n").split("\n")
        typed = [f">>> {first}", *(f"... {x}".rstrip() for x in more)]
        shown = re.sub(r"^$", "<BLANKLINE>", out.getvalue().removesuffix("\n"), flags=re.M)
        return "\n".join([*typed, *([shown] if out.getvalue() else []), ""])


def spoken(lines: Sequence[str]) -> Iterator[list[str]]:
    """The commands of a block; a line that ends in a backslash goes on in the next, after `> `."""
    command: list[str] = []
    for line in lines:
        if line.startswith("> " if command else "$ "):
            command.append(line)
            if not line.endswith("\\"):
                yield command
                command = []
    assert not command, command


def matches(pattern: Sequence[str], found: Sequence[str]) -> bool:
    """Whether the lines are those of the pattern, in which `...` stands for any lines."""
    regex = "".join(r"(.*\n)*?" if x == "..." else re.escape(x) + r"\n" for x in pattern)
    return re.fullmatch(regex, "".join(f"{x}\n" for x in found)) is not None


# ---------------------------------------------------------------------- references

LINK = re.compile(r"\[[^]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.*…-]+(/[\w.*…-]+)*/?")
SUFFIXES = {".py", ".md", ".fun", ".funmem", ".imp", ".toml", ".err", ".cl", ".json", ".npy"}


def prose(text: str) -> str:
    return "\n".join(x for b in blocks(text) if b.info is None for x in b.lines)


@cache
def anchors(document: Path) -> frozenset[str]:
    """The names under which a browser finds a document's headings."""
    headings = re.findall(r"^#+ (.*)$", prose(document.read_text(encoding="utf-8")), re.M)
    return frozenset(re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings)


def dead_links(document: Path, text: str) -> Iterator[str]:
    """Relative links that lead nowhere."""
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (document.parent / path).resolve() if path else document
        if not file.exists() or (anchor and anchor not in anchors(file)):
            yield target


def missing_paths(text: str, roots: Sequence[Path]) -> Iterator[str]:
    """What stands in backticks, looks like a file, and is none; `*` and `…` stand for any text."""
    top = {p.name for p in ROOT.iterdir()}
    for name in CODE.findall(text):
        if PATH.fullmatch(name) is None or not Path(name).name.strip("."):
            continue
        if Path(name).suffix not in SUFFIXES and ("/" not in name or name.split("/")[0] not in top):
            continue
        pattern = name.replace("…", "*").rstrip("/")
        if not any(next(root.glob(pattern), None) for root in roots):
            yield name


NAMES = r"((?:`\w+`,? (?:and )?)*`\w+`)"
OF_FILE = re.compile(rf"`([\w/]+\.py)` \({NAMES}")
IN_FILE = re.compile(rf"{NAMES} in `([\w/]+\.py)`")


def missing_names(text: str) -> Iterator[str]:
    """What is said to stand in a Python file, and does not: `x.py` (`f` and `g`), `f` in `x.py`."""
    flat = " ".join(text.split())
    said = [(m[1], m[2]) for m in OF_FILE.finditer(flat)]
    said += [(m[2], m[1]) for m in IN_FILE.finditer(flat)]
    for path, names in said:
        if (ROOT / path).is_file():
            words = set(re.findall(r"\w+", (ROOT / path).read_text(encoding="utf-8")))
            yield from (f"{x} in {path}" for x in re.findall(r"\w+", names) if x not in words)


def test_missing_names_are_found() -> None:
    text = "`ir/traverse.py` (`map_exp` and\n`nonsense`, which), `x` and `walk` in `ir/traverse.py`"
    assert list(missing_names(text)) == ["nonsense in ir/traverse.py"]


# ---------------------------------------------------------------------- what is not there yet

NOT_YET = {
    "arrays of arrays of recursive data as results": (
        "data chain = #end i64 | #next chain\n"
        "entry main (n : i64) : [1][1]chain =\n"
        "  [[(#next (#end n : chain) : chain)] : chain] : [1]chain",
        "not-supported",
    ),
    "definitions that call themselves inside an operand": (
        "def f : i64 -> i64 =\n"
        "  \\(n : i64) -> if n == 0 then 1 else\n"
        "    size 0 (rearrange (1, 0) (map (\\(q : i64) -> replicate 2 (@f q)) (iota n 0 1)))\n"
        "entry main (n : i64) : i64 = @f n",
        "not-supported",
    ),
}
"""Sentences of papers/README.md, and a program in Core that shows what they say."""

THERE = (
    "def f (n: i64) : i64 =\n"
    "  if n == 0 then 1\n"
    "  else (reduce_by_index_2d [[0]] (\\a b -> a + b * f (n - 1)) 0 [(0, 0)] [n])[0, 0]\n"
    "entry main (n: i64) = f n",
    "def fib (n: i64) : i64 = if n < 2 then n else fib (n - 1) + fib (n - 2)\nentry main = fib",
    "entry main (xs: []i64) = [x * i | x <- xs, i <- 0..<x]",
    "def f (k: i64) (xs: []i64) : []i64 = if k == 0 then xs else map (+ 1) (f (k - 1) xs)\n"
    "entry main (xs: []i64) = f 3 xs",
    "def f (n: i64) : i64 = if n == 0 then 1 else reduce (+) 0 (map f (iota n))\n"
    "entry main (n: i64) = f n",
    "def f (n: i64) : i64 =\n"
    "  if n == 0 then 1\n"
    "  else reduce (+) 0 (hist (\\a b -> a + b * f (n - 1)) 0 3 (iota n) (iota n))\n"
    "entry main (n: i64) = f n",
)
"""What earlier versions of those sentences said to be missing."""


@pytest.mark.parametrize("sentence", NOT_YET)
def test_what_is_said_to_be_missing_is_missing(sentence: str) -> None:
    text = " ".join((ROOT / "papers/README.md").read_text(encoding="utf-8").split())
    program, code = NOT_YET[sentence]
    assert sentence in text
    with pytest.raises(SourceError) as caught:
        Source("p.core", program, "core").parse()
    assert caught.value.diagnostic.code == code


@pytest.mark.parametrize("program", sampled(THERE, 3))
def test_what_was_missing_is_there(program: str) -> None:
    assert Source("p.fut", program, "fut").parse().entries


def test_every_update_through_an_lmad_can_lose_its_copy() -> None:
    """It was said to be a scatter, which short-circuiting does not see."""
    program = funmem.parse("""
entry main [n] (ys : [n]i32) -> (r : [n * 2]i32) =
  let (xs : [n * 2]i32) = replicate [n * 2] 0i32
  let (a : [n]i32) = kernel i < n do
    let (y : i32) = ys[i]
    let (z : i32) = y + 1i32
    in (z)
  let (x1 : [n * 2]i32) = xs with flat [0 + {(n : 2)}] = a
  in (x1)
""")
    report = Report()
    Pipeline.parse("allocate,hoist,short-circuit").run(program, report=report)
    done = [r for r in report.remarks if r.done and "update of a" in r.reason]
    assert len(done) == 1


# ---------------------------------------------------------------------- the tests


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where commands run: the checkout's files, `funmem` and `python` to call, PoCL as device."""
    from funmem.codegen.device import POCL

    place, programs = tmp_path / "reader", tmp_path / "bin"
    place.mkdir()
    programs.mkdir()
    for path in ROOT.iterdir():
        if not path.name.startswith("."):
            (place / path.name).symlink_to(path)
    for name, words in {"funmem": "-m funmem", "python": ""}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (programs / name).chmod(0o755)
    monkeypatch.chdir(place)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FUNMEM_DEVICE", POCL)
    return place


@pytest.mark.opencl
@pytest.mark.parametrize(
    "document",
    [
        pytest.param(p, id=name, marks=pytest.mark.slow if name in LONG else ())
        for p in DOCUMENTS
        for name in (str(p.relative_to(ROOT)),)
    ],
)
def test_a_document_is_true(document: Path, folder: Path, request: pytest.FixtureRequest) -> None:
    text = document.read_text(encoding="utf-8")
    if "opencl" in text and not has_pocl():
        pytest.skip("PoCL is not installed")
    reader = Reader(folder)
    found = "\n".join(x for b in blocks(text) for x in reader.block(b))
    if request.config.getoption("--update-golden") and found != text:
        document.write_text(found, encoding="utf-8", newline="\n")
        text = found
    assert found == text, "pytest tests/project/test_docs.py --update-golden brings it up to date"
    assert list(dead_links(document, prose(text))) == []
    assert list(missing_paths(prose(text), (document.parent, ROOT, folder))) == []
    assert list(missing_names(prose(text))) == []


def test_a_block_reads_back() -> None:
    text = "a\n  ```console\n  $ true\n\n  x\n  ```\n```python\n1\n```\nend\n"
    assert "\n".join(x for b in blocks(text) for x in b.lines) == text
    assert [b.info for b in blocks(text)] == [None, "console", None, "python", None]


def test_what_is_shown_is_checked(folder: Path) -> None:
    reader = Reader(folder)
    block = Block(["$ echo a; \\", "> echo b", "wrong", "$ false", "$ echo $?", "0"], "console")
    assert reader.block(block) == [
        "$ echo a; \\",
        "> echo b",
        "a",
        "b",
        "$ false",
        "$ echo $?",
        "1",
    ]
    with pytest.raises(AssertionError, match="exit code 1"):
        reader.block(Block(["$ false"], "console"))
    doc = Block(
        [
            ">>> 1 + 1",
            "3",
            "",
            ">>> 1 // 0",
            "Traceback (most recent call last):",
            "    ...",
            "NameError",
        ],
        "python",
    )
    assert reader.block(doc)[1] == "2"
    assert reader.block(doc)[-1] == "ZeroDivisionError: integer division or modulo by zero"
    with pytest.raises(ZeroDivisionError):
        reader.block(Block([">>> 1 // 0"], "python"))


def test_an_ellipsis_stands_for_lines_where_the_block_says_so(folder: Path) -> None:
    lines = ["$ printf 'a\\nb\\nc\\n'", "a", "...", "c"]
    assert Reader(folder).block(Block(lines, "console ellipsis")) == lines
    assert Reader(folder).block(Block(lines, "console"))[2] == "b"


def test_a_file_of_the_document_can_be_used(folder: Path) -> None:
    text = "<!-- file: x.txt -->\n```\nhello\n```\n```console\n$ cat x.txt | tr h j\n```"
    reader = Reader(folder)
    assert [x for b in blocks(text) for x in reader.block(b)][-2:] == ["jello", "```"]


def test_what_leads_nowhere_is_found() -> None:
    readme = ROOT / "README.md"
    assert list(
        dead_links(readme, "[a](ir/fun.py) [b](ir/funny.py) [c](#nowhere) [d](https:x)")
    ) == [
        "ir/funny.py",
        "#nowhere",
    ]
    text = "`ir/fun.py` `ir/funny.py` `ir/` `a/b` `nosuch.py` `.fun` `passes/m…/` `i/o`"
    assert list(missing_paths(text, (ROOT,))) == ["ir/funny.py", "nosuch.py"]
