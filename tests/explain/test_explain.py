"""``funmem explain``: what it says in text, JSON and HTML, and what it refuses to say."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from attrs import evolve

from funmem.driver.source import read
from funmem.driver.stages import pipeline_for
from funmem.explain.as_html import to_html
from funmem.explain.as_json import to_json
from funmem.explain.as_text import to_text
from funmem.explain.report import Explanation, explain, with_arguments, with_values
from funmem.ir.fun import Ann, Body, Copy, Kernel, MemProgram
from funmem.ir.imp import CopyElement, ImpProgram
from funmem.ir.imp_traverse import nested
from funmem.ir.names import Name
from funmem.ir.text import parse_fun
from funmem.ir.traverse import map_entries
from funmem.passes.framework import Context, Level, as_tree, mem_pass
from funmem.passes.lower import lower_program
from funmem.passes.mem.copying import CopyKind, copies
from funmem.passes.runner import Pipeline, Step
from tests.support.command_line import say
from tests.support.peaks import ROOT, corpus
from tests.support.sampling import sampled

SHORT = "schedule,simplify,allocate,hoist,expand,simplify,lower"
"""A pipeline that stays as it is, whatever the default one becomes."""

SQUARES = r"""-- The sum of the squares of every column.
entry main [n] [m] (xs : [n][m]i64) -> (sums : [m]i64) =
  let (totals : [m]i64) = kernel j < m do
    let (column : [n]i64) = xs[0 : n, j]
    let (squares : [n]i64) = kernel i < n do
      let (x : i64) = column[i]
      let (xx : i64) = x * x
      in (xx)
    let (total : i64) = kernel k < n reduce (\(a : i64) (b : i64) ->
      let (c : i64) = a + b
      in (c)) (0) do
      let (s : i64) = squares[k]
      in (s)
    in (total)
  in (totals)
