"""All errors of a `.fut` program are reported, each once, and nothing that follows from another.

Protects the recovery of ``frontends/futhark`` (``errors.Noted``): the golden text has an error of
each kind of declaration, and uses of what is wrong; programs with one error have that one.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from funmem.frontends.futhark.program import problems, typed
from funmem.ir.diagnostics import Diagnostic, SourceError
from tests.support.paths import TESTS
from tests.support.sampling import sampled

PROGRAMS = TESTS / "programs"
WRONG = sorted(p for p in PROGRAMS.rglob("*.fut") if p.parent.name in ("typeerrors", "errors"))

TEXT = """\
type t = {a: i32, b: undefined_t}
def uses_t (x: t) : i32 = x.a
def stated (x: i32) : f32 = x + true
def several (x: i32) =
  let y = stated x + 1i64
  let z = lenght [x]
  let f a = a && 1
  let w = y * 2 + f z
  in z + w
def uses_several (x: i32) : i32 = several x
def unknown x = x + [1]
def uses_unknown (x: i32) = unknown x
module m = { def p (x: i32) = x && true def q (x: i32) : i32 = x type u = nowhere }
def uses_p (x: i32) = m.p x
def uses_q (x: i32) : bool = m.q x
def uses_u (x: m.u) = x
module n (s: { val k : i32 }) = { def one = s.k + 1f32 def two : i32 = s.k }
module o = n { def k = 1i32 }
def uses_o : f32 = o.two
entry consumed (n: i64) (xs: *[n]f32) = let ys = xs with [0] = 1 in (xs, ys)
entry sizes [n] (xs: [n]f32) = zip xs (iota 3)
entry polymorphic x = x
entry converted (n: i64) (x: f32) : f32 = x * n
def right (x: i32) : i32 = x + 1
entry main (x: i32) : i32 = right x
"""


def test_all_are_reported(golden: Callable[[str, str], None]) -> None:
    said = [d.render(TEXT) for d in problems(TEXT, "a.fut")]
    golden("futhark/all-errors.txt", "\n\n".join(said) + "\n")


@pytest.mark.parametrize("path", sampled(WRONG, 3), ids=lambda p: p.stem)
def test_the_first_error_is_among_them(path: Path) -> None:
    text = path.read_text()
    first: list[Diagnostic] = []
    try:
        typed(text, str(path))
    except SourceError as error:
        first = [error.diagnostic]
    assert problems(text, str(path)) == first
