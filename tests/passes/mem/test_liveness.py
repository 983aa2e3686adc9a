"""Liveness: the last use of an array is the last one under any name, on any path, in any thread.

Whoever frees or reuses memory believes these answers, so each way in which an array goes on to be
used has a program here: through views, branches, loops, in place, later iterations, other threads.
"""

from itertools import pairwise
from pathlib import Path

import pytest

from funmem.ir.diagnostics import Stuck
from funmem.ir.fun import Ann, Assert, Stm
from funmem.ir.names import Name
from funmem.ir.text import parse_fun
from funmem.ir.traverse import sub_bodies, walk
from funmem.passes.mem.liveness import Liveness, Role, moments
from tests.support.memory_check import CORPUS, EXAMPLES, EXPANDED, load, through
from tests.support.sampling import sampled

START = """entry main [n] [xs_mem : mem] (k : i64) (c : bool)
  (xs : *[n]i32 @ xs_mem -> 0 + {(n : 1)}) -> (r : i32) =
let (m : mem) = alloc 4*n
let (x : [n]i32 @ m -> 0 + {(n : 1)}) = copy xs
let (m2 : mem) = alloc 4*n
"""
VECTOR = "{(n : 1)}"


def analysed(body: str) -> tuple[Liveness, dict[str, Stm[Ann]]]:
    """The liveness of an entry point with ``x`` in block ``m``, and its statements by name."""
    (e,) = parse_fun(START + body).entries
    stms = {b.name: s for s in walk(e.body) for b in s.pat}
    return Liveness.of_entry(e), {str(x): s for x, s in stms.items()}


def last(body: str, x: str, at: str) -> bool:
    """Whether ``x`` is used for the last time by the statement that binds ``at``."""
    live, stms = analysed(body)
    return live.last_use(Name(x), stms[at])


def test_a_use_further_down() -> None:
    body = "let (a : i32) = x[0] let (b : i32) = x[1] let (r1 : i32) = a + b in (r1)"
    assert not last(body, "x", "a")
    assert last(body, "x", "b")


@pytest.mark.parametrize(
    "view",
    [
        f"let (y : [n]i32 @ m -> 0 + {VECTOR}) = x[0 : n]",
        "let (y : [n]i32 @ m -> n - 1 + {(n : -1)}) = reverse 0 x",
        "let (y2 : [n][1]i32 @ m -> 0 + {(n : 1) (1 : 1)}) = reshape [n][1] x "
        "let (y1 : [1][n]i32 @ m -> 0 + {(1 : 1) (n : 1)}) = permute (1, 0) y2 "
        f"let (y : [n]i32 @ m -> 0 + {VECTOR}) = y1[0, 0 : n]",
        f"let (y : [n]i32 @ m -> 0 + {VECTOR}) = flat x[0 + {{(n : 1)}}]",
        f"let (y : [n]i32 @ m -> 0 + {VECTOR}) = x with [0] = 5i32",
    ],
    ids=["slice", "reverse", "transpose", "flat", "update"],
)
def test_a_use_through_a_view(view: str) -> None:
    body = f"{view} let (a : i32) = y[0] let (b : i32) = a + 1i32 in (b)"
    live, stms = analysed(body)
    assert not live.last_use(Name("x"), stms["y"])
    assert live.last_use(Name("x"), stms["a"])
    assert live.needed_after(Name("m"), stms["y"])
    assert not live.needed_after(Name("m"), stms["a"])
    assert live.aliases(Name("x")) == live.aliases(Name("y"))
    assert live.aliases(Name("xs")) == {"xs"}
    assert live.arrays_in(Name("m")) >= {"x", "y"}
    assert live.arrays_in(Name("xs_mem")) == {"xs"}


CHOSEN = f"""
let (y : [n]i32 @ m2 -> 0 + {VECTOR}) = iota [n] 0i32 1i32
let (zm : mem) (z : [n]i32 @ zm -> 0 + {VECTOR}) = if c then in (m, x) else in (m2, y)
let (a : i32) = z[0]
in (a)"""


def test_a_use_through_a_branch() -> None:
    live, stms = analysed(CHOSEN)
    for x, m in (("x", "m"), ("y", "m2")):
        assert not live.last_use(Name(x), stms["z"])
        assert live.last_use(Name(x), stms["a"])
        assert live.needed_after(Name(m), stms["z"])
    assert live.roots(Name("z")) == {"m", "m2"}
    assert live.aliases(Name("z")) == {"x", "y", "z"}
    assert live.aliases(Name("x")) == {"x", "z"}, "x and y share no element"


def test_one_branch_does_not_use_what_the_other_one_does() -> None:
    body = """let (a : i32) = if c then let (u : i32) = 1i32 let (v : i32) = x[0] in (v)
      else let (w : i32) = 2i32 in (w) in (a)"""
    assert not last(body, "x", "u")
    assert last(body, "x", "v")
    assert last(body, "x", "w")


