-- Rotations by quaternions: nested records, operators, and arrays of records rotated in parallel.
-- ==
-- input { [1.0, 0.0, 0.0] [0.0, 1.0, 0.0] [0.0, 0.0, 1.0] }
-- output { [0.0, -1.0, 0.0] [1.0, 0.0, 0.0] [0.0, 0.0, 1.0] }
-- input { empty([0]f64) empty([0]f64) empty([0]f64) } output { empty([0]f64) empty([0]f64) empty([0]f64) }

type vec3 = {x: f64, y: f64, z: f64}
type quaternion = {w: f64, v: vec3}

def (+|) (a: vec3) (b: vec3) : vec3 = {x = a.x + b.x, y = a.y + b.y, z = a.z + b.z}
def (*|) (k: f64) (a: vec3) : vec3 = {x = k * a.x, y = k * a.y, z = k * a.z}
def dot (a: vec3) (b: vec3) : f64 = a.x * b.x + a.y * b.y + a.z * b.z
def cross (a: vec3) (b: vec3) : vec3 =
  {x = a.y * b.z - a.z * b.y, y = a.z * b.x - a.x * b.z, z = a.x * b.y - a.y * b.x}

def (**|) (p: quaternion) (q: quaternion) : quaternion =
  { w = p.w * q.w - dot p.v q.v
  , v = p.w *| q.v +| q.w *| p.v +| cross p.v q.v }

def conjugate (q: quaternion) : quaternion = q with v = (-1) *| q.v

def about_z (angle: f64) : quaternion =
  {w = f64.cos (angle / 2), v = {x = 0, y = 0, z = f64.sin (angle / 2)}}

def rotate_by (q: quaternion) (p: vec3) : vec3 = (q **| {w = 0, v = p} **| conjugate q).v

def main [n] (xs: [n]f64) (ys: [n]f64) (zs: [n]f64) : ([n]f64, [n]f64, [n]f64) =
  map3 (\x y z -> {x, y, z}) xs ys zs
  |> map (rotate_by (about_z (f64.pi / 2)))
  |> map (\p -> (p.x, p.y, p.z))
  |> unzip3

-- ==
-- entry: composed
-- input { 0.25 0.5 } output { true }

entry composed (a: f64) (b: f64) : bool =
  let p: vec3 = {x = 1, y = 2, z = 3}
  let once = rotate_by (about_z (a + b)) p
  let twice = rotate_by (about_z a) (rotate_by (about_z b) p)
  let apart = once +| (-1) *| twice
  in dot apart apart < 1e-20
