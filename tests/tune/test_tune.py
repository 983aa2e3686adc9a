"""tune: what wins is what is faster, right, and found in time; what is kept is used there only.

Protects ``funmem/tune``, ``funmem/driver/stored_tunings.py``, the command, and what `run`,
`compile`, `bench` and the Python API make of a tuning.  Searches here have clocks and contenders of
their own, whose runs take as long as the test says.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from attrs import define, evolve, field, frozen
from platformdirs import user_cache_path

import funmem
from funmem.bench import rounds
from funmem.bench.contenders import Contender, Run
from funmem.bench.ours import Compiled
from funmem.bench.tasks import Task
from funmem.codegen.c_library import FLAGS, COptions
from funmem.codegen.cache import Cache
from funmem.codegen.commands import group_size
from funmem.codegen.device import POCL, choose
from funmem.codegen.folders import cache_root
from funmem.commands import doctor
from funmem.driver.compilation import lowered_to, with_tunings
from funmem.driver.engines import prepare
from funmem.driver.entry_points import signature_of
from funmem.driver.options import Engine, Options
from funmem.driver.stages import default_pipeline, tuned
from funmem.driver.stored_tunings import (
    FOLDER,
    Place,
    keep,
    keep_for_machine,
    look_up,
    machine_defaults,
    place_of_c,
    place_of_device,
)
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic, Trap, TrapKind, UsageError
from funmem.ir.imp import ImpProgram
from funmem.ir.values import ArrayValue
from funmem.passes.framework import Level
from funmem.passes.imp.vectorise import groups
from funmem.passes.registry import find
from funmem.passes.tuning import DEFAULT, DEFAULTS, PASSES, Compiler, Processor, Tuning, defaults
from funmem.tune import machine, subject, values
from funmem.tune.contest import Contest
from funmem.tune.machine import KERNELS, KernelsSubject, kernel_tasks
from funmem.tune.search import Found, Search, Verdict
from tests.support.command_line import say
from tests.support.devices import needs_compiler
from tests.support.paths import ROOT
from tests.support.sampling import sampled

HERE = Place("here", ("c", "a compiler"))
TWO = """\
entry sum [n] (xs : [n]f32) -> (s : f32) =
  let (all : f32) = kernel i < n reduce comm (\\ (x : f32) (y : f32) ->
    let (z : f32) = x + y
    in (z)) (0.0f32) do
    let (v : f32) = xs[i]
    in (v)
  in (all)

entry prefix [n] (xs : [n]i32) -> (ys : [n]i32) =
  let (all : [n]i32) = kernel i < n scan (\\ (x : i32) (y : i32) ->
    let (z : i32) = x + y
    in (z)) (0i32) do
    let (v : i32) = xs[i]
    in (v)
  in (all)
"""


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two.fun, a cache of its own, PoCL; C is built fast, and nobody pauses between
    contenders.
    """
    (tmp_path / "two.fun").write_text(TWO)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FUNMEM_DEVICE", POCL)
    monkeypatch.setattr(rounds, "PAUSE", 0.0)
    monkeypatch.setattr(COptions, "flags", property(lambda _: (*FLAGS, "-O0", "-fopenmp")))
    return tmp_path


# ---------------------------------------------------------------------- the record


def test_defaults_are_those_of_the_passes() -> None:
    """Each parameter is the option of a pass, and has one default."""
    for name, pass_name in PASSES.items():
        assert find(pass_name).option(name).default == getattr(DEFAULT, name)
    assert set(values.CPU) == set(PASSES)
    assert set(values.GPU) <= {*PASSES, "group"}


def test_the_defaults_change_no_pipeline() -> None:
    for gpu in (False, True):
        whole = default_pipeline(Level.FUN, Level.IMP, gpu=gpu)
        assert tuned(whole, DEFAULT) == whole


def test_a_tuning_becomes_options() -> None:
    whole = default_pipeline(Level.FUN, Level.IMP)
    text = str(tuned(whole, Tuning(threads=16, strip=32, tall=8, width=16, rounds=2, rows=4)))
    for part in ("schedule{threads=16,strip=32}", "tile{tall=8}", "unroll-and-jam{rows=4}"):
        assert part in text
    assert "vectorise{width=16,rounds=2}" in text


