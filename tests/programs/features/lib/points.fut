-- What imported_module.fut imports: a type, a constant, functions, and one that is nobody else's.
-- ==
-- entry: distances
-- input { [3.0, 0.0] [4.0, -1.0] } output { [5.0, 1.0] }

type point = {x: f64, y: f64}

def origin : point = {x = 0, y = 0}

local def square (v: f64) = v * v

def distance (p: point) (q: point) : f64 = f64.sqrt (square (p.x - q.x) + square (p.y - q.y))

def moved (d: f64) (p: point) : point = p with x = p.x + d

entry distances [n] (xs: [n]f64) (ys: [n]f64) =
  map2 (\x y -> distance origin {x, y}) xs ys