"""


def explained(text: str, pipeline: Pipeline | str = SHORT, name: str = "p.fun") -> Explanation:
    passes = pipeline if isinstance(pipeline, Pipeline) else Pipeline.parse(pipeline)
    return explain(parse_fun(text, name), text, name, pipeline=passes)


@pytest.fixture
def squares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "squares.fun").write_text(SQUARES)
    return "squares.fun"


# ---------------------------------------------------------------------- text and JSON


def test_the_text(squares: str, golden: Callable[[str, str], None]) -> None:
    golden("explain/squares.txt", str(say(f"funmem explain {squares} -p {SHORT} --sizes n=3,m=5")))


def test_the_text_of_lu(golden: Callable[[str, str], None]) -> None:
    path = ROOT / "examples/lu.fun"
    found = explained(path.read_text(), name="lu.fun")
    golden("explain/lu.txt", to_text(found))


def test_json(squares: str) -> None:
    found = say(f"funmem explain {squares} -p {SHORT} --sizes n=3,m=5 --json").json
    (entry,) = found["entries"]
    assert entry["name"] == "main"
    assert entry["peak_bytes"]["formula"] == "Max(16*m, 16*m*n + 8*m)"
    assert entry["peak_bytes"]["value"] == 16 * 15 + 8 * 5
    assert entry["peak_bytes"]["exact"] is True
    blocks = {b["name"]: b for b in entry["blocks"]}
    assert list(blocks) == ["xs_mem_1", "totals_mem_1", "squares_mem_1", "totals_1_mem_1"]
    inner = blocks["squares_mem_1"]
    assert (inner["bytes"], inner["value"]) == ("8*m*n", 120)
    assert [(a["name"], a["line"]) for a in inner["arrays"]] == [("squares", 5)]
    assert (inner["from"]["line"], inner["to"]["line"]) == (5, 3)
    assert blocks["xs_mem_1"]["from"] is None
    assert blocks["totals_1_mem_1"]["to"] is None
    (copy,) = entry["copies"]
    assert (copy["source"], copy["dest"], copy["bytes"]) == ("totals", "totals_1", "8*m")
    assert copy["condition"]
    assert copy["reason"]
    assert entry["removed"] == []


def test_without_sizes_numbers_are_null(squares: str) -> None:
    (entry,) = say(f"funmem explain {squares} -p {SHORT} --json").json["entries"]
    assert entry["peak_bytes"]["value"] is None
    assert {b["value"] for b in entry["blocks"]} == {None}
    assert {s["live_bytes"] for s in entry["steps"]} == {None}


def test_a_call_says_the_same_as_its_sizes(squares: str) -> None:
    sizes = say(f"funmem explain {squares} --sizes n=2,m=3 --json").json
    call = say(f"funmem explain {squares} -i '[[1, 2, 3], [4, 5, 6]]' --json").json
    assert sizes == call


def test_a_size_that_is_data(tmp_path: Path) -> None:
    program = ROOT / "examples/ragged.fun"
    (entry,) = say(f"funmem explain {program} -i '[3, 0, 4]' --json").json["entries"]
    (quantity,) = [q for q in entry["quantities"] if q["kind"] == "data"]
    assert quantity["value"] == 4
    assert quantity["name"] in entry["peak_bytes"]["formula"]
    assert entry["peak_bytes"]["value"] == 16 * 3 + 8 * 3 * 4


def test_all_levels(tmp_path: Path, squares: str) -> None:
    for level, passes in (("funmem", SHORT.removesuffix(",lower")), ("imp", SHORT)):
        text = say(f"funmem opt {squares} -p {passes}").out
        (tmp_path / f"p.{level}").write_text(text)
        (entry,) = say(f"funmem explain p.{level} -p '' --json --sizes n=3,m=5").json["entries"]
        assert entry["peak_bytes"]["value"] == 280
        assert len(entry["copies"]) == (level == "funmem")


def test_every_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    second = SQUARES.replace("entry main", "entry second")
    Path("two.fun").write_text(f"{SQUARES}\n{second}")
    names = [e["name"] for e in say("funmem explain two.fun --json").json["entries"]]
    assert names == ["main", "second"]
    assert say("funmem explain two.fun --entry second").out.startswith("second [n] [m]")
    assert "which entry point" not in say("funmem explain two.fun --sizes n=1,m=1").err


# ---------------------------------------------------------------------- copies


@pytest.mark.parametrize("path", sampled(corpus(ROOT / "examples"), 3), ids=lambda p: p.stem)
def test_copies_are_those_that_lowering_makes(path: Path) -> None:
    tree = as_tree(pipeline_for(p := read(str(path)).parse(), Level.FUNMEM).run(p))
    assert len(copies(tree)) == moved(lower_program(tree))


def moved(p: ImpProgram) -> int:
    return sum(isinstance(s, CopyElement) for e in p.entries for s in nested(e.body))


EVERY_KIND = r"""
entry main [n] (x : [n]i64) (y : *[n][2]i64) (is : [n]i64) (r : [n][2]i64)
    -> (a : [n][n]i64) (b : [n][2]i64) (c : [n]i64) (d : [2]i64) =
  let (two : [n][n]i64) = replicate [n] x
  let (all : [n + n]i64) = concat 0 x x
  let (head : [n]i64) = all[0 : n]
  let (lit : [2][n]i64) = [head, x] : [n]i64
  let (row : [n]i64) = lit[1, 0 : n]
  let (up : [n][n]i64) = two with [0, 0 : n] = row
  let (y1 : [n][2]i64) = scatter y is r
  let (rows : [n][2]i64) = kernel i < n do
    let (t : [2]i64) = kernel j < 2 do
      let (f : i64) = r[i, j]
      in (f)
    in (t)
  let (ne : [2]i64) = replicate [2] 0
  let (sum : [2]i64) = kernel k < n reduce (\(p : [2]i64) (q : [2]i64) ->
    let (s : [2]i64) = kernel l < 2 do
      let (v : i64) = p[l]
      let (w : i64) = q[l]
      let (u : i64) = v + w
      in (u)
    in (s)) (ne) do
    let (e : [2]i64) = rows[k, 0 : 2]
    in (e)
  in (up, y1, row, sum)
