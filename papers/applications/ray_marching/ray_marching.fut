-- Ray marching: a scene of signed distance functions, with light and shadows; shapes are a sum type.
-- ==
-- input { 1i64 1i64 [0] [[0.0, 0.0, 0.0]] [[1.0, 0.0]] } output { [[0.40824829]] }
-- input { 3i64 2i64 [0, 3] [[0.0, 0.5, 0.0], [0.0, -1.0, 0.0]] [[0.8, 0.0], [0.0, 0.0]] }
-- output { [[0.0, 0.760761683, 0.0], [0.707125138, 0.811122982, 0.857515193]] }
-- input { 2i64 1i64 empty([0]i32) empty([0][3]f64) empty([0][2]f64) } output { [[0.0, 0.0]] }
-- input { 0i64 3i64 [0] [[0.0, 0.0, 0.0]] [[1.0, 0.0]] } output { empty([3][0]f64) }

type vec3 = {x: f64, y: f64, z: f64}

def vec (x: f64) (y: f64) (z: f64) : vec3 = {x, y, z}
def (+|) (a: vec3) (b: vec3) : vec3 = {x = a.x + b.x, y = a.y + b.y, z = a.z + b.z}
def (-|) (a: vec3) (b: vec3) : vec3 = {x = a.x - b.x, y = a.y - b.y, z = a.z - b.z}
def (*|) (k: f64) (a: vec3) : vec3 = {x = k * a.x, y = k * a.y, z = k * a.z}
def dot (a: vec3) (b: vec3) : f64 = a.x * b.x + a.y * b.y + a.z * b.z
def norm (a: vec3) : f64 = f64.sqrt (dot a a)
def unit (a: vec3) : vec3 = (1 / norm a) *| a

type shape =
    #sphere {centre: vec3, radius: f64}
  | #cube {centre: vec3, half: f64, rounding: f64}
  | #torus {centre: vec3, major: f64, minor: f64}
  | #ground f64

-- How far a point is from a shape's surface; negative inside.
def distance (p: vec3) (s: shape) : f64 =
  match s
  case #sphere {centre, radius} -> norm (p -| centre) - radius
  case #cube {centre, half, rounding} ->
    let q = p -| centre
    let beyond (a: f64) = f64.abs a - (half - rounding)
    let (x, y, z) = (beyond q.x, beyond q.y, beyond q.z)
    let outside = norm (vec (f64.max x 0) (f64.max y 0) (f64.max z 0))
    in outside + f64.min 0 (f64.max x (f64.max y z)) - rounding
  case #torus {centre, major, minor} ->
    let q = p -| centre
    let ring = f64.sqrt (q.x * q.x + q.z * q.z) - major
    in f64.sqrt (ring * ring + q.y * q.y) - minor
  case #ground height -> p.y - height

def nearest [k] (scene: [k]shape) (p: vec3) : f64 = f64.minimum (map (distance p) scene)

type ray = {from: vec3, towards: vec3}
type outcome = #hit vec3 | #miss

def far : f64 = 20
def close : f64 = 1e-4
def patience : i32 = 200

-- A step as long as the distance to the nearest surface cannot cross one.
def march [k] (scene: [k]shape) (r: ray) : outcome =
  let at t = r.from +| t *| r.towards
  let (t, d, _) =
    loop (t, d, steps) = (0, nearest scene r.from, 0)
    while d > close && t < far && steps < patience do
      let t = t + d
      in (t, nearest scene (at t), steps + 1)
  in if d <= close then #hit (at t) else #miss

-- The direction in which the distance grows, from four points around.
def normal [k] (scene: [k]shape) (p: vec3) : vec3 =
  let h = 1e-5
  let part (e: vec3) : vec3 = nearest scene (p +| h *| e) *| e
  in unit (part (vec 1 (-1) (-1)) +| part (vec (-1) (-1) 1) +| part (vec (-1) 1 (-1)) +| part (vec 1 1 1))

def light : vec3 = vec 2 4 (-3)

-- The angle to the light; in shadow a tenth of it.
def brightness [k] (scene: [k]shape) (p: vec3) : f64 =
  let n = normal scene p
  let to_light = unit (light -| p)
  let facing = f64.max 0 (dot n to_light)
  let lit =
    match march scene {from = p +| 0.01 *| n, towards = to_light}
    case #hit _ -> 0.1
    case #miss -> 1
  in facing * lit

def decode (kind: i32) (at: [3]f64) (size: [2]f64) : shape =
  let centre = vec at[0] at[1] at[2]
  in match kind
     case 0 -> #sphere {centre, radius = size[0]}
     case 1 -> #cube {centre, half = size[0], rounding = size[1]}
     case 2 -> #torus {centre, major = size[0], minor = size[1]}
     case _ -> #ground at[1]

-- The eye looks along z at a screen of height 2.
def camera (width: i64) (height: i64) (i: i64) (j: i64) : ray =
  let step = 2 / f64.i64 height
  let x = (f64.i64 j + 0.5 - f64.i64 width / 2) * step
  let y = (f64.i64 height / 2 - f64.i64 i - 0.5) * step
  in {from = vec 0 0 (-4), towards = unit (vec x y 2)}

def main [k] (width: i64) (height: i64) (kinds: [k]i32) (centres: [k][3]f64) (sizes: [k][2]f64) :
    [height][width]f64 =
  let scene = map3 decode kinds centres sizes
  let pixel i j =
    match march scene (camera width height i j)
    case #hit p -> brightness scene p
    case #miss -> 0
  in tabulate_2d height width pixel

-- ==
-- entry: distances
-- input { [0.0, 2.0, 0.0] } output { [1.0, 1.0, 1.7360679774997896, 3.0] }
-- input { [0.0, 0.0, 0.0] } output { [-1.0, -1.0, 0.5, 1.0] }

entry distances (p: [3]f64) : [4]f64 =
  let scene = [ #sphere {centre = vec 0 0 0, radius = 1}
              , #cube {centre = vec 0 0 0, half = 1, rounding = 0.1}
              , #torus {centre = vec 0 0 0, major = 1, minor = 0.5}
              , #ground (-1) ]
  in map (distance (vec p[0] p[1] p[2])) scene
