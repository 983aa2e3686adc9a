-- Euler's equations of a gas on an unstructured grid, finite volumes (Rodinia cfd).  A cell has four
-- faces; the neighbour behind a face is a cell, -1 for a wall, or -2 for the free stream.
-- ==
-- input { 2 [1.0, 0.5] [[1i64, -1i64, -2i64, -1i64], [0i64, -2i64, -1i64, -1i64]] [[[0.1, 0.2, 0.3], [-0.1, 0.2, 0.0], [0.0, -0.2, 0.1], [0.0, -0.2, -0.4]], [[-0.1, -0.2, -0.3], [0.1, 0.1, 0.1], [0.0, 0.1, 0.0], [0.0, 0.0, 0.2]]] [1.4, 1.2] [[0.1, 0.2, 0.0], [0.3, 0.0, -0.1]] [2.5, 2.7] }
-- output { [1.3786656862549875f64, 1.1624038342930871f64] [[0.21080654873144672f64, 0.16820791753541595f64, -0.01289113976977144f64], [0.2685018350022083f64, 0.01920618602285756f64, -0.08837871848289544f64]] [2.5613804193189376f64, 2.496786544279827f64] }
-- input { 0 [1.0] [[-1i64, -1i64, -1i64, -1i64]] [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, -1.0, -1.0]]] [1.0] [[0.5, 0.0, 0.0]] [2.0] }
-- output { [1.0f64] [[0.5f64, 0.0f64, 0.0f64]] [2.0f64] }

type vector = {x: f64, y: f64, z: f64}
type state = {density: f64, momentum: vector, energy: f64}

def dot (a: vector) (b: vector) : f64 = a.x * b.x + a.y * b.y + a.z * b.z
def scale (s: f64) (a: vector) : vector = {x = s * a.x, y = s * a.y, z = s * a.z}
def plus (a: vector) (b: vector) : vector = {x = a.x + b.x, y = a.y + b.y, z = a.z + b.z}
def of_array (a: [3]f64) : vector = {x = a[0], y = a[1], z = a[2]}

def add (a: state) (b: state) : state =
  {density = a.density + b.density, momentum = plus a.momentum b.momentum,
   energy = a.energy + b.energy}

def times (s: f64) (a: state) : state =
  {density = s * a.density, momentum = scale s a.momentum, energy = s * a.energy}

def velocity (s: state) : vector = scale (1 / s.density) s.momentum

def pressure (s: state) : f64 =
  0.4 * (s.energy - 0.5 * s.density * dot (velocity s) (velocity s))

def sound (s: state) : f64 = f64.sqrt (1.4 * pressure s / s.density)
def speed (s: state) : f64 = f64.sqrt (dot (velocity s) (velocity s))

def free_stream : state =
  {density = 1.4, momentum = {x = 1.68, y = 0.0, z = 0.0}, energy = 3.508}

-- What flows through a face with this normal vector.
def flow (s: state) (normal: vector) : state =
  let across = dot (velocity s) normal
  let p = pressure s
  in {density = s.density * across, momentum = plus (scale across s.momentum) (scale p normal),
      energy = (s.energy + p) * across}

def through (s: state) (other: state) (normal: vector) : state =
  let area = f64.sqrt (dot normal normal)
  let factor = -0.1 * area * (speed s + speed other + sound s + sound other)
  let smoothing = times factor (add s (times (-1) other))
  in add smoothing (times (-0.5) (add (flow s normal) (flow other normal)))

def wall (s: state) (normal: vector) : state =
  {density = 0, momentum = scale (-(pressure s)) normal, energy = 0}

entry main [n]
    (steps: i32) (areas: [n]f64) (neighbours: [n][4]i64) (normals: [n][4][3]f64)
    (density: [n]f64) (momentum: [n][3]f64) (energy: [n]f64)
    : ([n]f64, [n][3]f64, [n]f64) =
  let cells =
    map3 (\d m e -> {density = d, momentum = of_array m, energy = e}) density momentum energy
  let cells =
    loop cells for _t < steps do
      let advance i =
        let s = cells[i]
        let flux =
          loop flux = {density = 0, momentum = {x = 0, y = 0, z = 0}, energy = 0} for f < 4 do
            let normal = of_array normals[i, f]
            let k = neighbours[i, f]
            in add flux (if k >= 0 then through s cells[k] normal
                         else if k == -1 then wall s normal
                         else through s free_stream normal)
        let factor = 0.5 / (f64.sqrt areas[i] * (speed s + sound s))
        in add s (times factor flux)
      in tabulate n advance
  in (map (.density) cells,
      map (\c -> [c.momentum.x, c.momentum.y, c.momentum.z]) cells,
      map (.energy) cells)