"""


def test_every_kind_of_copy_is_found() -> None:
    tree = as_tree(Pipeline.parse("allocate").run(parse_fun(EVERY_KIND)))
    found = copies(tree)
    assert {c.kind for c in found} == {*CopyKind}
    assert len({c.key for c in found}) == len(found)
    assert len(found) == moved(lower_program(tree))


def test_why_a_copy_stays() -> None:
    (entry,) = explained(EVERY_KIND, "allocate,hoist,expand,sequentialise,lower").entries
    why = {(k.copy.kind, k.copy.source): k.reason for k in entry.kept}
    assert "indices" in why[CopyKind.SCATTER, Name("r")].reason
    assert "each repetition" in why[CopyKind.REPLICATE, Name("x")].reason
    assert "by copy" in why[CopyKind.OPERATOR, Name("ne")].reason
    assert "caller" in why[CopyKind.COPY, Name("y1")].reason
    assert "no pass short-circuit" in why[CopyKind.CONCAT, Name("x")].reason


@mem_pass("short-circuit", summary="says why, and does nothing")
def explains(p: MemProgram, ctx: Context) -> MemProgram:
    for e in p.entries:
        for s in e.body.stms:
            if isinstance(s.exp, Copy):
                ctx.remark(s, "(1) last use", f"`{s.exp.x}` is used again")
                ctx.remark(s, "(1) last use", "`somebody_else` is used again")
    return p


@mem_pass("in-place", summary="a result is built where it is copied to")
def in_place(p: MemProgram, ctx: Context) -> MemProgram:
    """For SQUARES: ``totals`` moves into its copy's block, which is allocated first."""

    def body(b: Body[Ann]) -> Body[Ann]:
        *_, alloc, copy = b.stms
        home = copy.pat[0].home
        stms = [
            evolve(s, pat=(evolve(s.pat[0], home=home),)) if isinstance(s.exp, Kernel) else s
            for s in b.stms[:-2]
        ]
        ctx.did(copy, "built in place", "`totals` is where it is copied to")
        return evolve(b, stms=(alloc, *stms, copy))

    return map_entries(p, body)


def with_pass(extra: Step) -> Pipeline:
    *steps, simplify, lower = Pipeline.parse(SHORT).steps
    return Pipeline((*steps, extra, simplify, lower))


def test_what_the_pass_said_of_a_copy() -> None:
    (entry,) = explained(SQUARES, with_pass(Step(explains))).entries
    (kept,) = entry.kept
    assert kept.reason.pass_name == "short-circuit"
    assert str(kept.reason) == "(1) last use: `totals` is used again"


def test_a_copy_that_went() -> None:
    (entry,) = explained(SQUARES, with_pass(Step(in_place))).entries
    assert entry.kept == ()
    (gone,) = entry.gone
    assert (gone.copy.source, gone.pass_name) == ("totals", "in-place")
    assert gone.how == "built in place: `totals` is where it is copied to"
    assert str(entry.peak) == "16*m*n + 8*m"


# ---------------------------------------------------------------------- HTML


