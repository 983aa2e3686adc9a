-- Members of the float modules, by module parameters of the prelude's types, and old conversions.
-- ==
-- input { 3f32 } output { 1077936128u32 6.5f64 3f64 -2f64 }
-- input { -0.5f32 } output { 3204448256u32 -0.5f64 -0.5f64 -2f64 }

module of_floats (T: float) = {
  def bits (x: T.t) : T.int_t = T.to_bits x
  def same (x: T.t) : bool = T.(from_bits (to_bits x) == x)
  def doubled (x: T.t) : f64 = T.(to_f64 (x * i64 2 + from_fraction 1 2))
}

module single = of_floats f32

def main (x: f32) : (u32, f64, f64, f64) =
  (single.bits x, single.doubled x, f32.to_f64 x, f64.to_f64 (f16.to_f64 (-2)))

-- ==
-- entry: converted
-- input { 7i32 2.75f32 -3.5f64 } output { 7f32 7f64 2 -3 }
-- input { -1i32 -0.5f32 1e9f64 } output { -1f32 -1f64 0 1000000000 }

entry converted (i: i32) (x: f32) (y: f64) : (f32, f64, i32, i32) = (r32 i, r64 i, t32 x, t64 y)

-- ==
-- entry: lengths
-- input { [3f32, 4f32] } output { 5f32 3 8 }
-- input { empty([0]f32) } output { 0f32 3 8 }

module norms (T: real) = {
  def norm [n] (xs: [n]T.t) : T.t = T.sqrt (T.sum (map (\x -> T.(x * x)) xs))
}

module bits (T: integral) = { def count (x: T.t) : i32 = T.popc x }
module sized (T: numeric) = { def twice (x: T.t) : T.t = T.(x + x) }

local module n = norms f32
local module b = bits u16
local module s = sized i32

entry lengths (xs: []f32) : (f32, i32, i32) = (n.norm xs, b.count 0x8101, s.twice 4)
