-- Gravitation of all bodies on all bodies: records of vectors, leapfrog steps, energy as a check.
-- ==
-- input { 0 0.1 0.01 [[1.0, 2.0, 3.0]] [[4.0, 5.0, 6.0]] [7.0] }
-- output { [[1.0, 2.0, 3.0]] [[4.0, 5.0, 6.0]] }
-- input { 10 0.1 0.01 [[1.0, 2.0, 3.0]] [[1.0, 0.0, -1.0]] [7.0] }
-- output { [[2.0, 2.0, 2.0]] [[1.0, 0.0, -1.0]] }
-- input { 1 1.0 0.0 [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]] [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]] [1.0, 1.0] }
-- output { [[-0.875, 0.0, 0.0], [0.875, 0.0, 0.0]]
--          [[0.28826530612244896, 0.0, 0.0], [-0.28826530612244896, 0.0, 0.0]] }
-- input { 3 0.1 0.01 empty([0][3]f64) empty([0][3]f64) empty([0]f64) }
-- output { empty([0][3]f64) empty([0][3]f64) }

type vec3 = {x: f64, y: f64, z: f64}
type body = {at: vec3, velocity: vec3, mass: f64}

def vec3 (v: [3]f64) : vec3 = {x = v[0], y = v[1], z = v[2]}
def array (v: vec3) : [3]f64 = [v.x, v.y, v.z]
def zero : vec3 = {x = 0, y = 0, z = 0}

def (+|) (a: vec3) (b: vec3) : vec3 = {x = a.x + b.x, y = a.y + b.y, z = a.z + b.z}
def (-|) (a: vec3) (b: vec3) : vec3 = {x = a.x - b.x, y = a.y - b.y, z = a.z - b.z}
def (*|) (k: f64) (a: vec3) : vec3 = {x = k * a.x, y = k * a.y, z = k * a.z}
def dot (a: vec3) (b: vec3) : f64 = a.x * b.x + a.y * b.y + a.z * b.z

-- What `b` does to `a`.  The softening keeps close encounters finite; the two may be one body.
def pull (softening: f64) (a: body) (b: body) : vec3 =
  let apart = b.at -| a.at
  let r2 = dot apart apart + softening
  in if r2 == 0 then zero else (b.mass / (r2 * f64.sqrt r2)) *| apart

def accelerations [n] (softening: f64) (bodies: [n]body) : [n]vec3 =
  map (\a -> reduce (+|) zero (map (pull softening a) bodies)) bodies

def kick [n] (dt: f64) (softening: f64) (bodies: [n]body) : [n]body =
  map2 (\(b: body) a -> b with velocity = b.velocity +| dt *| a) bodies (accelerations softening bodies)

def drift [n] (dt: f64) (bodies: [n]body) : [n]body =
  map (\(b: body) -> b with at = b.at +| dt *| b.velocity) bodies

-- Half a kick, a drift, half a kick: time-reversible, so energy does not drift away.
def step [n] (dt: f64) (softening: f64) (bodies: [n]body) : [n]body =
  bodies |> kick (dt / 2) softening |> drift dt |> kick (dt / 2) softening

def pack [n] (ps: [n][3]f64) (vs: [n][3]f64) (ms: [n]f64) : [n]body =
  map3 (\p v mass -> {at = vec3 p, velocity = vec3 v, mass}) ps vs ms

def main [n] (steps: i32) (dt: f64) (softening: f64) (ps: [n][3]f64) (vs: [n][3]f64) (ms: [n]f64) :
    ([n][3]f64, [n][3]f64) =
  let end = iterate steps (step dt softening) (pack ps vs ms)
  in (map (\b -> array b.at) end, map (\b -> array b.velocity) end)

-- ==
-- entry: energy_change
-- input { 100 0.01 0.05 [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 3.0, 0.0]]
--         [[0.0, -0.5, 0.0], [0.0, 0.5, 0.0], [0.3, 0.0, 0.1]] [1.0, 1.0, 0.1] }
-- output { true true }

def energy [n] (softening: f64) (bodies: [n]body) : f64 =
  let kinetic (b: body) = 0.5 * b.mass * dot b.velocity b.velocity
  let potential i =
    f64.sum (map (\j ->
                    let apart = bodies[i].at -| bodies[j].at
                    let r = f64.sqrt (dot apart apart + softening)
                    in if j >= i then 0 else -bodies[i].mass * bodies[j].mass / r)
                 (iota n))
  in f64.sum (map kinetic bodies) + f64.sum (map potential (iota n))

def momentum [n] (bodies: [n]body) : vec3 = reduce (+|) zero (map (\b -> b.mass *| b.velocity) bodies)

-- Energy stays within a thousandth, and momentum exactly but for rounding.
entry energy_change [n] (steps: i32) (dt: f64) (softening: f64) (ps: [n][3]f64) (vs: [n][3]f64)
    (ms: [n]f64) : (bool, bool) =
  let start = pack ps vs ms
  let end = iterate steps (step dt softening) start
  let (e, e') = (energy softening start, energy softening end)
  let change = momentum end -| momentum start
  in (f64.abs (e - e') < 1e-3 * f64.abs e, dot change change < 1e-24)
