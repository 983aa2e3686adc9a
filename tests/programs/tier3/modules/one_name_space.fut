-- Values and modules share a name space, in which the last definition counts: modules named like
-- values of the library, values named like modules, and what `open` and `m.(e)` bring.
-- ==
-- input { 1 } output { 2 }

-- ==
-- entry: of_parametric
-- input { 1 } output { 6 }

-- ==
-- entry: opened
-- input { 1 } output { 101 -1 }

-- ==
-- entry: opened_in
-- input { 7 } output { 17 8 }

module split = { def f (x: i32) = x + 1 }
def main (x: i32) = split.f x

module rotate (p: { val a : i32 }) = { def f = p.a }
module take = rotate { def a = 5i32 }
entry of_parametric (x: i32) = take.f + x

module inner = {
  module drop = { def f (x: i32) = x + 100 }
  def f64 = { sqrt = \(x: i32) -> -x }
}
module outer = { open inner def g (x: i32) = (drop.f x, f64.sqrt x) }
open outer
entry opened (x: i32) = if true then (drop.f x, f64.sqrt x) else g x

module more = { module length = { def f (x: i32) = x + 10 } module x = { def f = 1i32 } }
entry opened_in (x: i32) = (more.(length.f (i32.i64 7)), x + more.(x.f))