@pytest.mark.parametrize(
    "text", ["schedule{strip=0}", "schedule{threads=0}", "vectorise{rounds=0}"]
)
def test_bad_numbers_are_refused(text: str) -> None:
    said = say(f"funmem opt two.fun -p 'simplify,{_before(text)}{text}'")
    assert said.code == 2
    assert "positive number" in said.err


def _before(text: str) -> str:
    return "schedule,allocate,lower," if text.startswith("vectorise") else ""


@pytest.mark.parametrize(
    "tuning",
    sampled([Tuning(threads=3), Tuning(strip=16), Tuning(strip=5), Tuning(300, 256)], 3),
    ids=str,
)
def test_no_choice_changes_results(tuning: Tuning) -> None:
    """Also for arrays that are shorter than a strip, or than there are threads."""
    program = funmem.load("two.fun")
    passes = tuned(default_pipeline(Level.FUN, Level.IMP), tuning)
    runner = prepare(program, Engine.IMP, Options(passes))
    for n in (0, 1, 63, 700):
        xs = np.arange(n, dtype=np.int32) % 7
        (s,) = runner.run("sum", [xs.astype(np.float32)]).values
        assert s == float(xs.sum())
        (ys,) = runner.run("prefix", [xs]).values
        assert isinstance(ys, ArrayValue)
        assert np.array_equal(ys.data, np.cumsum(xs, dtype=np.int32))


def test_groups_of_long_ranges_are_as_asked() -> None:
    assert group_size(False, 5000, 16) == 16
    assert group_size(False, 100, 16) == 1
    assert group_size(True, 1 << 16, 512) == 512
    assert group_size(True, 100, 512) == 64
    assert (group_size(False, 5000), group_size(True, 1 << 16)) == (64, 256)


# ---------------------------------------------------------------------- the search


