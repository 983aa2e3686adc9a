-- Types that a module type hides: values of them come and go through the module only.
-- ==
-- entry: counted
-- input { 3i64 } output { 6i64 }
-- input { 0i64 } output { 0i64 }

-- ==
-- entry: shifted
-- input { 3i64 } output { [1i64, 2i64, 3i64] }
-- input { 0i64 } output { empty([0]i64) }

module type counter = {
  type t
  val zero : t
  val add : i64 -> t -> t
  val get : t -> i64
}

module plain : counter = {
  type t = i64
  def zero : t = 0
  def add (n: i64) (c: t) : t = c + n
  def get (c: t) = c
}

module twice (c: counter) : counter with t = (c.t, c.t) = {
  type t = (c.t, c.t)
  def zero : t = (c.zero, c.zero)
  def add (n: i64) ((a, b): t) : t = (c.add n a, c.add n b)
  def get ((a, b): t) = c.get a + c.get b
}

module both = twice plain

module type vector = {
  type t [n]
  val make : (n: i64) -> t [n]
  val shift [n] : i64 -> t [n] -> t [n]
  val values [n] : t [n] -> [n]i64
}

module rows : vector = {
  type t [n] = {xs: [n]i64, by: i64}
  def make (n: i64) : t [n] = {xs = iota n, by = 0}
  def shift [n] (k: i64) (v: t [n]) : t [n] = v with by = v.by + k
  def values [n] (v: t [n]) : [n]i64 = map (+ v.by) v.xs
}

entry counted (n: i64) = both.get (both.add n both.zero)

entry shifted (n: i64) : [n]i64 = rows.values (rows.shift 1 (rows.make n))
