-- Dense matrix multiplication: one dot product per element, the same over a batch, and in tiles.
-- ==
-- input { [[1.0f32, 2.0f32], [3.0f32, 4.0f32], [5.0f32, 6.0f32]]
--         [[1.0f32, 0.0f32, -1.0f32], [2.0f32, 1.0f32, 0.0f32]] }
-- output { [[5.0f32, 2.0f32, -1.0f32], [11.0f32, 4.0f32, -3.0f32], [17.0f32, 6.0f32, -5.0f32]] }
-- input { [[3.0f32]] [[-2.0f32]] } output { [[-6.0f32]] }
-- input { empty([2][0]f32) empty([0][3]f32) }
-- output { [[0.0f32, 0.0f32, 0.0f32], [0.0f32, 0.0f32, 0.0f32]] }
-- input { empty([0][2]f32) [[1.0f32], [2.0f32]] } output { empty([0][1]f32) }

def dot [m] (xs: [m]f32) (ys: [m]f32) : f32 = reduce (+) 0 (map2 (*) xs ys)

def multiply [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) : *[n][p]f32 =
  map (\row -> map (dot row) (transpose b)) a

def main [n] [m] [p] (a: [n][m]f32) (b: [m][p]f32) : [n][p]f32 = multiply a b

-- ==
-- entry: batched
-- input { [[[1.0f32, 2.0f32]], [[0.0f32, -1.0f32]]] [[[3.0f32], [4.0f32]], [[5.0f32], [6.0f32]]] }
-- output { [[[11.0f32]], [[-6.0f32]]] }
-- input { empty([0][1][2]f32) empty([0][2][1]f32) } output { empty([0][1][1]f32) }

entry batched [k] [n] [m] [p] (as: [k][n][m]f32) (bs: [k][m][p]f32) : [k][n][p]f32 =
  map2 multiply as bs

-- ==
-- entry: tiled
-- input { 2i64 [[1.0f32, 2.0f32, 3.0f32], [4.0f32, 5.0f32, 6.0f32], [7.0f32, 8.0f32, 9.0f32]]
--              [[1.0f32, 0.0f32, 0.0f32], [0.0f32, 2.0f32, 0.0f32], [0.0f32, 0.0f32, 3.0f32]] }
-- output { [[1.0f32, 4.0f32, 9.0f32], [4.0f32, 10.0f32, 18.0f32], [7.0f32, 16.0f32, 27.0f32]] }
-- input { 5i64 [[3.0f32]] [[-2.0f32]] } output { [[-6.0f32]] }

-- Tiles written by hand, for machines where that is worth it: each tile of the result is the sum of
-- products of tiles, which a group of threads would keep in fast memory.  Where the size of a tile
-- does not divide the matrix, zeros are read beyond its edge.
entry tiled [n] [m] [p] (t: i64) (a: [n][m]f32) (b: [m][p]f32) : [n][p]f32 =
  let up (x: i64) = (x + t - 1) / t
  let tile [k] [l] (c: [k][l]f32) (bi: i64) (bj: i64) : [t][t]f32 =
    tabulate_2d t t (\i j ->
                       let (i, j) = (bi * t + i, bj * t + j)
                       in if i < k && j < l then c[i, j] else 0)
  let tiles: [][][t][t]f32 =
    tabulate_2d (up n) (up p) (\bi bj ->
                                 loop acc = replicate t (replicate t 0) for bk < up m do
                                   map2 (map2 (+)) acc (multiply (tile a bi bk) (tile b bk bj)))
  in tabulate_2d n p (\i j -> tiles[i / t, j / t, i % t, j % t])

-- ==
-- entry: power
-- input { 10 [[1.0f32, 1.0f32], [1.0f32, 0.0f32]] } output { [[89.0f32, 55.0f32], [55.0f32, 34.0f32]] }
-- input { 0 [[7.0f32]] } output { [[1.0f32]] }

-- A power of a square matrix by repeated squaring.
entry power [n] (k: i32) (a: [n][n]f32) : [n][n]f32 =
  let identity: [n][n]f32 = tabulate_2d n n (\i j -> f32.bool (i == j))
  let (result, _, _) =
    loop (result: [n][n]f32, a: [n][n]f32, k) = (identity, a, k) while k > 0 do
      (if k % 2 == 1 then multiply result a else result, multiply a a, k / 2)
  in result