@define(eq=False)
class Time:
    """A clock that only what is done here moves."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@frozen(eq=False)
class Made:
    code: str
    build: Callable[[], Contender]


@define(eq=False)
class World:
    """Candidates whose runs take ``seconds`` of a tuning; compiling takes one second, building
    ten.  ``bad``: what is wrong with a candidate; ``code``: its text.
    """

    seconds: Callable[[Tuning], float]
    bad: Mapping[Tuning, str | Exception] = field(factory=dict)
    code: Callable[[Tuning], str] = str
    clock: Time = field(factory=Time)
    built: list[Tuning] = field(factory=list)

    def compile(self, tuning: Tuning) -> Made:
        self.clock.now += 1.0
        return Made(self.code(tuning), lambda: self.contender(tuning))

    def contender(self, tuning: Tuning) -> Contender:
        self.built.append(tuning)
        self.clock.now += 10.0

        def run() -> Run:
            seconds = self.seconds(tuning)
            self.clock.now += seconds
            return Run(seconds, tuple)

        return Contender(str(tuning), run)

    def wrong(self, built: Contender) -> str | None:
        built.run()
        why = next((w for t, w in self.bad.items() if str(t) == built.name), None)
        if isinstance(why, Exception):
            raise why
        return why

    def search(self, what: values.Values, budget: float = 1e6, earlier: Tuning = DEFAULT) -> Found:
        default = self.contender(DEFAULT)
        return Search(self, what, budget, self.clock).run(default, self.code(DEFAULT), earlier)


def verdicts(found: Found) -> dict[str, Verdict]:
    return {str(t.tuning): t.verdict for t in found.tried}


def test_the_fastest_wins() -> None:
    """One parameter after the other, each with the best of those before."""
    w = World(lambda t: 1.0 + abs(t.tall - 16) / 100 + abs(t.rows - 4) / 100)
    found = w.search({"tall": (8, 16, 64), "rows": (2, 4, 8)})
    assert found.tuning == Tuning(tall=16, rows=4)
    assert found.complete
    assert found.ratio == pytest.approx(1 / 1.52)
    assert verdicts(found)["tall=16, rows=4"] is Verdict.FASTER


def test_who_gains_too_little_does_not_win() -> None:
    w = World(lambda t: 1.0 if t == DEFAULT else 0.99)
    assert w.search({"tall": (16, 64)}).tuning == DEFAULT


def test_who_gains_less_than_the_noise_does_not_win() -> None:
    """The default scatters by a fifth; somebody is a twentieth faster."""
    turns = iter([1.0, 1.2, 0.8] * 1000)
    w = World(lambda t: next(turns) * (1.0 if t == DEFAULT else 0.95))
    assert w.search({"tall": (16, 64)}).tuning == DEFAULT


def test_a_wrong_candidate_loses_however_fast() -> None:
    fast = Tuning(tall=16)
    w = World(lambda t: 0.1 if t == fast else 1.0, {fast: "1 of 9 elements is wrong"})
    found = w.search({"tall": (16, 64)})
    assert found.tuning == DEFAULT
    assert verdicts(found) == {"tall=16": Verdict.WRONG}


def test_one_that_traps_is_wrong_and_one_that_does_not_build_has_failed() -> None:
    said = Diagnostic(NOWHERE, "x", "no")
    bad: dict[Tuning, str | Exception] = {
        Tuning(tall=16): Trap(TrapKind.DIVISION, "no"),
        Tuning(tall=128): DeviceError(said),
    }
    found = World(lambda t: 1.0, bad).search({"tall": (16, 64, 128)})
    assert verdicts(found) == {"tall=16": Verdict.WRONG, "tall=128": Verdict.FAILED}


def test_the_same_code_is_built_once() -> None:
    """A parameter that does not matter costs nothing but compiling, and that once."""
    w = World(lambda t: 2.0 - (t.rows == 4), code=lambda t: f"rows={t.rows}")
    found = w.search({"tall": (8, 16, 64), "rows": (4, 8)})
    assert w.built == [DEFAULT, Tuning(rows=4)]
    assert [t.why for t in found.tried if t.verdict is Verdict.SAME][:2] == ["defaults"] * 2
    assert sum(t.tuning.tall != 64 for t in found.tried) == 2


def test_the_budget_is_kept() -> None:
    """No candidate is begun that, with the last contest, would not be done in time."""
    what = {"threads": tuple(range(1, 400))}
    for budget in (0.0, 30.0, 60.0, 300.0):
        w = World(lambda t: 0.5, code=lambda t: str(t.threads))
        found = w.search(what, budget)
        assert not found.complete
        assert w.clock.now <= 10.0 + budget + 11.0 + 0.5, "the default, and what was begun"
    assert len(w.built) > 5


def test_the_budget_leaves_room_for_the_last_contest() -> None:
    w = World(lambda t: 1.0 / t.threads, code=lambda t: str(t.threads))
    found = w.search({"threads": tuple(range(128, 600))}, budget=100.0)
    assert not found.complete
    assert found.tuning != DEFAULT
    assert found.rounds >= 3
    assert w.clock.now <= 10.0 + 100.0 + 11.0


def test_who_wins_by_chance_loses_in_the_end() -> None:
    """A candidate that is fast in its first runs only."""
    runs: dict[Tuning, int] = {}

    def seconds(t: Tuning) -> float:
        runs[t] = runs.get(t, 0) + 1
        return 0.5 if t.tall == 16 and runs[t] < 14 else 1.0

    found = World(seconds).search({"tall": (16, 64)})
    assert found.tuning == DEFAULT
    assert [t.verdict for t in found.tried] == [Verdict.FASTER, Verdict.NOT_FASTER]


def test_what_was_found_before_comes_first() -> None:
    w = World(lambda t: 0.5 if t.tall == 16 else 1.0)
    found = w.search({"rows": (8,)}, earlier=Tuning(tall=16))
    assert found.tuning == Tuning(tall=16)
    assert World(lambda t: 1.0).search({"rows": (8,)}, earlier=Tuning(tall=16)).tuning == DEFAULT


def test_a_contest_is_won_by_more_than_noise_and_not_by_one_round() -> None:
    assert Contest((0.9, 0.9, 0.9, 0.9), 1.0).is_won(0.05)
    assert not Contest((0.9, 0.9, 0.9, 0.9), 1.0).is_won(0.2)
    assert not Contest((0.5, 0.5, 1.5, 1.5, 0.5), 1.0).is_won(0.0)


# ---------------------------------------------------------------------- what is kept


def test_a_tuning_is_for_one_entry_one_place_one_way() -> None:
    program = funmem.load("two.fun")
    keep(program, "sum", HERE, Tuning(threads=16), safe=False)
    assert look_up(program, lambda: HERE, safe=False) == {"sum": Tuning(threads=16)}
    assert look_up(program, lambda: HERE, safe=True) == {}
    for words in (("c", "another compiler"), ("opencl", "a compiler"), ("c", "a", "compiler")):
        assert look_up(program, lambda w=words: Place("there", w), safe=False) == {}
    changed = funmem.parse(TWO.replace("0.0f32", "1.0f32"))
    assert look_up(changed, lambda: HERE, safe=False) == {}
    keep(program, "sum", HERE, DEFAULT, safe=False)
    assert look_up(program, lambda: HERE, safe=False) == {}


@pytest.mark.opencl
def test_a_place_is_device_driver_and_units() -> None:
    info = choose(POCL)
    others = (evolve(info, driver="4.0"), evolve(info, name="x"), evolve(info, units=999))
    places = {place_of_device(d).words for d in (info, *others)}
    assert len(places) == 4


@needs_compiler
def test_the_place_of_c_is_compiler_flags_and_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    one = place_of_c()
    assert set(COptions().flags) <= set(one.words)
    monkeypatch.setenv("OMP_NUM_THREADS", "63")
    assert place_of_c() != one


def test_nobody_asks_where_nothing_was_tuned() -> None:
    def asked() -> Place:
        raise AssertionError

    program = funmem.load("two.fun")
    assert look_up(program, asked, safe=False) == {}
    keep(funmem.parse(TWO.replace("0i32", "1i32")), "prefix", HERE, Tuning(rows=2), safe=False)
    assert look_up(program, asked, safe=False) == {}
    assert look_up(funmem.load(ROOT / "papers/funmem/fig13.imp"), asked, safe=False) == {}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b'{"changes": {}}',
        b'{"processor": "z80", "changes": {}}',
        *(
            b'{"processor": "avx512", "changes": %s}' % x
            for x in (b"[]", b'{"threads": -1}', b'{"x": 1}', b'{"rows": 1e3}', b'{"rows": true}')
        ),
    ],
)
def test_what_cannot_be_understood_is_no_tuning(content: bytes) -> None:
    program = funmem.load("two.fun")
    keep(program, "sum", HERE, Tuning(threads=16), safe=False)
    store = Cache.of(FOLDER)
    for file in store.folder.glob("*.bin"):
        if store.get(file.stem):
            store.put(file.stem, content)
    assert look_up(program, lambda: HERE, safe=False) == {}


@pytest.mark.parametrize("home", ["", "/somewhere/else"])
def test_the_folder_is_that_of_the_system(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """We know on Linux without asking."""
    monkeypatch.delenv("FUNMEM_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", home)
    assert cache_root() == user_cache_path("funmem", appauthor=False)


def test_a_folder_of_others_is_refused(place: Path) -> None:
    program = funmem.load("two.fun")
    keep(program, "sum", HERE, Tuning(threads=16), safe=False)
    assert (place / "cache" / FOLDER).stat().st_mode & 0o777 == 0o700
    (place / "cache" / FOLDER).chmod(0o777)
    with pytest.raises(UsageError, match="can be written to by other users"):
        look_up(program, lambda: HERE, safe=False)


def test_what_is_kept_is_listed_and_forgotten() -> None:
    """Of one program or of all; what is forgotten is not used any more."""
    program, other = funmem.load("two.fun"), funmem.parse(TWO.replace("0i32", "1i32"))
    for entry, safe in (("sum", True), ("sum", False), ("prefix", True)):
        keep(program, entry, HERE, Tuning(threads=16), safe=safe, name="two")
    keep(other, "prefix", HERE, Tuning(rows=2), safe=True)
    assert say("funmem tune --list two.fun").out.splitlines() == [
        f"two, entry prefix, {HERE.name}: threads=16",
        f"two, entry sum, {HERE.name}, --fast: threads=16",
        f"two, entry sum, {HERE.name}: threads=16",
    ]
    rows = say("funmem tune --list --json").json["kept"]
    assert (rows[0]["name"], rows[0]["entry"], rows[0]["tuned"]) == ("", "prefix", {"rows": 2})
    assert len(rows) == 4
    assert len(say("funmem tune --forget two.fun").out.splitlines()) == 3
    assert look_up(program, lambda: HERE, safe=True) == {}
    assert look_up(other, lambda: HERE, safe=True) == {"prefix": Tuning(rows=2)}
    assert say("funmem tune --list two.fun").out == "nothing is stored for two.fun\n"
    assert say("funmem tune --forget").out == f"forgotten: entry prefix, {HERE.name}: rows=2\n"
    assert say("funmem tune --list").out == "nothing is stored\n"
    assert Cache.of(FOLDER).stored() == []
    assert say("funmem tune").code == 2


def test_a_machine_has_defaults_for_programs_without_a_tuning() -> None:
    """They are stored for a place; a program's own result counts more, also if it is the default
    of the class.
    """
    program, avx2 = funmem.load("two.fun"), DEFAULTS[Processor.AVX2]
    found, own = avx2.changed({"rows": 4}), avx2.changed({"threads": 16})
    llvm = defaults(Processor.AVX2, Compiler.LLVM)
    assert (avx2.changes(), llvm.changes(), found.changes()) == ({}, {}, {"rows": 4})
    keep_for_machine(HERE, llvm)
    assert machine_defaults(HERE) == llvm != avx2
    keep_for_machine(HERE, found)
    there = Place("there", ("c", "another compiler"))
    assert (machine_defaults(HERE), machine_defaults(there)) == (found, None)
    for safe in (True, False):
        assert look_up(program, lambda: HERE, safe=safe, plain=avx2) == dict.fromkeys(
            ("sum", "prefix"), found
        )
    assert look_up(program, lambda: there, safe=True, plain=avx2) == {}
    keep(program, "sum", HERE, own, safe=True)
    keep(program, "prefix", HERE, avx2, safe=True)
    assert look_up(program, lambda: HERE, safe=True, plain=avx2) == {"sum": own}

    listed = f"this machine, {HERE.name}: rows=4\n"
    assert say("funmem tune --list --machine").out == listed
    assert say("funmem tune --list").out.count("\n") == 3
    assert say("funmem tune --list two.fun").out.count("\n") == 2
    (row,) = say("funmem tune --list --machine --json").json["kept"]
    assert row == {"machine": True, "place": HERE.name, "tuned": {"rows": 4}}
    assert say("funmem tune --forget --machine").out == f"forgotten: {listed}"
    assert machine_defaults(HERE) is None
    assert look_up(program, lambda: HERE, safe=True, plain=avx2) == {"sum": own}
    for wrong in ("--machine two.fun", "--machine --random n=1", "--machine --list two.fun"):
        assert "--machine is for all programs" in say(f"funmem tune {wrong}").err


# ---------------------------------------------------------------------- classes of processors


def test_the_class_is_an_input_of_the_compilation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what is compiled for this machine depends on it."""
    program = funmem.load("two.fun")

    def plain(options: Options) -> Tuning:
        settled = with_tunings(program, options)
        assert settled.tunings == {}
        return settled.defaults

    assert DEFAULTS[Processor.AVX512] == DEFAULT != DEFAULTS[Processor.AVX2]
    for here in Processor:
        monkeypatch.setenv("FUNMEM_PROCESSOR", here.value)
        assert plain(Options()) == DEFAULT
        assert plain(Options(tuned=True)) == DEFAULTS[here]
        assert plain(Options(tuned=True, gpu=True)) == DEFAULT
        for gpu, wanted in ((False, defaults(here, Compiler.LLVM)), (True, DEFAULT)):
            assert plain(Options(tuned=True).for_device(gpu=gpu)) == wanted
        for asked in Processor:
            assert plain(Options(tuned=True, processor=asked)) == DEFAULTS[asked]
    keep_for_machine(HERE, Tuning(rows=2))
    found = with_tunings(program, Options(tuned=True), lambda: HERE).tunings
    assert found == dict.fromkeys(("sum", "prefix"), Tuning(rows=2))
    asked_for = Options(tuned=True, processor=Processor.AVX512)
    assert with_tunings(program, asked_for, lambda: HERE).tunings == {}