class Page(HTMLParser):
    """Balanced tags, no links, no scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text: list[str] = []
        self.attributes: dict[str, list[str]] = {}
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, []).append(value or "")
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def test_the_page_is_complete_and_needs_nothing() -> None:
    found = explained((ROOT / "examples/lu.fun").read_text(), name="lu.fun")
    text = to_html(found)
    page = Page(text)
    assert {"svg", "table", "details", "style", "title"} <= page.tags
    assert page.tags.isdisjoint({"script", "link", "img", "iframe", "object"})
    assert page.attributes.keys().isdisjoint({"src", "href", "srcset", "onclick", "onload"})
    assert "url(" not in text
    assert "@import" not in text
    assert "http" not in text.replace("http-equiv", "")
    assert "details open" not in text
    said = " ".join(page.text)
    for name in ("column_mem_1", "block_mem_1", "for k < n", "Copies that stay", "8*n**2"):
        assert name in said


def test_the_page_draws_threads_and_numbers() -> None:
    passes = SHORT.replace("expand", "expand{layout=interleaved}")
    (entry,) = (found := explained(SQUARES, passes)).entries
    numbers = {Name("n"): 300, Name("m"): 200}
    page = Page(to_html(evolve(found, entries=(with_values(entry, numbers),))))
    classes = {c for value in page.attributes["class"] for c in value.split()}
    assert {"thread0", "thread1", "thread2", "argument", "inner", "result"} <= classes
    said = " ".join(page.text)
    assert "element 3: [1] where j = 0" in said  # thread j has elements j, j + m, j + 2*m, …
    assert "939.1 KiB" in said
    assert "961600 bytes for n = 300, m = 200" in said


HOSTILE = '</title></code><script>alert("x")</script>\x1b[2J\u202e'


def test_no_text_becomes_markup() -> None:
    text = SQUARES.replace("in (totals)", f"in (totals) -- {HOSTILE}").replace("\x1b", "")
    found = explained(text, name=f"{HOSTILE}.fun")
    page = Page(to_html(found))
    assert "script" not in page.tags
    said = "".join(page.text)
    assert '<script>alert("x")</script>' in said
    assert "\x1b" not in said
    assert "\u202e" not in said


def test_a_page_is_written(squares: str, tmp_path: Path) -> None:
    said = say(f"funmem explain {squares} --html page.html")
    assert (said.out, said.code) == ("wrote page.html\n", 0)
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")
    assert say(f"funmem explain {squares} --html no/such/page.html").code == 2


# ---------------------------------------------------------------------- limits, refusals


def test_a_limit_that_is_kept(squares: str) -> None:
    said = say(f"funmem explain {squares} --sizes n=3,m=5 --max-bytes 100000 --json")
    assert said.json["entries"][0]["peak_bytes"]["value"] <= 100_000


@pytest.mark.slow
def test_the_limit_chooses_passes(squares: str) -> None:
    def peak(options: str) -> tuple[int, str]:
        found = say(f"funmem explain {squares} --for gpu --sizes n=300,m=2 {options} --json")
        assert found.code == 0, found.err
        return found.json["entries"][0]["peak_bytes"]["value"], found.json["pipeline"]

    most, default = peak("")
    least = min(most, *(int(x) for x in re.findall(r"at least (\d+)", _refused(squares))))
    assert peak(f"--max-bytes {least}")[0] == least
    if least < most:
        assert peak(f"--max-bytes {least}")[1] != default


def _refused(program: str) -> str:
    said = say(f"funmem explain {program} --for gpu --sizes n=300,m=2 --max-bytes 10")
    assert said.code == 4
    return said.err


def test_a_limit_that_nothing_keeps(squares: str, golden: Callable[[str, str], None]) -> None:
    commands = [
        f"funmem explain {squares} -p {SHORT} --sizes n=3,m=5 --max-bytes 279",
        f"funmem explain {squares} -p {SHORT} --max-bytes 279",
        f"funmem compile {squares} -p {SHORT} -o out --sizes n=3,m=5 --max-bytes 279",
        f"funmem compile {squares} -p {SHORT} -o out --sizes n=3,m=5 --max-bytes 280",
        f"funmem compile {squares} -p {SHORT} -o out --sizes n=3,m=5",
        f"funmem explain {squares} --sizes n=3",
        f"funmem explain {squares} --sizes n=3,m=5,k=4",
        f"funmem explain {squares} --sizes n=-3,m=5",
        f"funmem explain {squares} --sizes n=3 -i 4",
        f"funmem explain {squares} --entry other",
        f"funmem explain {ROOT / 'examples/ragged.fun'} --sizes n=5",
    ]
    text = "\n".join(str(say(c)) for c in commands)
    golden("explain/refusals.txt", text.replace(f"{ROOT}/", ""))


def test_json_and_text_agree_on_the_peak(squares: str) -> None:
    found = explained(SQUARES)
    formula = to_json(found)["entries"][0]["peak_bytes"]["formula"]
    assert f"Peak: {formula} bytes" in to_text(found)


CALL_ON_THE_HOST = """
def f (x : f32) -> (r : f32) =
  let (a : f32) = x * 2.0f32 + 1.0f32
  let (b : f32) = a * a + x
  in (b)
entry main (n : i64) (x : f32) -> (r : [n]f32) =
  let (y : f32) = call f (x)
  let (ys : [n]f32) = replicate [n] y
  in (ys)
"""


def test_a_call_on_the_host() -> None:
    """Finds a plan that is made without the program's functions."""
    report = explained(CALL_ON_THE_HOST, "allocate,lower").entries[0]
    assert str(report.peak) == "8*n"
    assert with_arguments(report, (3, 2.0)).measured is not None


def test_copies_for_foreign_functions_are_named() -> None:
    """Each array by its place among the arguments or results; a function on scalars copies none."""
    said = say("funmem explain tests/programs/nova/foreign/vectors.nova").out
    _, _, text = said.partition("Copies to and from foreign functions\n")
    found = [line.split(": ", 1)[1] for line in text.splitlines() if line]
    assert found == [
        "to scaled: array 1 of its arguments",
        "from scaled: array 1 of its results",
        "to signs: array 1 of its arguments",
        "to signs: array 2 of its arguments",
        "from signs: array 1 of its results",
        "from signs: array 2 of its results",
        "from few: array 1 of its results",
        "to largest: array 1 of its arguments",
    ]
    scalars = "tests/programs/nova/foreign/scalars_and_tuples.nova"
    assert "foreign functions" not in say(f"funmem explain {scalars}").out
