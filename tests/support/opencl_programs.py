"""IMP programs, one per construct, and arguments to run them on: for every engine of IMP."""

from typing import NamedTuple

import numpy as np

from funmem.ir.scalars import SCALARS, ScalarType
from funmem.ir.values import ArgValue, dtype


class Case(NamedTuple):
    text: str
    args: tuple[tuple[ArgValue, ...], ...]


def f32(*shape: int) -> np.ndarray:
    return np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)


def i64(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def _bounded(inside: str, bound: str) -> str:
    """Loops that run so often, each on its own: of the host, of a task, or of a kernel."""
    return f"""
        entry f [n] (x : [n]i64) (a : i64) (b : i64) (c : i64) {{
          {inside}
        }}""".replace("BOUND", bound)


def _deep(x: str, op: str, end: str) -> str:
    """As deep as an expression may be, or nearly: clang reads 256 brackets, and there are more."""
    times = 90 if end else 180
    return f"{x} " + f"{op}{x} " * times + end * times


_ON_THE_HOST = """
          var s : i64;
          s <- 0;
          for i < BOUND do s <- s + i + 1; done
          return (s : i64)"""
_IN_A_TASK = """
          for i < BOUND do x[i] : i64 <- i + 7; done
          return (x : [n]i64)"""
_IN_A_KERNEL = """
          kernel k < n do
            var v : i64;
            var s : i64;
            v <- x[k] : i64;
            s <- 0;
            for i < BOUND do for j < BOUND do s <- s ^ j; s <- s * 3 + v; done done
            x[k] : i64 <- s;
          done
          return (x : [n]i64)"""
_TOP, _LARGE = 2**63 - 1, 2**40
_BOUNDS = {
    "a - 1": ((-_TOP - 1, 0, 0), (5, 0, 0)),
    "-9223372036854775808": ((0, 0, 0),),
    "a - b - c": ((-_TOP, _TOP, _TOP), (_TOP, _TOP - 4, 0), (_TOP, -1, _TOP - 1)),
    "a*b + c": ((-_LARGE, _LARGE, 5), (-_TOP, _TOP, _TOP), (1, 2, 3)),
    "a*b - c*c + 3": ((_LARGE, _LARGE, _LARGE), (_LARGE // 2, _LARGE, _LARGE), (-3, 2, 2)),
    "1180591620717411303424*a - 1180591620717411303424*b + c": ((_TOP, _TOP, 4), (0, 1, 5)),
}
BOUNDS = {
    f"for i < {bound}, {place}": Case(
        _bounded(body, bound), tuple((i64(*range(8)), *v) for v in some)
    )
    for place, body in (("host", _ON_THE_HOST), ("task", _IN_A_TASK), ("kernel", _IN_A_KERNEL))
    for bound, some in _BOUNDS.items()
}
"""Bounds that exceed 64 bits, or whose terms do: no iterations, or few."""

PROGRAMS: dict[str, Case] = (
    {
        **BOUNDS,
        "map": Case(
            """
        entry f [n] (x : [n]f32) (c : f32) {
          var y : mem;
          y <- alloc 4*n;
          kernel i < n do
            var v : f32;
            v <- x[i] : f32;
            y[i] : f32 <- v * c + 1.0f32;
          done
          return (y : [n]f32)
        }""",
            tuple((f32(n), 2.5) for n in (0, 1, 5, 64, 1000)),
        ),
        "three dimensions": Case(
            """
        entry f [n] [m] [k] (x : [n][m][k]f32) {
          var y : mem;
          y <- alloc 4*n*m*k;
          kernel a < n, b < m, c < k do
            y[c*n*m + b*n + a] <- x[a*m*k + b*k + c] : f32;
          done
          return (y : [k][m][n]f32)
        }""",
            ((f32(2, 3, 4),), (f32(1, 1, 1),), (f32(2, 0, 3),), (f32(5, 1, 7),)),
        ),
        "nested kernel, loops and conditions": Case(
            """
        entry f [n] (x : [n]i64) {
          var y : mem;
          y <- alloc 8*n;
          kernel i < n do
            var v : i64;
            var odd : bool;
            v <- x[i] : i64;
            odd <- v & 1 == 1;
            if odd then
              y[i] : i64 <- v * 3 + 1;
            else
              var more : bool;
              var w : i64;
              w <- v;
              more <- w > 10;
              while more do
                w <- w - 7;
                more <- w > 10;
              done
              for j < 3 + i do
                kernel k < 2, l < 2 do
                  w <- w + j * k - l;
                done
              done
              y[i] : i64 <- w;
            fi
          done
          return (y : [n]i64)
        }""",
            ((i64(),), (i64(4),), (i64(1, 2, 100, -5, 33, 64),)),
        ),
        "tasks and their answers": Case(
            """
        entry f [n] (x : [n]f32) {
          var y : mem;
          var s : f32;
          var big : i64;
          var any : bool;
          y <- alloc 4*n + 4;
          s <- 0.0f32;
          big <- 0;
          any <- false;
          for i < n do
            var v : f32;
            var c : bool;
            v <- x[i] : f32;
            s <- s + v;
            y[i] : f32 <- s;
            c <- v > 2.0f32;
            if c then
              big <- big + 1;
              any <- true;
            else
            fi
          done
          y[n] : f32 <- s;
          y[0] <- y[n] : f32;
          if any then
            kernel i < n do
              var v : f32;
              v <- y[i] : f32;
              y[i] : f32 <- v * s;
            done
          else
          fi
          return (y : [n + 1]f32) (s : f32) (big : i64) (any : bool)
        }""",
            ((f32(0),), (f32(1),), (f32(9),)),
        ),
        "reads that steer the host": Case(
            """
        entry f [n] (x : [n]i64) {
          var k : i64;
          var y : mem;
          var go : bool;
          k <- x[0] : i64;
          y <- alloc 8*k;
          kernel i < k do
            y[i] : i64 <- i * i;
          done
          go <- true;
          while go do
            var c : i64;
            kernel i < k do
              var v : i64;
              v <- y[i] : i64;
              y[i] : i64 <- v + 1;
            done
            c <- y[0] : i64;
            go <- c < 5;
          done
          return (k : i64) (y : [k]i64)
        }""",
            ((i64(1, 2),), (i64(7),)),
        ),
        "double buffering on the host": Case(
            """
        entry f [n] (x : [n]f32) (steps : i64) {
          var a : mem;
          a <- alloc 4*n;
          kernel i < n do
            a[i] <- x[i] : f32;
          done
          for t < steps do
            var b : mem;
            b <- alloc 4*n;
            kernel i < n do
              var v : f32;
              v <- a[n - 1 - i] : f32;
              b[i] : f32 <- v + 1.0f32;
            done
            a <- b;
          done
          return (a : [n]f32)
        }""",
            ((f32(4), 0), (f32(4), 1), (f32(100), 10), (f32(0), 3)),
        ),
        "blocks chosen by a condition": Case(
            """
        entry f [n] (x : [n]f32) (y : [n]f32) (c : bool) {
          var m : mem;
          var z : mem;
          if c then
            m <- x;
          else
            m <- alloc 4*n;
            kernel i < n do
              m[i] <- y[i] : f32;
            done
          fi
          z <- alloc 4*n;
          kernel i < n do
            var p : mem;
            var even : bool;
            even <- i % 2 == 0;
            if even then
              p <- m;
            else
              p <- y;
            fi
            z[i] <- p[i] : f32;
          done
          return (z : [n]f32)
        }""",
            ((f32(5), -f32(5), True), (f32(5), -f32(5), False)),
        ),
        "private blocks": Case(
            """
        entry f [n] (x : [n]f32) {
          var y : mem;
          y <- alloc 4*n;
          kernel i < n do
            var a : mem.private;
            var v : f32;
            var w : f32;
            a <- alloc.private 8;
            v <- x[i] : f32;
            a[0] : f32 <- v;
            a[1] : f32 <- 1.0f32;
            for t < i do
              var b : mem.private;
              b <- alloc.private 8;
              v <- a[0] : f32;
              w <- a[1] : f32;
              b[0] : f32 <- w;
              b[1] : f32 <- v + w;
              a <- b;
            done
            y[i] <- a[1] : f32;
          done
          return (y : [n]f32)
        }""",
            ((f32(0),), (f32(10),)),
        ),
        "blocks below zero, and sizes whose terms do not fit": Case(
            """
        entry f (n : i64) (a : i64) (c : i64) {
          var y : mem;
          var z : mem;
          y <- alloc 8*n;
          z <- alloc 4*a - 4*c;
          kernel i < a - c do z[i] : i32 <- i32(i); done
          return (n : i64) (z : [a - c]i32)
        }""",
            ((-1152921504606846977, 4611686018427387907, 4611686018427387904), (-_TOP - 1, 2, 0)),
        ),
        "a range of one index, with a stride that does not fit": Case(
            """
        entry f [n] (x : [n]i64) (a : i64) (b : i64) (c : i64) {
          check c : b : a inside n "assertion failed" "";
          kernel i < n do
            check c : b : a inside n "assertion failed" "";
            x[i] : i64 <- i;
          done
          return (x : [n]i64)
        }""",
            ((i64(1, 2), _TOP, 1, 1), (i64(1, 2), -_TOP - 1, 1, 1), (i64(1, 2), _TOP, 0, 7)),
        ),
        "names like those of the compiler": Case(
            """
        entry f [fm_n] (fm_x : [fm_n]i64) (status : i64) {
          var rt_fail : mem;
          rt_fail <- alloc 8*fm_n;
          kernel gid < fm_n do
            var fm_exp_of : i64;
            var fm_div_i64 : i64;
            fm_exp_of <- fm_x[gid] : i64;
            fm_div_i64 <- fm_exp_of / status;
            rt_fail[gid] : i64 <- fm_div_i64;
          done
          return (rt_fail : [fm_n]i64)
        }""",
            ((i64(7, -7), 2),),
        ),
        "scalars of every kind through a task": Case(
            "entry f [n] (x : [n]i64) {\n"
            "  var m : mem;\n  m <- alloc 8;\n"
            + "".join(f"  var r_{t} : {t};\n" for t in SCALARS)
            + "  m[0] <- x[0] : i64;\n"
            + "".join(f"  r_{t} <- m[0] : {t};\n" for t in SCALARS if t is not ScalarType.BOOL)
            + "  r_bool <- r_i8 == 1i8;\n  m[0] : bool <- r_bool;\n  r_bool <- m[0] : bool;\n"
            + "  return "
            + " ".join(f"(r_{t} : {t})" for t in SCALARS)
            + "\n}",
            ((i64(0x3FF0_4248_F1E2_D301),), (i64(-1),), (i64(-(1 << 63)),)),
        ),
    }
    | {
        f"{t}: parameter, memory, result": Case(
            f"""
        entry f [n] (x : [n]{t}) (c : {t}) {{
          var y : mem;
          var r : {t};
          y <- alloc {t.bytes}*n;
          kernel i < n do
            var v : {t};
            var same : bool;
            v <- x[i] : {t};
            same <- v == c;
            if same then
              y[i] : {t} <- v;
            else
              y[i] : {t} <- c;
            fi
          done
          r <- y[0] : {t};
          return (y : [n]{t}) (r : {t})
        }}""",
            ((np.array([0, 1, 1], dtype=dtype(t)), dtype(t).type(1)),),
        )
        for t in SCALARS
    }
    | {
        f"deep, {name}": Case(
            f"""
        entry f [n] (x : [n]{t}) (c : {t}) {{
          var r : {t};
          var ok : bool;
          r <- {_deep("c", op, end)};
          check ({_deep("c", op, end)} == r) "assertion failed" "another";
          x[0] : {t} <- {_deep("c", op, end)};
          kernel i < n do
            var v : {t};
            v <- x[i] : {t};
            check ({_deep("v", op, end)} == v || {_deep("v", op, end)} != v) "assertion failed" "";
            x[i] : {t} <- {_deep("v", op, end)};
          done
          return (x : [n]{t}) (r : {t})
        }}""",
            ((np.array([0, 7, 3], dtype=dtype(t)), dtype(t).type(3)),),
        )
        for name, (t, op, end) in {
            "sums": (ScalarType.I64, "+ ", ""),
            "products": (ScalarType.F64, "* ", ""),
            "signs": (ScalarType.I32, "- (-", ")"),
        }.items()
    }
)