def test_the_class_decides_the_passes() -> None:
    """Also where some entry points have a tuning of their own, which is not relative to it."""
    program = funmem.load("two.fun")
    avx2 = Options(processor=Processor.AVX2)

    def passes(options: Options) -> str:
        return str(lowered_to(Level.IMP, program, options)[1])

    assert passes(avx2) == str(tuned(default_pipeline(), DEFAULTS[Processor.AVX2]))
    own = {"sum": DEFAULT, "prefix": DEFAULT}
    assert passes(evolve(avx2, tunings=own)) == str(default_pipeline())


def test_the_class_on_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for p in Processor:
        asked = say(f"funmem opt --print-pipeline --processor {p.value}").out.strip()
        assert asked == str(default_pipeline(plain=DEFAULTS[p]))
    emitted = "funmem opt two.fun --processor avx2 --print-pipeline --emit"
    assert say(f"{emitted} c").out != say(f"{emitted} opencl").out
    monkeypatch.setenv("FUNMEM_PROCESSOR", "avx1024")
    said = say("funmem compile two.fun -o cl")
    assert "FUNMEM_PROCESSOR: there is no class of processors `avx1024`" in said.err
    assert said.code == 2
    assert doctor._class()[0] == "", "and doctor does not fail"
    assert say("funmem compile two.fun -o cl --processor avx2").code == 0


