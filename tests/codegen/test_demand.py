"""What a run needs is asked before it: no engine begins what it cannot end for want of memory."""

from pathlib import Path

import numpy as np
import pytest

from funmem.codegen.c import compile_c
from funmem.codegen.demand import Demand
from funmem.codegen.device import POCL
from funmem.codegen.memory_limits import Limit, host_limit
from funmem.codegen.plan import EntryPlan
from funmem.driver.demand import least
from funmem.driver.source import Source, read
from funmem.driver.stages import Level, pipeline_for
from funmem.interp.heap import run_heap
from funmem.ir.diagnostics import DeviceError
from funmem.ir.names import Name
from funmem.ir.signature import signature
from funmem.ir.values import ArgValue, bind
from funmem.passes.framework import as_imp, as_tree
from funmem.passes.pipeline import to_funmem
from tests.support.command_line import say
from tests.support.devices import needs_compiler
from tests.support.paths import ROOT
from tests.support.sampling import sampled

VIAS = [
    "value",
    "heap",
    "imp",
    pytest.param("c", marks=needs_compiler),
    pytest.param("opencl", marks=pytest.mark.opencl),
]

FILES = {
    "scan.fut": "entry main (n: i64) : []i64 = scan (+) 0 (iota n)",
    "last.fut": "entry main (n: i64) : i64 = last (scan (+) 0 (iota n))",
    "small.fut": "entry main (n: i64) : []i64 = assert (n < 10) (scan (+) 0 (iota n))",
    "data.fut": """
        entry main (n: i64) (xs: []i64) : i64 =
          let few = filter (> 3) xs
          let many = scan (+) 0 (map (+ length few) (iota n))
          in if length few > 1 then last (scan (+) 0 many) else many[0]
    """,
    "grows.fut": """
        entry main (n: i64) (xs: []i64) : []i64 =
          loop ys = replicate n 1 while reduce (+) 0 ys < xs[0] do ys ++ ys
    """,
}


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FUNMEM_DEVICE", POCL)
    monkeypatch.setenv("FUNMEM_CACHE", str(tmp_path / "cache"))


def plan_of(name: str) -> EntryPlan:
    program = read(name).parse()
    imp = as_imp(pipeline_for(program, Level.IMP).run(program))
    return compile_c(imp, "p").plan.entries[0]


# ---------------------------------------------------------------------- the command


@pytest.mark.parametrize("via", VIAS)
@pytest.mark.parametrize("name", sampled(["scan.fut", "last.fut"], 2, 1))
def test_a_size_that_no_machine_has(name: str, via: str) -> None:
    """8 TiB: nothing runs, though the first kernels, which add up parts, would, for hours."""
    said = say(f"funmem run {name} -i {1 << 40} --via {via}")
    assert said.code == 4
    assert said.err.startswith(f"{name}:1:")
    assert "error[memory]: the program needs " in said.err
    assert " TiB, th" in said.err
    assert " has " in said.err


@pytest.mark.parametrize("via", sampled(VIAS, 2, 1))
def test_data_decide_but_so_much_is_needed_anyway(via: str) -> None:
    said = say(f"funmem run data.fut -i {1 << 40} -i '[1, 5, 9]' --via {via}")
    assert said.code == 4
    assert "the program needs at least " in said.err


@pytest.mark.parametrize("via", sampled(VIAS, 2))
def test_a_check_before_it_is_the_answer(via: str) -> None:
    """A program that traps before it needs its memory traps: that is what it means."""
    said = say(f"funmem run small.fut -i {1 << 40} --via {via}")
    assert said.code == 1
    assert "Assertion is false: (n < 10)" in said.err


@pytest.mark.parametrize("via", sampled(VIAS, 2, 1))
def test_a_budget(via: str) -> None:
    said = say(f"funmem run scan.fut -i 10000 --via {via} --max-bytes 1000")
    assert said.code == 4
    assert "error[memory]: the program needs " in said.err
    assert ", the budget has 1000 bytes" in said.err
    assert say(f"funmem run scan.fut -i 10 --via {via} --max-bytes 10000").code == 0


@needs_compiler
def test_nothing_is_built_for_what_cannot_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(*_: object) -> bytes:
        raise AssertionError("built")

    monkeypatch.setattr("funmem.codegen.c_library.build", build)
    assert say(f"funmem run scan.fut -i {1 << 40} --via c").code == 4


