"""papers/frontends/errors.md lists every error of the front end, with a program and its message.

The page is made from the table in the sources: ``pytest tests/frontends/futhark/test_errors_page.py
--update-golden`` writes it, and ``pytest tests/project/test_docs.py`` runs the command in its head.
"""

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from funmem.frontends.futhark.error_codes import ErrorCode
from funmem.frontends.futhark.error_table import ERRORS, SECTIONS
from funmem.frontends.futhark.program import to_core
from funmem.ir.diagnostics import Diagnostic, SourceError
from tests.support.paths import ROOT

PAGE = ROOT / "papers" / "frontends" / "errors.md"
SOURCES = ROOT / "funmem" / "frontends" / "futhark"

HEAD = """\
# Compile-time errors of the `.fut` front end

Each error message has a position, a code in brackets, a description of the error, and often a hint.
This page has an entry for each code. Each entry has an example program, followed by the message
that the program is rejected with. The page is generated from the table in
`funmem/frontends/futhark/error_table.py` by
`python -m pytest tests/frontends/futhark/test_errors_page.py --update-golden`.

<!-- file: example.fut -->
```futhark
def main (xs: [3]i32) = xs with [0] = 1
```

```console
$ funmem check example.fut
{console}
$ echo $?
1
```

The exit code for a rejected program is 1. With `--json` the message is printed as JSON.
"""


FIRST = ErrorCode("", "", "", "def main (xs: [3]i32) = xs with [0] = 1\n")
Found = Mapping[str, tuple[Diagnostic, str]]
"""Code -> what its example is rejected with, and that as a person sees it."""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("errors"))
        return {c.code: rejected(c) for c in (FIRST, *ERRORS.values())}


def rejected(entry: ErrorCode) -> tuple[Diagnostic, str]:
    files = {**dict(entry.files), "example.fut": entry.example}
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    with pytest.raises(SourceError) as error:
        to_core(entry.example, "example.fut")
    diagnostic = error.value.diagnostic
    return diagnostic, diagnostic.render(files.get(diagnostic.at.file))


def page(found: Found) -> str:
    lines = [HEAD.format(console=found[FIRST.code][1])]
    for title, codes in SECTIONS:
        links = ", ".join(f"[{c.code}](#{c.code})" for c in codes)
        lines += paragraph(f"- {title}: {links}", indent="  ")
    for title, codes in SECTIONS:
        lines += ["", f"## {title}"]
        for c in codes:
            lines += ["", f"### {c.code}", "", *paragraph(f"{c.title}. {c.explanation}")]
            for name, text in c.files:
                lines += ["", f"`{name}`:", "", "```futhark", text.rstrip("\n"), "```"]
            lines += ["", "```futhark", c.example.rstrip("\n"), "```"]
            lines += ["", "```text", found[c.code][1], "```"]
    return "\n".join(lines) + "\n"


def paragraph(text: str, indent: str = "") -> list[str]:
    """Lines of 100 characters, without a break inside of a code span."""
    glued = re.sub(r"`[^`]*`", lambda m: m[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(
        glued, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return [line.replace("\0", " ") for line in lines]


def test_the_page_is_up_to_date(found: Found, request: pytest.FixtureRequest) -> None:
    expected = page(found)
    if request.config.getoption("--update-golden"):
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(expected, encoding="utf-8", newline="\n")
    assert PAGE.read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("code", ERRORS)
def test_an_example_has_its_code(code: str, found: Found) -> None:
    diagnostic, text = found[code]
    assert diagnostic.code == code
    assert code == "no-entry" or " | " in text


def test_no_code_stands_twice() -> None:
    assert len(ERRORS) == sum(len(codes) for _, codes in SECTIONS)


def test_explanations_are_sentences() -> None:
    for entry in ERRORS.values():
        assert not entry.title.endswith("."), entry.code
        assert entry.explanation.endswith((".", "…")), entry.code


# ---------------------------------------------------------------------- the codes in the sources

RAISING = {"fail": 1, "failure": 1, "Diagnostic": 1}
"""Functions that make an error, and which of their arguments is its code."""


def codes_in(source: str) -> Iterator[str]:
    """The codes that a module raises."""
    tree = ast.parse(source)
    named: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            for target in node.targets:
                if isinstance(target, ast.Name) and isinstance(node.value.value, str):
                    named.setdefault(target.id, []).append(node.value.value)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id not in RAISING or _is_no_error(node):
            continue
        match node.args[1]:
            case ast.Constant(str() as code):
                yield code
            case ast.Name(name):
                yield from named.get(name, ())
            case _:
                pass


def _is_no_error(call: ast.Call) -> bool:
    """A remark or a warning."""
    severity = ast.unparse(call.args[4]) if len(call.args) > 4 else ""
    return severity in ("'remark'", "'warning'")


def test_codes_are_found() -> None:
    source = """
CODE = "a"
if x:
    code = "b"
else:
    code = "c"
fail(at, code, "")
Diagnostic(at, CODE, "")
raise failure(at, "d", "message", "hint")
Diagnostic(at, "no", what, why, "remark")
Diagnostic(at, "no", what, why, "warning")
other(at, "no")
"""
    assert sorted(codes_in(source)) == ["a", "b", "c", "d"]


def test_every_code_is_in_the_table() -> None:
    raised = {code for path in SOURCES.rglob("*.py") for code in codes_in(path.read_text("utf-8"))}
    assert raised == set(ERRORS)
