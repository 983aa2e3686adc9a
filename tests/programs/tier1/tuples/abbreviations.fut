-- Plain type abbreviations for scalars, tuples and arrays are interchangeable with what they stand for.
-- ==
-- entry: norm
-- input { 3.0 4.0 } output { 5.0 }

-- ==
-- entry: bounds
-- input { [[1.0, 5.0], [-2.0, 7.0], [0.0, 0.0]] } output { -2.0 0.0 1.0 7.0 }

-- ==
-- entry: trace3
-- input { [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32], [7f32, 8f32, 9f32]] } output { 15f32 }

type real = f64
type vec2 = (real, real)
type box = (vec2, vec2)
type mat3 = [3][3]f32

def dot ((a, b): vec2) ((c, d): vec2) : real = a * c + b * d
def real_sqrt (x: real) = f64.sqrt x
entry norm (x: real) (y: real) : real = let v : vec2 = (x, y) in real_sqrt (dot v v)

def join (((ax, ay), (bx, by)): box) (((cx, cy), (dx, dy)): box) : box =
  ((f64.min ax cx, f64.min ay cy), (f64.max bx dx, f64.max by dy))
entry bounds [n] (ps: [n][2]f64) : (real, real, real, real) =
  let none : box = ((f64.inf, f64.inf), (-f64.inf, -f64.inf))
  let ((a, b), (c, d)) = reduce join none (map (\p -> ((p[0], p[1]), (p[0], p[1]))) ps)
  in (a, b, c, d)

entry trace3 (m: mat3) = f32.sum (map (\i -> m[i, i]) (iota 3))
