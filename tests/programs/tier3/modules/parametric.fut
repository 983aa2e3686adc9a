-- Parametric modules: applied to modules of the file, to scalar types, to structures and to each other.
-- ==
-- input { [1, 2, 3, 4] } output { 10 24 }
-- input { empty([0]i32) } output { 0 1 }

module type monoid = {
  type t
  val op : t -> t -> t
  val unit : t
}

module folding (M: monoid) = {
  def fold [n] (xs: [n]M.t) : M.t = reduce M.op M.unit xs
}

module sums = folding { type t = i32 def op = (i32.+) def unit = 0i32 }

module product : monoid with t = i32 = {
  type t = i32
  def op (x: t) (y: t) : t = x * y
  def unit : t = 1
  def not_in_the_type = 2i32
}

module products = folding product

def main [n] (xs: [n]i32) : (i32, i32) = (sums.fold xs, products.fold xs)

-- ==
-- entry: of_scalars
-- input { [3.0f32, 4.0f32] [1.0, 2.0, 2.0] } output { 5.0f32 3.0 1.5 }

module norms (R: real) = {
  type t = R.t
  def norm [n] (xs: [n]t) : t = R.sqrt (R.sum (map (\x -> x R.* x) xs))
  def half (x: t) : t = R.(x / i32 2)
}

module norms32 = norms f32
module norms64 = norms f64

entry of_scalars (xs: []f32) (ys: []f64) : (f32, f64, f64) =
  (norms32.norm xs, norms64.norm ys, norms64.half 3)

-- ==
-- entry: of_two
-- input { 4 } output { 124 134 }

module type number = { val x : i32 }

module join (A: number) (B: number) = { def x = 10 * A.x + B.x }

module one = join { def x = 1i32 }
module twelve = one { def x = 2i32 }
module next = \(A: number) : number -> { def x = A.x + 1 }

module thirteen = join { def x = 1i32 } (next { def x = 2i32 })

entry of_two (k: i32) : (i32, i32) = (10 * twelve.x + k, 10 * thirteen.x + k)

-- ==
-- entry: of_parametric
-- input { } output { 7 7 }

module twice (F: (A: number) -> number) (A: number) = F (F A)

module seven = twice next { def x = 5i32 }
module also_seven = (seven : number)

entry of_parametric : (i32, i32) = (seven.x, also_seven.x)
