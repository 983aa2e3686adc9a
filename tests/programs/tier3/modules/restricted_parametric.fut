-- What a parametric module's type does not name is not seen in what it makes, nor in its parameter.
-- ==
-- input { 4 } output { 21 }

-- ==
-- entry: passed_on
-- input { 1 } output { 121 }

-- ==
-- entry: curried
-- input { 1 } output { 112 }

module type s = { val a : i32 }
module f : (p: s) -> { val x : i32 } = \(p: s) -> { def x = p.a def y = 2i32 }
def y = 10i32
module k = { def a = 7i32 }
open f k
def main (z: i32) = x + y + z

module type t = (p: s) -> { val x : i32 }
module of_five (h: t) = { def b = 100i32 open h { def a = 5i32 def b = 9i32 } def z = x + b }
module five = of_five (\(p: s) -> { def x = p.a def b = 3i32 })
def b = 10i32
entry passed_on (w: i32) = five.x + five.z + w + b

module two : (p: s) -> (q: s) -> { val x : i32 } =
  \(p: s) -> \(q: s) -> { def x = p.a * q.a def b = 1000i32 }
module twice = two { def a = 2i32 def b = 1i32 }
module applied = { open twice { def a = 50i32 } def c = x + b }
entry curried (w: i32) = applied.c + 1 + w
