-- Ray tracing of spheres that are scaled and translated, in this order or the other (paper 000,
-- section 7.4).  There an object is a function; here it is a sum, whose cases are the orders.
-- ==
-- input { 3i64 [0u8] [0.8f32] [[0f32, 0f32, 0f32]] [[1f32, 0.5f32, 0.25f32]] }
-- output { [[0u32, 0u32, 0u32], [0u32, 0xff8040u32, 0u32], [0u32, 0u32, 0u32]] }
-- input { 1i64 [0u8, 1u8] [1f32, 2f32] [[0f32, 0f32, 0f32], [0f32, 0f32, -0.25f32]]
--         [[1f32, 0f32, 0f32], [0f32, 1f32, 0f32]] }
-- output { [[0x00ff00u32]] }
-- input { 2i64 empty([0]u8) empty([0]f32) empty([0][3]f32) empty([0][3]f32) }
-- output { [[0u32, 0u32], [0u32, 0u32]] }

type vec3 = {x: f32, y: f32, z: f32}

def (-|) (a: vec3) (b: vec3) : vec3 = {x = a.x - b.x, y = a.y - b.y, z = a.z - b.z}
def (*|) (k: f32) (a: vec3) : vec3 = {x = k * a.x, y = k * a.y, z = k * a.z}
def dot (a: vec3) (b: vec3) : f32 = a.x * b.x + a.y * b.y + a.z * b.z
def vector (a: [3]f32) : vec3 = {x = a[0], y = a[1], z = a[2]}

type ray = {from: vec3, towards: vec3}
type change = {by: vec3, factor: f32}

-- The unit sphere, changed.
type object = #scaled_then_moved change | #moved_then_scaled change

type result = #miss | #hit f32 u32

-- Where a ray meets the unit sphere first, in multiples of its direction.
def unit_sphere (colour: u32) (r: ray) : result =
  let a = dot r.towards r.towards
  let b = dot r.from r.towards
  let d = b * b - a * (dot r.from r.from - 1)
  let t = (-b - f32.sqrt (f32.max 0 d)) / a
  in if d >= 0 && t > 0 then #hit t colour else #miss

def moved (by: vec3) (r: ray) : ray = r with from = r.from -| by
def scaled (k: f32) (r: ray) : ray = {from = (1 / k) *| r.from, towards = (1 / k) *| r.towards}

-- What a change does to a shape, its opposite does to the ray, and the last one first.
def intersect (r: ray) (object: object, colour: u32) : result =
  match object
  case #scaled_then_moved {by, factor} -> unit_sphere colour (r |> moved by |> scaled factor)
  case #moved_then_scaled {by, factor} -> unit_sphere colour (r |> scaled factor |> moved by)

def closest (a: result) (b: result) : result =
  match (a, b)
  case (#hit s _, #hit t _) -> if t < s then b else a
  case (#miss, _) -> b
  case (_, #miss) -> a

def rgb (c: [3]f32) : u32 =
  let byte x = u32.f32 (x * 255 + 0.5)
  in byte c[0] << 16 | byte c[1] << 8 | byte c[2]

def colour_of (r: result) : u32 = match r case #miss -> 0 case #hit _ c -> c

-- Objects, of which those of kind 0 are scaled first; seen from (0, 0, -5) through a window at z = -4
-- from -0.5 to 0.5.
entry main [k] (n: i64) (kinds: [k]u8) (factors: [k]f32) (moves: [k][3]f32) (colours: [k][3]f32) :
    [n][n]u32 =
  let object kind factor by : object =
    let c = {by = vector by, factor}
    in if kind == 0 then #scaled_then_moved c else #moved_then_scaled c
  let scene = zip (map3 object kinds factors moves) (map rgb colours)
  let at i = (f32.i64 i + 0.5) / f32.i64 n - 0.5
  let pixel y x =
    let r = {from = {x = 0, y = 0, z = -5}, towards = {x = at x, y = -(at y), z = 1}}
    in map (intersect r) scene |> reduce closest #miss |> colour_of
  in tabulate_2d n n pixel
