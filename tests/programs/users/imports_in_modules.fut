-- Files as module expressions: in parentheses, restricted, as arguments, inside of modules.
-- ==
-- input { 3 } output { 30 300 31 40 10 }
-- input { -1 } output { -10 -100 -9 0 10 }

module type scaling = { val scaled : i32 -> i32 }
module plain = (import "lib/scaled")
module restricted : scaling = import "lib/scaled"
module twice (s: scaling) = { def f (x: i32) : i32 = s.scaled (s.scaled x) }
module two = twice (import "lib/scaled")
module inner = {
  module l = import "lib/scaled"
  local open (import "lib/scaled")
  def next (x: i32) : i32 = l.scaled x + 1
  def more (x: i32) : i32 = scaled (x + 1)
}

def main (x: i32) : (i32, i32, i32, i32, i32) =
  (restricted.scaled x, two.f x, inner.next x, inner.more x, plain.unit)