LOOP = f"""
let (zm : mem) (z : [n]i32 @ zm -> 0 + {VECTOR}) =
  loop (pm : mem) = m, (p : [n]i32 @ pm -> 0 + {VECTOR}) = x for i < k do
    let (a : i32) = p[0]
    let (b : i32) = a + 1i32
    let (ym : mem) = alloc 4*n
    let (y : [n]i32 @ ym -> 0 + {VECTOR}) = replicate [n] b
  in (ym, y)
let (e : i32) = z[0]
in (e)"""


def test_what_a_loop_carries() -> None:
    live, stms = analysed(LOOP)
    assert live.aliases(Name("z")) == {"x", "p", "y", "z"}
    assert live.roots(Name("p")) == {"m", "ym"}
    assert live.last_use(Name("p"), stms["a"]), "the next value is another array"
    assert not live.needed_after(Name("m"), stms["b"]), "p is not used any more, y not yet there"
    assert not live.last_use(Name("y"), stms["y"]), "the next iteration reads it"
    assert live.needed_after(Name("ym"), stms["y"])
    assert live.held_after(Name("ym"), stms["y"])
    assert live.last_use(Name("x"), stms["e"])


def test_the_next_iteration_uses_what_comes_from_outside() -> None:
    body = """let (r1 : i32) = loop (s : i32) = 0i32 for i < k do
      let (a : i32) = x[0] let (s2 : i32) = s + a in (s2) in (r1)"""
    live, stms = analysed(body)
    assert not live.last_use(Name("x"), stms["a"])
    assert live.last_use(Name("x"), stms["r1"])


def test_other_threads_use_what_comes_from_outside() -> None:
    body = f"""let (y : [n]i32 @ m2 -> 0 + {VECTOR}) = kernel i < n do
      let (a : i32) = x[i] let (b : i32) = a + 1i32 in (b)
      let (r1 : i32) = y[0] in (r1)"""
    live, stms = analysed(body)
    assert not live.last_use(Name("x"), stms["a"])
    assert live.last_use(Name("x"), stms["y"])
    e = live.entry
    (own,) = (w.after for w in moments(e, own_thread=True) if w.at == stms["a"])
    assert "x" not in own, "the thread itself does not use it again"


def test_a_histogram_is_in_place_while_its_kernel_runs() -> None:
    body = f"""let (y : [n]i32 @ m -> 0 + {VECTOR}) =
      kernel i < n hist (x) (\\(u : i32) (v : i32) -> let (w : i32) = u + v in (w)) (0i32) do
        let (a : i32) = xs[i] in (i, a)
      let (r1 : i32) = y[0] in (r1)"""
    live, stms = analysed(body)
    for s in ("a", "w"):
        assert not live.last_use(Name("x"), stms[s])
        assert live.needed_after(Name("m"), stms[s])
    assert live.last_use(Name("x"), stms["r1"])


def test_a_block_is_held_as_long_as_somebody_names_it() -> None:
    body = f"""let (pm : mem) = loop (qm : mem) = m2 for i < k do let (a : i32) = x[0] in (qm)
      let (b : i32) = x[1]
      let (y : [n]i32 @ pm -> 0 + {VECTOR}) = iota [n] b 1i32 let (r1 : i32) = y[0] in (r1)"""
    live, stms = analysed(body)
    assert live.held_after(Name("m2"), stms["b"])
    assert not live.needed_after(Name("m2"), stms["b"])
    assert not live.held_after(Name("m2"), stms["r1"])


def test_what_binds_nothing_has_no_place() -> None:
    live, _ = analysed('assert c "no" let (r1 : i32) = x[0] in (r1)')
    (s,) = (s for s in live.entry.body.stms if isinstance(s.exp, Assert))
    with pytest.raises(Stuck, match="an assertion has none"):
        live.after(s)


# ---------------------------------------------------------------------- over the corpus


@pytest.mark.parametrize("file", sampled([*EXAMPLES, *CORPUS], 6), ids=lambda f: f.name)
def test_moments_are_complete_and_agree_with_each_other(file: Path) -> None:
    """Every statement and body end occurs once; what is live never revives within one body."""
    for e in through(load(file), EXPANDED).entries:
        every = moments(e)
        stms = list(walk(e.body))
        bodies = 1 + sum(len(sub_bodies(s.exp)) for s in stms)
        assert sum(m.at is None for m in every) == bodies
        assert sum(m.at is not None for m in every) == len(stms)
        own = moments(e, own_thread=True)
        assert all(mine.after <= m.after for mine, m in zip(own, every, strict=True))
        paths = {m.level.path for m in every}
        for path in paths:
            inside = [m for m in every if m.level.path == path]
            assert [m.at for m in inside] == [*inside[0].body.stms, None]
            for before, after in pairwise(inside):
                bound = set() if after.at is None else {p.name for p in after.at.pat}
                assert after.after - bound <= before.after
        assert {m.level.role for m in every} <= set(Role)
