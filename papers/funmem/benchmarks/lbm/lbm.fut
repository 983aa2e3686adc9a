-- A fluid in a box by the lattice Boltzmann method: 19 populations in each cell stream to their
-- neighbours, bounce off walls, and relax to equilibrium (D3Q19, BGK).
-- ==
-- entry: conserved
-- input { 2i64 } output { true true }

-- The directions, each followed by its opposite, and their weights.
def directions : [19][3]i64 =
  [ [0, 0, 0]
  , [1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]
  , [1, 1, 0], [-1, -1, 0], [1, -1, 0], [-1, 1, 0]
  , [1, 0, 1], [-1, 0, -1], [1, 0, -1], [-1, 0, 1]
  , [0, 1, 1], [0, -1, -1], [0, 1, -1], [0, -1, 1] ]

def weight (q: i64) : f32 = if q == 0 then 1 / 3 else if q < 7 then 1 / 18 else 1 / 36

def opposite (q: i64) : i64 = if q == 0 then 0 else ((q - 1) ^ 1) + 1

-- `omega` is the rate of relaxation; `force` drives the fluid along the first axis.
type fluid = {omega: f32, force: f32}

def collide (p: fluid) (f: [19]f32) : [19]f32 =
  let density = f32.sum f
  let momentum axis = f32.sum (map2 (\x c -> x * f32.i64 c) f (map (\c -> c[axis]) directions))
  let x = momentum 0 / density + p.force
  let y = momentum 1 / density
  let z = momentum 2 / density
  let square = x * x + y * y + z * z
  let relax (q: i64) (c: [3]i64) (g: f32) : f32 =
    let along = f32.i64 c[0] * x + f32.i64 c[1] * y + f32.i64 c[2] * z
    let equilibrium = weight q * density * (1 + 3 * along + 4.5 * along * along - 1.5 * square)
    in g + p.omega * (equilibrium - g)
  in map3 relax (iota 19) directions f

-- What arrives in a cell: from the neighbour behind, around the edges of the box, or from a wall.
def arrive [n] [m] [l] (solid: [n][m][l]bool) (f: [n][m][l][19]f32) (x: i64) (y: i64) (z: i64) :
    [19]f32 =
  map2 (\q (c: [3]i64) ->
          let (x', y', z') = ((x - c[0]) % n, (y - c[1]) % m, (z - c[2]) % l)
          in if solid[x', y', z'] then f[x, y, z, opposite q] else f[x', y', z', q])
       (iota 19) directions

def step [n] [m] [l] (p: fluid) (solid: [n][m][l]bool) (f: [n][m][l][19]f32) : [n][m][l][19]f32 =
  tabulate_3d n m l (\x y z ->
    if solid[x, y, z] then f[x, y, z] else collide p (arrive solid f x y z))

def main [n] [m] [l] (steps: i64) (omega: f32) (force: f32) (solid: [n][m][l]bool)
    (f: *[n][m][l][19]f32) : [n][m][l][19]f32 =
  loop f for _i < steps do step {omega, force} solid f

-- Mass stays as it is; without a force a fluid at rest stays at rest.
entry conserved (steps: i64) : (bool, bool) =
  let solid = tabulate_3d 4 3 5 (\x y _ -> x == 0 && y == 1)
  let start = map (map (map (const (tabulate 19 weight)))) solid
  let mass f = f32.sum (flatten (flatten_3d f))
  let p = {omega = 1.2, force = 0.01}
  let end = loop f = start for _i < steps do step p solid f
  let still = loop f = start for _i < steps do step (p with force = 0) solid f
  in ( f32.abs (mass end - mass start) < 1e-3
     , f32.maximum (map2 (\a b -> f32.abs (a - b)) (flatten (flatten_3d still))
                         (flatten (flatten_3d start))) < 1e-5 )
