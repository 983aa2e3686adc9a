-- A file imported as a module: its types and values by qualified names, its local names not at all.
-- ==
-- entry: main
-- input { [3.0, 0.0] [4.0, 0.0] } output { [5.0, 0.0] 6.0 }
-- input { [-1.0] [0.0] } output { [1.0] 0.0 }

module points = import "lib/points"

def square (v: f64) = 2 * v

def far (limit: f64) (p: points.point) = (p `points.distance` points.origin) > limit

entry main [n] (xs: [n]f64) (ys: [n]f64) : ([n]f64, f64) =
  let ps = map2 (\x y -> {x, y}) xs ys
  let right = filter (far 4) (map (points.moved 0.5) ps)
  in (map (points.distance points.origin) ps, f64.sum (map (\p -> square (p.x - 0.5)) right))
