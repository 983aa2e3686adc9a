-- The temperature of a chip: a five-point stencil, iterated, with heat from a power map.
-- ==
-- input { 0 [[20.0f32, 30.0f32]] [[1.0f32, 1.0f32]] } output { [[20.0f32, 30.0f32]] }
-- input { 1 [[80.0f32]] [[0.0f32]] } output { [[80.0f32]] }
-- input { 100 [[80.0f32, 80.0f32], [80.0f32, 80.0f32]] [[0.0f32, 0.0f32], [0.0f32, 0.0f32]] }
-- output { [[80.0f32, 80.0f32], [80.0f32, 80.0f32]] }
-- input { 3 empty([0][2]f32) empty([0][2]f32) } output { empty([0][2]f32) }

-- How fast heat flows to neighbours in a row, in a column, and to the air; and the air's temperature.
type chip = {row: f32, column: f32, air: f32, ambient: f32, heating: f32}

def chip : chip = {row = 0.15, column = 0.2, air = 0.01, ambient = 80, heating = 0.5}

-- At an edge a cell is its own neighbour: no heat flows there.
def step [n] [m] (c: chip) (power: [n][m]f32) (t: [n][m]f32) : [n][m]f32 =
  tabulate_2d n m (\i j ->
    let here = t[i, j]
    let north = t[i64.max 0 (i - 1), j]
    let south = t[i64.min (n - 1) (i + 1), j]
    let west = t[i, i64.max 0 (j - 1)]
    let east = t[i, i64.min (m - 1) (j + 1)]
    in here
       + c.column * (north + south - 2 * here)
       + c.row * (west + east - 2 * here)
       + c.air * (c.ambient - here)
       + c.heating * power[i, j])

def simulate [n] [m] (c: chip) (steps: i32) (power: [n][m]f32) (t: [n][m]f32) : [n][m]f32 =
  iterate steps (step c power) t

def main [n] [m] (steps: i32) (t: [n][m]f32) (power: [n][m]f32) : [n][m]f32 =
  simulate chip steps power t

-- ==
-- entry: insulated
-- input { 50 [[0.0f32, 100.0f32], [50.0f32, 50.0f32]] } output { 200.0f32 }
-- input { 7 [[1.0f32, 2.0f32, 6.0f32]] } output { 9.0f32 }

-- Without air and power the total heat stays.
entry insulated [n] [m] (steps: i32) (t: [n][m]f32) : f32 =
  let dark = replicate n (replicate m 0)
  in f32.sum (flatten (simulate (chip with air = 0) steps dark t))

-- ==
-- entry: until_steady
-- input { 1e-3f32 [[80.0f32, 80.0f32]] [[0.0f32, 0.0f32]] } output { 1 80.0f32 }

-- Steps until no cell changes by more than `tolerance`, and the highest temperature then.
entry until_steady [n] [m] (tolerance: f32) (t: [n][m]f32) (power: [n][m]f32) : (i32, f32) =
  let (_, t, steps) =
    loop (change, t, steps) = (f32.inf, t, 0) while change > tolerance && steps < 10000 do
      let t' = step chip power t
      let change = map2 (map2 (\a b -> f32.abs (a - b))) t t' |> flatten |> f32.maximum
      in (change, t', steps + 1)
  in (steps, f32.maximum (flatten t))