# ---------------------------------------------------------------------- the bound


def test_a_loop_that_data_decide_is_a_bound() -> None:
    """`ys` doubles as often as data say; what is there before is needed anyway."""
    demand = Demand(plan_of("grows.fut"))
    size = next(iter(demand._entry.sizes))
    need = demand.need({size: 1, Name("n"): 1000})
    assert not need.exact
    assert 8000 <= need.bytes <= 40_000


def test_the_last_answer_is_kept_for_the_same_sizes() -> None:
    demand = Demand(plan_of("scan.fut"))
    (n,) = (p.x for p in demand._entry.params)  # type: ignore[union-attr]
    assert demand.need({n: 100}) is demand.need({n: 100})
    assert demand.need({n: 100}).bytes < demand.need({n: 200}).bytes


def test_there_is_room_to_the_byte() -> None:
    demand = Demand(plan_of("scan.fut"))
    (n,) = (p.x for p in demand._entry.params)  # type: ignore[union-attr]
    need = demand.need({n: 1 << 40})
    assert need.exact
    demand.require({}, (1 << 40,), None, lambda: Limit(need.bytes, "all"))
    with pytest.raises(DeviceError, match="all has 8 TiB"):
        demand.require({}, (1 << 40,), None, lambda: Limit(need.bytes - 1, "all"))
    demand.require({}, (1 << 40,), None, lambda: Limit(need.bytes, "all", need.block))
    with pytest.raises(DeviceError, match=r"a block needs .*, all has .* for one block"):
        demand.require({}, (1 << 40,), None, lambda: Limit(need.bytes, "all", need.block - 1))


ARGUMENTS: dict[str, tuple[ArgValue, ...]] = {
    "dot": (np.ones(100, np.float32), np.ones(100, np.float32)),
    "matmul": (np.ones((8, 9), np.float32), np.ones((9, 10), np.float32)),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_an_interpreter_is_asked_for_no_more_than_it_takes(name: str) -> None:
    program = to_funmem(read(str(ROOT / f"examples/{name}.fun")).parse())  # type: ignore[arg-type]
    tree, args = as_tree(program), ARGUMENTS[name]
    entry = tree.entries[0]
    need = least(entry, *bind(signature(entry), args))
    given = sum(np.asarray(x).nbytes for x in args)
    assert given < need.bytes <= given + run_heap(tree, entry.name, args).stats.allocated


def test_an_interpreter_knows_which_branch_is_taken() -> None:
    text = """
        entry main (n: i64) (big: bool) : i64 =
          let m = if big then n * n else 0
          in reduce (+) 0 (scan (+) 0 (iota m))
    """
    (entry,) = Source.of("x.fut", text, "fut").parse().entries

    def need(*args: ArgValue) -> int:
        return least(entry, *bind(signature(entry), args)).bytes

    assert need(1000, True) >= 8_000_000
    assert need(1000, False) < 8_000


# ---------------------------------------------------------------------- what there is


def files(root: Path, **texts: str) -> Path:
    for name, text in texts.items():
        file = root / name.replace("__", "/").replace("_dot_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


def test_control_groups_of_both_versions(tmp_path: Path) -> None:
    """The least of the limits from the process's group upwards; `max` is none."""
    machine = "MemTotal: 4096 kB\nSwapTotal: 4096 kB\n"
    bare = files(tmp_path / "bare", proc__meminfo=machine)
    assert host_limit(bare) == Limit(8 << 20, "this machine")
    two = files(
        tmp_path / "two",
        proc__meminfo=machine,
        proc__self__cgroup="0::/user/one\n",
        sys__fs__cgroup__user__one__memory_dot_max="max\n",
        sys__fs__cgroup__user__memory_dot_max="1000000\n",
        sys__fs__cgroup__memory_dot_max="2000000\n",
    )
    assert host_limit(two) == Limit(1_000_000, "the cgroup of this process")
    one = files(
        tmp_path / "one",
        proc__meminfo=machine,
        proc__self__cgroup="8:pids:/\n3:cpu,memory:/not/seen/here\n",
        sys__fs__cgroup__memory__memory_dot_limit_in_bytes="3000000\n",
    )
    assert host_limit(one) == Limit(3_000_000, "the cgroup of this process")
