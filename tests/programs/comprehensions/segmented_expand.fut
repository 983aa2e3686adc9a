-- Flattening by expansion: each element becomes as many as it says.
-- ==
-- entry: products
-- input { [2i64, 3i64, 1i64] } output { [0i64, 2i64, 0i64, 3i64, 6i64, 0i64] }
-- input { [0i64, 2i64, 0i64, 0i64, 1i64, 0i64] } output { [0i64, 2i64, 0i64] }
-- input { [0i64] } output { empty([0]i64) }
-- input { [-5i64, 2i64] } output { [0i64, 2i64] }
-- input { empty([0]i64) } output { empty([0]i64) }
entry products (xs: []i64) : []i64 = expand (\x -> x) (*) xs

-- The source may be anything: intervals become their points.
-- ==
-- entry: points
-- input { [3i64, 10i64, 5i64] [6i64, 10i64, 7i64] } output { [3i64, 4i64, 5i64, 5i64, 6i64] }
entry points [n] (los: [n]i64) (his: [n]i64) : []i64 =
  expand (\(lo, hi) -> hi - lo) (\(lo, _) i -> lo + i) (zip los his)

-- Reduced: what has no elements is left out, or its reduction is the neutral element.
-- ==
-- entry: reduced
-- input { [3i64, 0i64, 4i64, 1i64] } output { [3i64, 6i64, 0i64] [3i64, 0i64, 6i64, 0i64] }
-- input { [0i64, 2i64, 0i64, -7i64] } output { [1i64] [0i64, 1i64, 0i64, 0i64] }
-- input { [0i64] } output { empty([0]i64) [0i64] }
-- input { [1i64] } output { [0i64] [0i64] }
-- input { empty([0]i64) } output { empty([0]i64) empty([0]i64) }
entry reduced (xs: []i64) : ([]i64, []i64) =
  let get _ i = i
  in (expand_reduce id get (+) 0 xs, expand_outer_reduce id get (+) 0 xs)

-- Every element of the source is looked at, wherever in its row the largest is.
-- ==
-- entry: largest
-- input { [2i64, 0i64, 3i64] [5i32, 9i32, 8i32, -1i32, 7i32] } output { [9i32, -2147483648i32, 8i32] }
-- input { [0i64, 0i64] empty([0]i32) } output { [-2147483648i32, -2147483648i32] }
-- input { [2i64] [5i32] } error: out of bounds
entry largest [k] (sizes: [k]i64) (xs: []i32) : []i32 =
  let starts = map2 (-) (scan (+) 0 sizes) sizes
  in expand_outer_reduce (.1) (\(start, _) i -> xs[start + i]) i32.max i32.lowest (zip starts sizes)

-- The operator need not commute: affine maps (a, b) : x -> a x + b, composed from left to right.
-- ==
-- entry: composed
-- input { [3i64, 0i64, 2i64] } output { [6i64, 1i64, 2i64] [5i64, 0i64, 1i64] }
entry composed (xs: []i64) : ([]i64, []i64) =
  let compose (a: i64, b: i64) (c, d) = (a * c, b * c + d)
  in unzip (expand_outer_reduce (\x -> x) (\_ i -> (i + 1, i)) compose (1, 0) xs)
