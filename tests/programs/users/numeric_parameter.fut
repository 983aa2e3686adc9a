-- A module over any number type, with its operators.
-- ==
-- input { [1, 2] [3, 4] } output { 3i32 7i32 58i32 5.000000000000000f64 }
-- input { empty([0]i32) empty([0]i32) } output { 0i32 0i32 0i32 5.000000000000000f64 }

module vector (N: numeric) = {
  type vec = {x: N.t, y: N.t}
  def (+^) (a: vec) (b: vec) : vec = {x = a.x N.+ b.x, y = a.y N.+ b.y}
  def dot (a: vec) (b: vec) : N.t = N.((a.x * b.x) + (a.y * b.y))
  def total [n] (vs: [n]vec) : vec = reduce (+^) {x = N.i32 0, y = N.i32 0} vs
}
module vi = vector i32
module vf = vector f64
def main (xs: []i32) (ys: []i32) : (i32, i32, i32, f64) =
  let t = vi.total (map2 (\x y -> {x, y}) xs ys)
  in (t.x, t.y, vi.dot t t, vf.dot {x = 0.5, y = 2} {x = 4, y = 1.5})
