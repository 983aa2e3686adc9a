-- Gravitation: the acceleration of each body by all bodies.
-- ==
-- input { 1f32 [0f32, 1f32] [0f32, 1f32] [0f32, 1f32] [1f32, 8f32] }
-- output { [1f32, -0.125f32] [1f32, -0.125f32] [1f32, -0.125f32] }
-- input { 1f32 empty([0]f32) empty([0]f32) empty([0]f32) empty([0]f32) }
-- output { empty([0]f32) empty([0]f32) empty([0]f32) }

type vec3 = (f32, f32, f32)

def plus (a: vec3) (b: vec3) : vec3 = (a.0 + b.0, a.1 + b.1, a.2 + b.2)

-- What a body of mass m at b does to one at a; the softening keeps it finite, also for a body itself.
def pull (softening: f32) (a: vec3) (b: vec3) (m: f32) : vec3 =
  let (x, y, z) = (b.0 - a.0, b.1 - a.1, b.2 - a.2)
  let r2 = x * x + y * y + z * z + softening
  let s = m / (r2 * f32.sqrt r2)
  in (s * x, s * y, s * z)

entry main [n] (softening: f32) (xs: [n]f32) (ys: [n]f32) (zs: [n]f32) (ms: [n]f32) :
    ([n]f32, [n]f32, [n]f32) =
  let bodies = zip3 xs ys zs
  in unzip3 (map (\a -> reduce plus (0, 0, 0) (map2 (pull softening a) bodies ms)) bodies)
