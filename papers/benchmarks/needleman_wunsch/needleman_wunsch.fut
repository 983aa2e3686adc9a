-- Global alignment: the matrix of scores, antidiagonals of blocks in parallel.
-- ==
-- input { 1i64 2 [[3, -1], [-1, 3]] } output { [[0, -2, -4], [-2, 3, 1], [-4, 1, 6]] }
-- input { 2i64 2 [[3, -1], [-1, 3]] } output { [[0, -2, -4], [-2, 3, 1], [-4, 1, 6]] }

import "../../funmem/benchmarks/flat"
module nw = import "../../funmem/benchmarks/needleman_wunsch/needleman_wunsch"

-- `count` blocks down to the left from block (bi, bj), in a flat matrix of q by q blocks of b by b
-- scores, and a row and a column of borders.
def wave (q: i64) (b: i64) (gap: i32) (similarity: [(q * b) * (q * b)]i32)
    (count: i64) (bi: i64) (bj: i64)
    (scores: *[(q * b + 1) * (q * b + 1)]i32) : *[(q * b + 1) * (q * b + 1)]i32 =
  let n = q * b
  let width = n + 1
  let corner = bi * b * width + bj * b
  let step = b * width - b
  let above = flat_index_2d scores corner count step (b + 1) 1
  let left = flat_index_2d scores (corner + width) count step b width
  let similar = flat_index_3d similarity (bi * b * n + bj * b) count (b * n - b) b n b 1
  let blocks = map3 (nw.align gap) above left similar
  in flat_update_3d scores (corner + width + 1) step width 1 blocks

entry main [n] (block: i64) (gap: i32) (similarity: [n][n]i32) : [n + 1][n + 1]i32 =
  let q = assert (block > 0 && n % block == 0) (n / block)
  let similarity = flatten (similarity :> [q * block][q * block]i32)
  let wave = wave q block gap similarity
  let border i j = if i == 0 || j == 0 then -gap * i32.i64 (i + j) else 0
  let scores = flatten (tabulate_2d (q * block + 1) (q * block + 1) border)
  let scores = loop scores for k < q do wave (k + 1) 0 k scores
  let scores = loop scores for k < q - 1 do wave (q - 1 - k) (k + 1) (q - 1) scores
  in unflatten scores :> [n + 1][n + 1]i32
