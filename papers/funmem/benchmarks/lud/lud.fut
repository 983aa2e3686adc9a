-- LU decomposition in blocks, in place: the matrix lies flat, and each step replaces the block on
-- the diagonal, the blocks beside and below it (the perimeter), and the rest (the interior).
-- ==
-- entry: main blocked
-- input { 1i64 [[4f32, 3f32, 2f32], [8f32, 10f32, 7f32], [4f32, 11f32, 18f32]] }
-- output { [[4f32, 3f32, 2f32], [2f32, 4f32, 3f32], [1f32, 2f32, 10f32]] }
-- input { 3i64 [[4f32, 3f32, 2f32], [8f32, 10f32, 7f32], [4f32, 11f32, 18f32]] }
-- output { [[4f32, 3f32, 2f32], [2f32, 4f32, 3f32], [1f32, 2f32, 10f32]] }
-- input { 2i64 [[2f32, 0f32, 1f32, 0f32], [2f32, 1f32, 1f32, 1f32],
--               [0f32, 1f32, 1f32, 1f32], [4f32, 0f32, 2f32, 3f32]] }
-- output { [[2f32, 0f32, 1f32, 0f32], [1f32, 1f32, 0f32, 1f32],
--           [0f32, 1f32, 1f32, 0f32], [2f32, 0f32, 0f32, 3f32]] }
-- input { 4i64 empty([0][0]f32) } error: Assertion is false
-- input { 2i64 [[1f32]] } error: Assertion is false

import "../flat"

-- Without pivoting; L and U in one block, whose diagonal is U's.
def eliminate [b] (a: *[b][b]f32) : *[b][b]f32 =
  loop a for k < b do
    loop a for i in k + 1..<i64.max (k + 1) b do
      let factor = a[i, k] / a[k, k]
      let a[i, k] = factor
      in loop a for j in k + 1..<i64.max (k + 1) b do
           let new = a[i, j] - factor * a[k, j]
           in a with [i, j] = new

-- A column x of U beside the diagonal: L x = c.
def below [b] (diagonal: [b][b]f32) (c: [b]f32) : *[b]f32 =
  loop x = copy c for i < b do
    let s = loop s = x[i] for j < i do s - diagonal[i, j] * x[j]
    in x with [i] = s

-- A row x of L below the diagonal: x U = r.
def right [b] (diagonal: [b][b]f32) (r: [b]f32) : *[b]f32 =
  loop x = copy r for j < b do
    let s = loop s = x[j] for i < j do s - x[i] * diagonal[i, j]
    in x with [j] = s / diagonal[j, j]

def update [b] (left: [b][b]f32) (top: [b][b]f32) (old: [b][b]f32) : [b][b]f32 =
  map2 (\row olds ->
          map2 (\column x -> x - f32.sum (map2 (*) row column)) (transpose top) olds)
       left old

-- What a step makes of the blocks right of the diagonal's, below it, and of all others.
def others [r] [b] (diagonal: [b][b]f32) (top: [r][b][b]f32) (left: [r][b][b]f32)
    (interior: [r][r][b][b]f32) : (*[r][b][b]f32, *[r][b][b]f32, *[r][r][b][b]f32) =
  let top = map (\block -> transpose (map (below diagonal) (transpose block))) top
  let left = map (map (right diagonal)) left
  in (top, left, map2 (\l -> map2 (update l) top) left interior)

-- One step: `rest` blocks are left of the row that begins with the block at `at`.
def step (q: i64) (b: i64) (rest: i64) (at: i64) (m: *[(q * b) * (q * b)]f32)
    : *[(q * b) * (q * b)]f32 =
  let n = q * b
  let down = b * n
  let diagonal = eliminate (copy (flat_index_2d m at b n b 1))
  let (top, left, interior) =
    others diagonal
           (flat_index_3d m (at + b) rest b b n b 1)
           (flat_index_3d m (at + down) rest down b n b 1)
           (flat_index_4d m (at + down + b) rest down rest b b n b 1)
  let m = flat_update_2d m at n 1 diagonal
  let m = flat_update_3d m (at + b) b n 1 top
  let m = flat_update_3d m (at + down) down n 1 left
  in flat_update_4d m (at + down + b) down b n 1 interior

def blocks (n: i64) (b: i64) : i64 = assert (b > 0 && n > 0 && n % b == 0) (n / b)

-- L and U in one matrix; the ones on L's diagonal are not stored.
def main [n] (b: i64) (a: *[n][n]f32) : [n][n]f32 =
  let q = blocks n b
  let a = a :> *[q * b][q * b]f32
  let m = loop m = flatten a for k < q - 1 do step q b (q - 1 - k) (k * b * (q * b + 1)) m
  let last = (q * b - b) * (q * b + 1)
  let diagonal = eliminate (copy (flat_index_2d m last b (q * b) b 1))
  in unflatten (flat_update_2d m last (q * b) 1 diagonal) :> [n][n]f32

-- The same on a matrix of blocks, which ordinary slices can name.
entry blocked [n] (b: i64) (a: [n][n]f32) : [n][n]f32 =
  let q = blocks n b
  let m = tabulate_2d q q (\y x -> tabulate_2d b b (\i j -> a[y * b + i, x * b + j]))
  let m =
    loop m for k < q do
      let rest = q - 1 - k
      let diagonal = eliminate (copy m[k, k])
      let (top, left, interior) =
        others diagonal
               (m[k, k + 1:] :> [rest][b][b]f32)
               (m[k + 1:, k] :> [rest][b][b]f32)
               (m[k + 1:, k + 1:] :> [rest][rest][b][b]f32)
      let m[k, k] = diagonal
      let m[k, k + 1:] = top
      let m[k + 1:, k] = left
      let m[k + 1:, k + 1:] = interior
      in m
  in tabulate_2d n n (\i j -> m[i / b, j / b, i % b, j % b])
