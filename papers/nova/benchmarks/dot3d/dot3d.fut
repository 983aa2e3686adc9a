-- The inner products of many pairs of vectors of three elements, whose parts lie in six arrays.
-- ==
-- input { [1f32, 0f32] [2f32, 0f32] [3f32, 1f32] [4f32, 9f32] [5f32, 9f32] [6f32, 2f32] }
-- output { [32f32, 2f32] }
-- input { empty([0]f32) empty([0]f32) empty([0]f32) empty([0]f32) empty([0]f32) empty([0]f32) }
-- output { empty([0]f32) }

type vec3 = (f32, f32, f32)

def dot (a: vec3) (b: vec3) : f32 = a.0 * b.0 + a.1 * b.1 + a.2 * b.2

entry main [n] (ax: [n]f32) (ay: [n]f32) (az: [n]f32) (bx: [n]f32) (by: [n]f32) (bz: [n]f32) : [n]f32 =
  map2 dot (zip3 ax ay az) (zip3 bx by bz)
