-- Histograms in two ways, and scatters outside of the bounds.
-- ==
-- input { [0i64, 3i64, 7i64, 2i64] [1, 20, 3, 4] }
-- output { [1i32, 0i32, 4i32, 20i32] [10i32, 10i32, 10i32, 20i32] [1i32, 0i32, 4i32, 20i32] [[1i32, 1i32], [4i32, 20i32]] }
-- input { empty([0]i64) empty([0]i32) }
-- output { [0i32, 0i32, 0i32, 0i32] [10i32, 10i32, 10i32, 10i32] [0i32, 0i32, 0i32, 0i32] [[1i32, 1i32], [1i32, 1i32]] }

def main (is: []i64) (vs: []i32) : ([4]i32, [4]i32, [4]i32, [2][2]i32) =
  let n = length is
  let (is, vs) = (is :> [n]i64, vs :> [n]i32)
  in ( hist (+) 0 4 is vs
     , reduce_by_index (replicate 4 10) i32.max i32.lowest is vs
     , scatter (replicate 4 0) is vs
     , scatter_2d (replicate 2 (replicate 2 1)) (map (\i -> (i / 2, i % 2)) is) vs)
