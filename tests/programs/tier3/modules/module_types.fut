-- Module types: what they include, modules in modules, sizes in types, and substitutions.
-- ==
-- input { 3 } output { 8 }

module type mapping = { type t val f : t -> t }

module type measured = {
  include mapping with t = i32
  type~ pair 'a = (a, a)
  val measure [n] : [n]t -> i64
  val + : t -> t -> t
  module inner : { val k : t }
}

module m : measured = {
  type t = i32
  type pair 'a = (a, a)
  def f (x: t) : t = x + 1
  def measure [n] (_: [n]t) = n
  def (+) (a: t) (b: t) = a i32.+ b
  module inner = { def k = 4i32 def l = 2i32 }
}

module user (P: measured) = {
  def run (x: P.t) : P.t = P.(f x + inner.k)
}

module users = user m

def main (x: i32) : i32 = users.run x

-- ==
-- entry: sized
-- input { [1, 2, 3] } output { 3i64 -3 }

module type container = {
  type t [n]
  val make : (n: i64) -> t [n]
  val size [n] : t [n] -> i64
  val sum [n] : t [n] -> i32
}

module arrays : container = {
  type t [n] = [n]i32
  def make (n: i64) : t [n] = replicate n (-1)
  def size [n] (_: t [n]) : i64 = n
  def sum [n] (xs: t [n]) : i32 = i32.sum xs
}

entry sized [n] (_: [n]i32) : (i64, i32) = (arrays.size (arrays.make n), arrays.sum (arrays.make n))

-- ==
-- entry: sorted
-- input { [3, 1, 2] } output { [1, 2, 3] [3, 2, 1] }
-- input { empty([0]i32) } output { empty([0]i32) empty([0]i32) }

module type ordered = { type t val <= : t -> t -> bool }

module sorting (O: ordered) = {
  def sort [n] (xs: [n]O.t) : [n]O.t =
    loop ys = copy xs for i < n do
      (loop (j, ys) = (i, ys) while j > 0 && !(ys[j - 1] O.<= ys[j]) do
         let t = copy ys[j]
         let ys[j] = copy ys[j - 1]
         let ys[j - 1] = t
         in (j - 1, ys)).1
}

module ascending = sorting i32
module descending = sorting { type t = i32 def (a: i32) <= (b: i32) = b i32.<= a }

entry sorted [n] (xs: [n]i32) : ([n]i32, [n]i32) = (ascending.sort xs, descending.sort xs)
