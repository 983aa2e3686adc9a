-- A file that is a module inside of a module.
-- ==
-- input { 3 } output { 30i32 13i32 20i32 }
-- input { -1 } output { -10i32 9i32 20i32 }

module outer = {
  module inner = import "lib/scaled"
  module renamed = inner
  def both (x: i32) : (i32, i32) = (inner.scaled x, renamed.unit + x)
}
def main (x: i32) : (i32, i32, i32) =
  let (a, b) = outer.both x
  in (a, b, outer.inner.scaled 2)