# ---------------------------------------------------------------------- what is used


@needs_compiler
@pytest.mark.slow
def test_c_uses_what_is_kept_and_says_so() -> None:
    program = funmem.load("two.fun")
    keep(program, "sum", place_of_c(), Tuning(threads=16, strip=32), safe=True)
    command = "funmem run two.fun --entry sum -i '[1, 2, 3]' --via c"
    said = say(command)
    assert (said.out, said.err) == ("6.0f32\n", "tuned: threads=16, strip=32\n")
    answer = say(f"{command} --json").json
    assert answer["tuned"] == {"sum": {"threads": 16, "strip": 32}}
    other = "funmem run two.fun --entry prefix -i '[1, 2]' --via c"
    for quiet in (f"{command} --no-cache", other):
        assert say(quiet).err == ""
    assert "tuned" not in say(f"{command} --no-cache --json").json
    given = Options(default_pipeline(Level.FUN, Level.IMP), tuned=True)
    assert with_tunings(program, given).tunings == {}, "who names passes gets these"

    said = say("funmem compile two.fun --target c -o lib")
    assert said.err == "tuned: sum: threads=16, strip=32\n"
    tuned_text = (Path("lib") / "two.c").read_text()
    say("funmem compile two.fun --target c -o lib --no-cache")
    assert (Path("lib") / "two.c").read_text() != tuned_text
    json_said = say("funmem compile two.fun --target c -o lib --json").json
    assert json_said["tuned"] == {"sum": {"threads": 16, "strip": 32}}
    assert say("funmem compile two.fun -o cl").err == "", "another place"


