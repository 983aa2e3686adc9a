-- Needleman-Wunsch in blocks: the matrix of scores lies flat, and the blocks of an antidiagonal are
-- aligned in parallel, read and written through slices whose rows are a diagonal step apart.
-- ==
-- input { 1i64 2 [[3, -1], [-1, 3]] } output { [[0, -2, -4], [-2, 3, 1], [-4, 1, 6]] }
-- input { 2i64 2 [[3, -1], [-1, 3]] } output { [[0, -2, -4], [-2, 3, 1], [-4, 1, 6]] }
-- input { 1i64 2 empty([0][0]i32) } output { [[0]] }
-- input { 2i64 1 [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]] }
-- output { [[0, -1, -2, -3, -4], [-1, 1, 0, -1, -2], [-2, 0, 2, 1, 0], [-3, -1, 1, 3, 2],
--           [-4, -2, 0, 2, 4]] }
-- input { 2i64 1 [[1, 0, 0], [0, 1, 0], [0, 0, 1]] } error: Assertion is false

import "../flat"

-- One block, row by row, from the row of scores above it, its corner included, and the column to
-- the left of it.
def align [b] (gap: i32) (above: [b + 1]i32) (left: [b]i32) (similarity: [b][b]i32) : *[b][b]i32 =
  loop block = replicate b (replicate b 0) for i < b do
    let corner = if i == 0 then above[0] else left[i - 1]
    let (block, _, _) =
      loop (block, west, northwest) = (block, left[i], corner) for j < b do
        let north = if i == 0 then above[j + 1] else block[i - 1, j]
        let score = i32.max (northwest + similarity[i, j]) (i32.max west north - gap)
        in (block with [i, j] = score, score, north)
    in block

-- `count` blocks down to the left from block (bi, bj).  One block further is b rows down and b
-- columns back.
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
  let blocks = map3 (align gap) above left similar
  in flat_update_3d scores (corner + width + 1) step width 1 blocks

-- All scores; element (i, j) is the best of aligning i letters with j letters.  `similarity` says
-- what it is worth to have a letter of one above a letter of the other.
def main [n] (b: i64) (gap: i32) (similarity: [n][n]i32) : [n + 1][n + 1]i32 =
  let q = assert (b > 0 && n % b == 0) (n / b)
  let similarity = flatten (similarity :> [q * b][q * b]i32)
  let width = q * b + 1
  let border (k: i64) = let (i, j) = (k / width, k % width)
                        in if i == 0 || j == 0 then -gap * i32.i64 (i + j) else 0
  let wave = wave q b gap similarity
  let scores = tabulate ((q * b + 1) * (q * b + 1)) border
  let scores = loop scores for k < q do wave (k + 1) 0 k scores
  let scores = loop scores for k < q - 1 do wave (q - 1 - k) (k + 1) (q - 1) scores
  in unflatten scores :> [n + 1][n + 1]i32
