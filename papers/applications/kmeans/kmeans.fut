-- Lloyd's k-means: points choose their nearest centre, centres move to the mean, by a histogram.
-- ==
-- input { 2i64 5 [[0.0, 0.0], [10.0, 10.0], [0.0, 1.0], [10.0, 11.0]] }
-- output { [[0.0, 0.5], [10.0, 10.5]] [0i64, 1i64, 0i64, 1i64] }
-- input { 2i64 0 [[0.0], [10.0], [2.0]] } output { [[0.0], [10.0]] [0i64, 1i64, 0i64] }
-- input { 1i64 3 [[1.0, 2.0]] } output { [[1.0, 2.0]] [0i64] }
-- input { 2i64 1 [[5.0], [5.0], [8.0]] } output { [[6.0], [5.0]] [1i64, 1i64, 0i64] }
-- input { 3i64 2 [[5.0], [5.0]] } error:

def square_distance [d] (x: [d]f64) (y: [d]f64) : f64 =
  f64.sum (map2 (\a b -> (a - b) * (a - b)) x y)

-- The nearest centre, the first of equally near ones.
def nearest [k] [d] (centres: [k][d]f64) (point: [d]f64) : i64 =
  let closer (i, a) (j, b) = if b < a || (a == b && j < i) then (j, b) else (i, a)
  in map (square_distance point) centres
     |> zip (iota k)
     |> reduce_comm closer (i64.highest, f64.inf)
     |> (.0)

-- A centre that no point chose stays where it is.
def move [n] [k] [d] (points: [n][d]f64) (centres: [k][d]f64) (chosen: [n]i64) : [k][d]f64 =
  let counts = hist (+) 0 k chosen (replicate n 1i64)
  let sums = reduce_by_index (replicate k (replicate d 0)) (map2 (+)) (replicate d 0) chosen points
  in map3 (\sum count old -> if count == 0 then old else map (/ f64.i64 count) sum)
          sums counts centres

def main [n] [d] (k: i64) (rounds: i32) (points: [n][d]f64) : ([k][d]f64, [n]i64) =
  let start = copy (points[:k] :> [k][d]f64)
  let centres = loop centres = start for _r < rounds do
                  move points centres (map (nearest centres) points)
  in (centres, map (nearest centres) points)

-- ==
-- entry: until_settled
-- input { 2i64 [[0.0], [1.0], [10.0], [12.0]] } output { [[0.5], [11.0]] 3 2.5 }

-- Until no point changes its centre: centres, rounds, and the sum of square distances.
entry until_settled [n] [d] (k: i64) (points: [n][d]f64) : ([k][d]f64, i32, f64) =
  let start = copy (points[:k] :> [k][d]f64)
  let (centres, chosen, _, rounds) =
    loop (centres, chosen, changed, rounds) = (start, replicate n (-1), true, 0) while changed do
      let now = map (nearest centres) points
      in (move points centres now, now, or (map2 (!=) chosen now), rounds + 1)
  in (centres, rounds, f64.sum (map2 (\p c -> square_distance p centres[c]) points chosen))
