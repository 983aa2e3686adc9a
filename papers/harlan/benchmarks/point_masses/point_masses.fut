-- Gravitation without softening: the acceleration of each body, of mass one, by all others; bodies
-- at the same place do nothing to each other (paper 000, figure 1).
-- ==
-- input { [0f32, 2f32] [0f32, 0f32] [0f32, 0f32] }
-- output { [0.25f32, -0.25f32] [0f32, 0f32] [0f32, 0f32] }
-- input { [1f32, 1f32] [1f32, 1f32] [1f32, 1f32] } output { [0f32, 0f32] [0f32, 0f32] [0f32, 0f32] }
-- input { empty([0]f32) empty([0]f32) empty([0]f32) }
-- output { empty([0]f32) empty([0]f32) empty([0]f32) }

type point = {x: f32, y: f32, z: f32}

def zero : point = {x = 0, y = 0, z = 0}
def add (a: point) (b: point) : point = {x = a.x + b.x, y = a.y + b.y, z = a.z + b.z}
def minus (a: point) (b: point) : point = {x = a.x - b.x, y = a.y - b.y, z = a.z - b.z}
def over (a: point) (k: f32) : point = {x = a.x / k, y = a.y / k, z = a.z / k}
def length_of (a: point) : f32 = f32.sqrt (a.x * a.x + a.y * a.y + a.z * a.z)

def pull (i: point) (j: point) : point =
  let apart = minus j i
  let d = length_of apart
  in if 0 < d then over apart (d * d * d) else zero

entry main [n] (xs: [n]f32) (ys: [n]f32) (zs: [n]f32) : ([n]f32, [n]f32, [n]f32) =
  let bodies = map3 (\x y z -> {x, y, z}) xs ys zs
  in map (\i -> reduce add zero (map (pull i) bodies)) bodies
     |> map (\p -> (p.x, p.y, p.z))
     |> unzip3