@pytest.mark.opencl
@pytest.mark.slow
def test_devices_use_what_is_kept() -> None:
    program = funmem.load("two.fun")
    keep(program, "prefix", place_of_device(choose(POCL)), Tuning(threads=8, group=16), safe=True)
    xs = np.arange(100, dtype=np.int32)
    compiled = funmem.compile(program, safe=True)
    assert compiled.tunings == {"prefix": Tuning(threads=8, group=16)}
    assert [compiled.entry(e).plan.group for e in compiled.entries] == [0, 16]
    assert np.array_equal(compiled.entry("prefix")(xs), np.cumsum(xs, dtype=np.int32))
    assert funmem.compile(program, safe=True, cache=False).tunings == {}
    assert say("funmem compile two.fun -o cl").err == "tuned: prefix: threads=8, group=16\n"
    plan = json.loads(Path("cl/two.plan.json").read_text())
    assert [e["group"] for e in plan["entries"]] == [0, 16]
    assert say("funmem compile two.fun -o cl --for gpu").err == ""


@pytest.mark.exhaustive
@needs_compiler
def test_bench_uses_what_is_kept() -> None:
    keep(funmem.load("two.fun"), "sum", place_of_c(), Tuning(threads=16), safe=True)
    command = "funmem bench two.fun --entry sum --random n=100 --rounds 1 --no-limits --json t.json"
    assert "two, c: tuned: threads=16" in say(command).out
    assert json.loads(Path("t.json").read_text())["rows"][0]["tuned"] == {"threads": 16}
    assert "tuned" not in say(f"{command} --no-cache").out


# ---------------------------------------------------------------------- the command


