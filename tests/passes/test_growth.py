"""What compiling a program costs grows with its text, not with what names in it stand for.

The value interpreter runs these programs at once; polynomials, proofs and conditions in which every
name is replaced by what it stands for are exponentially large.  Work is counted, not timed: Python
calls, of which a compilation of such a program takes some hundred thousand.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

from funmem.ir.fun import FunProgram
from funmem.ir.logic.prove import Facts, nonneg
from funmem.ir.names import Name
from funmem.ir.sizes import MAX_TERMS, Size, product, var
from funmem.ir.text import parse_fun, show
from funmem.passes.framework import Report, as_tree
from funmem.passes.pipeline import ALLOCATE, FUN, GPU_MEMORY, LOWER, MEMORY, VERIFIED
from funmem.passes.runner import Pipeline
from tests.support.memory_check import allocs_in_kernels, difference
from tests.support.sampling import sampled

CALLS = 4_000_000
PIPELINES = (
    ",".join((FUN, ALLOCATE, MEMORY, LOWER)),
    ",".join((FUN, ALLOCATE, GPU_MEMORY, VERIFIED)),
    "allocate,hoist,lower",
)


class TooMuch(Exception):
    """More calls than allowed."""


@contextmanager
def at_most(calls: int) -> Iterator[None]:
    """Raises :class:`TooMuch` in what does more."""
    left = calls

    def count(_frame: FrameType, _event: str, _arg: object) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            sys.setprofile(None)
            raise TooMuch

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)


# ---------------------------------------------------------------------- programs


def rounds(first: str, rest: Callable[[str], str], n: int) -> str:
    """``let a1 = … a0 …  let a2 = … a1 …``."""
    lets = [f"let (a{j + 1} : i64) = {rest(f'a{j}')}\n" for j in range(n)]
    return f"let (a0 : i64) = {first}\n{''.join(lets)}"


def mixed(rest: Callable[[str], str], n: int) -> str:
    """A hash function over the elements of an array."""
    return f"""entry main [n] (b : i64) (c : i64) (xs : [n]i64) -> (ys : [n]i64) =
      let (zs : [n]i64) =
        kernel i < n do
          {rounds("xs[i]", rest, n)}
          in (a{n})
      in (zs)"""


def nest(depth: int, bound: Callable[[int], str]) -> str:
    """Loops around an element at the sum of their indices."""
    sizes = " ".join(f"[n{k}]" for k in range(depth))
    total = " + ".join(f"n{k}" for k in range(depth))
    text = f"entry main [n] {sizes} (xs : [n]i64) " if depth else ""
    shapes = " ".join(f"(x{k} : [n{k}]i64)" for k in range(depth))
    text += f"{shapes} (ys : [{total}]i64) -> (r : i64) =\n"
    start = "0"
    for k in range(depth):
        text += f"let (r{k} : i64) = loop (a{k} : i64) = {start} for j{k} < {bound(k)} do\n"
        start = f"a{k}"
    text += f"let (v : i64) = ys[{' + '.join(f'j{k}' for k in range(depth))}]\n"
    text += f"let (w : i64) = v + {start}\nin (w)\n"
    return text + "".join(f"in (r{k})\n" for k in reversed(range(depth)))


def conjunction(n: int, step: Callable[[int], str]) -> str:
    """A branch whose condition goes through all of these."""
    lets = "".join(step(k) for k in range(2, n))
    return f"""entry main [n] (x : [n]i64) (i : i64) -> (r : i64) =
      let (c0 : bool) = i >= 0
      let (c1 : bool) = i < n
      {lets}
      let (res : i64) =
        if c{n - 1} then
          let (v : i64) = x[i]
          in (v)
        else
          in (0)
      in (res)"""


def minimum(n: int) -> str:
    lets = "".join(f"let (m{k} : i64) = min(m{k - 1}, m{k - 2})\n" for k in range(2, n))
    return f"""entry main [n] (x : [n]i64) (a : i64) (b : i64) -> (r : i64) =
      let (m0 : i64) = min(a, b)
      let (m1 : i64) = min(m0, n)
      {lets}
      let (s : i64) =
        loop (t : i64) = 0 for i < m{n - 1} do
          let (v : i64) = x[i]
          let (u : i64) = t + v
          in (u)
      in (s)"""


def products(names: int, factors: int) -> str:
    """A length that is a product of sums of indices."""
    dims = ", ".join(f"j{k} < 2" for k in range(names))
    sums = ""
    for a in range(factors):
        terms = " + ".join(f"j{k} * {1 + (k * (a + 3) + a) % 7}" for k in range(names))
        sums += f"let (a{a} : i64) = {terms}\n"
    total = "*".join(f"a{a}" for a in range(factors))
    shape = "[2]" * names
    return f"""entry main (n : i64) -> (r : [n]{shape}i64) =
      let (rs : [n]{shape}i64) =
        kernel z < n, {dims} do
          {sums}
          let (x : [{total} + 1]i64) = iota [{total} + 1] 0 1
          let (v : i64) = x[{total}]
          in (v)
      in (rs)"""


def power(names: int) -> str:
    """A length that is a product of powers of an index."""
    a = "let (a : i64) = i * i * i * i * i * i * i\n"
    b = "let (b : i64) = (i + 1) * (i + 2) * (i + 3) * (i + 4) * (i + 1) * (i + 2) * (i + 1)\n"
    return f"""entry main (q : i64) -> (r : [{names}]i64) =
      let (r0 : [{names}]i64) =
        kernel i < {names} do
          {a}{b}
          let (x : [a*b + 1]i64) = iota [a*b + 1] 0 1
          let (v : i64) = x[a*b]
          in (v)
      in (r0)"""


def asserted(n: int) -> str:
    """Maxima of products that may wrap around, for all that is asserted of them, and then more
    statements, with each of which the verifier may learn that they do not.
    """
    params = " ".join(f"(x{k} : i64)" for k in range(n + 2))
    first = "".join(
        f"""let (c{k} : bool) = x{k} * x{k + 1} <= x{k + 2} * x{k}
        assert c{k} "c"
        let (m{k} : i64) = max(x{k} * x{k + 1}, x{k + 2})\n"""
        for k in range(n)
    )
    more = "".join(
        f"""let (a{k} : [7]i64) = iota [7] m{k} 1
        let (v{k} : i64) = a{k}[1]
        let (s{k + 1} : i64) = s{k} + v{k}\n"""
        for k in range(n)
    )
    return f"entry main {params} -> (r : i64) =\n{first}let (s0 : i64) = 0\n{more}in (s{n})"


PROGRAMS = {
    "squares": mixed(lambda a: f"{a} * {a}", 26),
    "squares-and-one": mixed(lambda a: f"{a} * {a} + c", 13),
    "hash": mixed(lambda a: f"({a} + b) * ({a} + c)", 8),
    "nest": nest(20, lambda k: f"n{k}"),
    "nest-of-unknown-sign": nest(20, lambda k: f"n{k} - n{(k + 1) % 20}"),
    "and": conjunction(45, lambda k: f"let (c{k} : bool) = c{k - 1} && c{k - 2}\n"),
    "or": conjunction(45, lambda k: f"let (c{k} : bool) = c{k - 1} || c{k - 2}\n"),
    "min": minimum(45),
    "products": products(10, 10),
    "power": power(3),
    "asserted": asserted(22),
}


@pytest.mark.parametrize("pipeline", sampled(PIPELINES, 3), ids=["cpu", "gpu-verified", "plain"])
@pytest.mark.parametrize("name", sampled(PROGRAMS, 2))
def test_compiling_takes_few_steps(name: str, pipeline: str) -> None:
    p = parse_fun(PROGRAMS[name])
    with at_most(CALLS):
        Pipeline.parse(pipeline).run(p, verify=False)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_simplify_writes_can_be_read(name: str) -> None:
    """No size becomes larger than the reader takes."""
    p: FunProgram = parse_fun(PROGRAMS[name])
    after = Pipeline.parse("simplify").run(p)
    text = show(after)
    assert len(text) < 2 * len(show(p))
    assert parse_fun(text) == after


def test_slices_of_slices_can_be_read() -> None:
    """allocate copies before a stride, a product of sums, is too large."""
    names = "abcdefgh"
    params = " ".join(f"({x} : i64)" for x in names)
    slices = "".join(
        f"let (x{j + 1} : [3]i64) = x{j}[0 : 3 : {' + '.join(names)}]\n" for j in range(12)
    )
    p = parse_fun(f"""entry main [n] (x0 : [n]i64) {params} -> (r : i64) =
      {slices}
      let (v : i64) = x12[0]
      in (v)""")
    report = Report()
    q = Pipeline.parse("allocate").run(p, report=report)
    assert parse_fun(show(q)) == q
    assert [r.condition for r in report.remarks] == ["(4) an index function can be written"] * 3
    assert difference(p, as_tree(q)) is None


@pytest.mark.parametrize("passes", ["expand", "expand{layout=interleaved}"])
@pytest.mark.parametrize("rank", [5, 6])
def test_what_expand_writes_can_be_read(passes: str, rank: int) -> None:
    """A block for so many threads that its size has a degree above 12 is not made."""
    shape = "".join(f"[n{k}]" for k in range(7))
    part = "".join(f"[m{k}]" for k in range(rank))
    at = ", ".join("0" * rank)
    p = parse_fun(f"""entry main {" ".join(f"[n{k}]" for k in range(7))} (xs : {shape}i64)
          {" ".join(f"(m{k} : i64)" for k in range(rank))} -> (r : {shape}i64) =
      let (r0 : {shape}i64) =
        kernel {", ".join(f"i{k} < n{k}" for k in range(7))} do
          let (t : {part}i64) = replicate {part} 3
          let (u : {part}i64) = t with [{at}] = 4
          let (v : i64) = u[{at}]
          in (v)
      in (r0)""")
    q = Pipeline.parse(f"allocate,hoist,{passes}").run(p)
    assert parse_fun(show(q)) == q
    assert len(allocs_in_kernels(as_tree(q))) == (rank == 6)


def test_a_long_conjunction_is_not_nested() -> None:
    """One definition after the other is no expression inside the other."""
    long = conjunction(
        700,
        lambda k: f"let (d{k} : bool) = i > {-k}\nlet (c{k} : bool) = c{k - 1} && d{k}\n",
    )
    Pipeline.parse("allocate,lower").run(parse_fun(long), verify=False)


# ---------------------------------------------------------------------- the parts


def test_a_substitution_stops_at_a_number_of_terms() -> None:
    names = [var(Name(f"x{k}")) for k in range(40)]
    image = {Name("s"): sum(names, start=var(Name("x")))}
    s = var(Name("s"))
    assert s.subst_within(image, 41) == s.subst(image)
    assert s.subst_within(image, 40) is None
    with at_most(CALLS):
        assert product([s] * 12).subst_within(image, MAX_TERMS) is None


def test_a_proof_gives_up() -> None:
    """Where no slope has a sign, and where a product of factors is shifted."""
    indices = [Name(f"i{k}") for k in range(30)]
    facts = Facts()
    for i in indices:
        facts = facts.with_index(i, var(Name(f"n{i}")) - var(Name(f"m{i}")))
    p: Size = sum((var(i) * var(Name(f"k{i}")) for i in indices), start=var(Name("n")))
    some = Facts()
    for i in indices:
        some = some.with_nonneg(var(i) - 1)
    with at_most(CALLS):
        assert not nonneg(p, facts)
        assert nonneg(product(map(var, indices[:12])) - 1, some)
        assert not nonneg(product(map(var, indices)) - 1, some)
        assert nonneg(product([var(indices[0])] * 40) - 1, some)
