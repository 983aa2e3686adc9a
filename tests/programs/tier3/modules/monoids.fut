-- Functors over what a module type demands, applied to structures and to built-in modules.
-- ==
-- entry: main
-- input { [1, 2, 3] [1f32, 4f32] } output { 6 3 5f32 [1f32, 5f32] }
-- input { empty([0]i32) empty([0]f32) } output { 0 0 0f32 empty([0]f32) }

module type monoid = {
  type t
  val zero : t
  val op : t -> t -> t
}

module type folds = {
  type elem
  val total [n] : [n]elem -> elem
  val sums [n] : [n]elem -> *[n]elem
  val scan_of [n] 'a : (a -> elem) -> [n]a -> *[n]elem
}

module fold (m: monoid) : folds with elem = m.t = {
  type elem = m.t
  def total [n] (xs: [n]elem) : elem = reduce m.op m.zero xs
  def sums [n] (xs: [n]elem) : *[n]elem = scan m.op m.zero xs
  def scan_of [n] 'a (f: a -> elem) (xs: [n]a) : *[n]elem = sums (map f xs)
}

module sum_of (r: numeric) : monoid with t = r.t = {
  type t = r.t
  def zero = r.i32 0
  def op (a: t) (b: t) : t = a r.+ b
}

module ints = fold (sum_of i32)
module floats = fold (sum_of f32)
module maxima = fold { type t = i32 def zero : t = 0 def op = i32.max }

def main (xs: []i32) (ys: []f32) =
  (ints.total xs, maxima.total xs, floats.total ys, floats.scan_of (+ 0) ys)