@pytest.mark.exhaustive
@needs_compiler
def test_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes out depends on the machine; that it is right, kept and used does not."""
    monkeypatch.setattr(subject, "CPU", {"threads": (16, 128)})
    answer = say("funmem tune two.fun --entry sum --random n=900 --budget 1000 --json").json
    (row,) = answer["entries"]
    assert row["judge"] == "the value interpreter"
    assert row["sizes"] == {"n": 900}
    assert (row["complete"], row["kept"]) == (True, True)
    assert row["tried"][0]["tuning"] == {"threads": 16}
    assert row["tried"][0]["verdict"] in ("faster", "not faster")
    used = say("funmem run two.fun --entry sum --random n=9 --via c --json").json.get("tuned", {})
    assert used == ({"sum": row["tuned"]} if row["tuned"] else {})


@needs_compiler
def test_nothing_is_kept_without_cache(place: Path) -> None:
    said = say("funmem tune two.fun --entry prefix -i '[1, 2, 3]' --budget 0 --no-cache")
    assert said.code == 0
    assert said.out.splitlines()[-2:] == [
        "  the budget of 0 s is spent; --budget gives more",
        "best: the defaults",
    ]
    assert not (place / "cache" / FOLDER).exists()


@needs_compiler
def test_a_wrong_candidate_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A seeded bug of the pass that makes groups, for groups of 16 only."""
    old = groups.Group.body

    def body(self: groups.Group, nodes: object) -> object:
        wrong = evolve(self, first=self.first + 1) if self.width == 16 else self
        return old(wrong, nodes)  # type: ignore[arg-type]

    monkeypatch.setattr(groups.Group, "body", body)
    monkeypatch.setattr(subject, "CPU", {"width": (0, 16)})
    program = ROOT / "examples" / "matmul.fun"
    said = say(f"funmem tune {program} --random n=1,m=16,k=2 --budget 1000")
    assert said.code == 3
    assert "width=16" in said.out
    assert "wrong: " in said.out
    assert said.out.endswith("best: the defaults\n")


def test_what_has_no_passes_is_refused() -> None:
    Path("two.imp").write_text(say("funmem opt two.fun").out)
    said = say("funmem tune two.imp --entry sum --random n=4")
    assert (said.code, "an IMP program cannot be tuned" in said.err) == (2, True)


@needs_compiler
def test_a_wrong_default_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "difference", lambda *_: "all is wrong")
    said = say("funmem tune two.fun --entry sum --random n=9")
    assert (said.code, "is wrong before tuning" in said.err) == (3, True)


# ---------------------------------------------------------------------- the built-in kernels


def test_kernels_count_alike_and_are_compiled_as_they_must_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A kernel that takes a tenth of the time of another one has the same weight."""
    made: list[tuple[str, Tuning]] = []

    def compiled(task: Task, via: str, options: Options, tuning: Tuning) -> Compiled:
        made.append((task.name, tuning))
        seconds = {"scan": 0.1, "product": 1.0}[task.name] / (2 if tuning.rows == 4 else 1)
        result = np.array(float(tuning.rows == 2), np.float32)
        contender = Contender(task.name, lambda: Run(seconds, lambda: (result,)))
        return Compiled(ImpProgram(()), f"{task.name} {tuning}", via, tuning, lambda: contender)

    monkeypatch.setattr(machine, "compiled", compiled)
    program = funmem.load("two.fun")
    s = program.entries[0]
    tasks = [
        Task(x, "", program, signature_of(program, s.name), (), tuple, "numpy")
        for x in ("scan", "product")
    ]
    found = KernelsSubject(tasks, "c", Options(), DEFAULT)
    plain, rows = found.compile(DEFAULT), found.compile(Tuning(rows=4))
    assert plain.build().run().seconds == pytest.approx(1.1)
    assert rows.build().run().seconds == pytest.approx(1.1 * 0.75), "half of one of two kernels"
    assert [x for x, t in made if t == Tuning(rows=4)] == ["product"], "scan has no rows"
    assert found.wrong(rows.build()) is None
    wrong = found.wrong(found.compile(Tuning(rows=2)).build())
    assert wrong == "product: 1 of 1 elements of result 1 are wrong"


@pytest.mark.exhaustive
@needs_compiler
def test_the_parameters_of_kernels_are_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other parameters than a kernel names do not change its code."""
    for task in kernel_tasks():
        for x, some in {**values.CPU, "threads": values.CPU["threads"]}.items():
            if x in KERNELS[task.name].parameters or x == "width":
                continue
            codes = {
                subject.compiled(task, "c", Options(), DEFAULT.changed({x: n})).code
                for n in (some[0], some[-1])
            }
            assert len(codes) == 1, (task.name, x)


@pytest.mark.exhaustive
@needs_compiler
def test_the_defaults_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "CPU", {"rounds": (2, 4)})
    command = "funmem tune --machine --budget 1000 --json"
    (row,) = say(command).json["entries"]
    assert (row["judge"], row["complete"], row["kept"]) == ("numpy", True, True)
    assert row["tried"][0]["verdict"] in ("faster", "not faster")
    kept = machine_defaults(place_of_c())
    assert kept is not None
    assert kept.changes() == row["tuned"]
