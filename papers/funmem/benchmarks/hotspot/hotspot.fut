-- The temperature of a chip: a five-point stencil, iterated.  `main` computes interior, edges and
-- corners by separate code and concatenates them; `plain` computes all cells by the same code.
-- ==
-- entry: main plain
-- input { 0i64 [[20f32, 30f32], [40f32, 50f32]] [[1f32, 1f32], [1f32, 1f32]] }
-- output { [[20f32, 30f32], [40f32, 50f32]] }
-- input { 1i64 [[0f32, 0f32, 0f32], [0f32, 100f32, 0f32], [0f32, 0f32, 0f32]]
--              [[0f32, 0f32, 0f32], [0f32, 0f32, 0f32], [0f32, 0f32, 0f32]] }
-- output { [[0.8f32, 20.8f32, 0.8f32], [15.8f32, 29.8f32, 15.8f32], [0.8f32, 20.8f32, 0.8f32]] }
-- input { 3i64 [[80f32, 80f32, 80f32], [80f32, 80f32, 80f32]]
--              [[0f32, 0f32, 0f32], [0f32, 0f32, 0f32]] }
-- output { [[80f32, 80f32, 80f32], [80f32, 80f32, 80f32]] }

-- ==
-- entry: main
-- input { 1i64 [[1f32, 2f32]] [[1f32, 2f32]] } error: Assertion is false

-- Rates of heat flow to neighbours in a row, in a column, and to the air; the temperature of the air.
def row : f32 = 0.15
def column : f32 = 0.2
def air : f32 = 0.01
def ambient : f32 = 80
def heating : f32 = 0.5

def cell (power: f32) (here: f32) (north: f32) (south: f32) (west: f32) (east: f32) : f32 =
  here
  + column * (north + south - 2 * here)
  + row * (west + east - 2 * here)
  + air * (ambient - here)
  + heating * power

-- At an edge a cell is its own neighbour: no heat flows there.  The pieces are
--     corner edge     corner
--     edge   interior edge
--     corner edge     corner
def in_pieces [n] [m] (power: [n][m]f32) (t: [n][m]f32) : [n][m]f32 =
  let (bottom, last) = (n - 1, m - 1)
  let corner i j i' j' = cell power[i, j] t[i, j] t[i, j] t[i', j] t[i, j] t[i, j']
  let along i i' =
    tabulate (m - 2) (\k -> let j = k + 1
                            in cell power[i, j] t[i, j] t[i, j] t[i', j] t[i, j - 1] t[i, j + 1])
  let across j j' =
    tabulate (n - 2) (\k -> let i = k + 1
                            in cell power[i, j] t[i, j] t[i - 1, j] t[i + 1, j] t[i, j] t[i, j'])
  let interior =
    tabulate_2d (n - 2) (m - 2) (\y x ->
      let (i, j) = (y + 1, x + 1)
      in cell power[i, j] t[i, j] t[i - 1, j] t[i + 1, j] t[i, j - 1] t[i, j + 1])
  let border i i' =
    [corner i 0 i' 1] ++ along i i' ++ [corner i last i' (last - 1)] :> [m]f32
  let columns = [across 0 1] ++ transpose interior ++ [across last (last - 1)] :> [m][n - 2]f32
  in [border 0 1] ++ transpose columns ++ [border bottom (bottom - 1)] :> [n][m]f32

def everywhere [n] [m] (power: [n][m]f32) (t: [n][m]f32) : [n][m]f32 =
  tabulate_2d n m (\i j ->
    cell power[i, j] t[i, j]
         t[i64.max 0 (i - 1), j] t[i64.min (n - 1) (i + 1), j]
         t[i, i64.max 0 (j - 1)] t[i, i64.min (m - 1) (j + 1)])

def main [n] [m] (steps: i64) (t: *[n][m]f32) (power: [n][m]f32) : [n][m]f32 =
  let t = assert (n > 1 && m > 1) t
  in loop t for _i < steps do in_pieces power t

entry plain [n] [m] (steps: i64) (t: *[n][m]f32) (power: [n][m]f32) : [n][m]f32 =
  loop t for _i < steps do everywhere power t
