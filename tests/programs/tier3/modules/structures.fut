-- Modules of definitions: nested, opened, renamed, with local definitions and operators of their own.
-- ==
-- input { 3 } output { 9 13 30 }

module counting = {
  local def one = 1i32
  def next (x: i32) : i32 = x + one
  module twice = {
    def next (x: i32) : i32 = next (next x)
    type steps = {count: i32}
    def steps : steps = {count = 2 * one}
  }
}

module renamed = counting.twice

def main (x: i32) : (i32, i32, i32) =
  let s: renamed.steps = counting.twice.steps
  in (counting.next (renamed.next x) + x, counting.(next (twice.next x)) + 7, 10 * s.count + 10)

-- ==
-- entry: opened
-- input { 5 } output { 55 14 }

module vectors = {
  type vector = (i32, i32)
  def (a: vector) + (b: vector) : vector = (a.0 i32.+ b.0, a.1 i32.+ b.1)
  def dot ((a, b): vector) ((c, d): vector) : i32 = a * c i32.+ b * d
}

module more = {
  open vectors
  def square (a: vector) : i32 = dot a a
}

entry opened (x: i32) : (i32, i32) =
  let (a, b) = vectors.((x, 1) + (4, 8))
  in (more.square (x, x) + more.dot (1, 0) (x, 0), a + b - 4)

-- ==
-- entry: shadowed
-- input { 2 } output { 3 31 }

def f (x: i32) : i32 = x + 1

module outer = {
  def before = f
  def f (x: i32) : i32 = 10 * before x + 1
}

entry shadowed (x: i32) : (i32, i32) = (f x, outer.f x)

open { def hidden : i32 = 4 }

-- ==
-- entry: of_an_open_structure
-- input { } output { 4 }

entry of_an_open_structure : i32 = hidden
