-- LU decomposition in blocks, without pivoting, and what it is for: solving systems, determinants.
-- ==
-- input { 2i64 [[4.0, 3.0, 2.0], [8.0, 10.0, 7.0], [4.0, 11.0, 18.0]] }
-- output { [[4.0, 3.0, 2.0], [2.0, 4.0, 3.0], [1.0, 2.0, 10.0]] }
-- input { 1i64 [[4.0, 3.0, 2.0], [8.0, 10.0, 7.0], [4.0, 11.0, 18.0]] }
-- output { [[4.0, 3.0, 2.0], [2.0, 4.0, 3.0], [1.0, 2.0, 10.0]] }
-- input { 16i64 [[4.0, 3.0, 2.0], [8.0, 10.0, 7.0], [4.0, 11.0, 18.0]] }
-- output { [[4.0, 3.0, 2.0], [2.0, 4.0, 3.0], [1.0, 2.0, 10.0]] }
-- input { 4i64 [[5.0]] } output { [[5.0]] }
-- input { 4i64 empty([0][0]f64) } output { empty([0][0]f64) }

-- L and U in one matrix; the ones on L's diagonal are not stored.
type packed [n] = [n][n]f64

-- One block, in place: the classical right-looking elimination.
def eliminate [b] (a: *[b][b]f64) : *packed [b] =
  loop a for k < b do
    let a = loop a for i in k + 1..<i64.max (k + 1) b do
              let factor = a[i, k] / a[k, k]
              in a with [i, k] = factor
    in loop a for i in k + 1..<i64.max (k + 1) b do
         loop a for j in k + 1..<i64.max (k + 1) b do
           let new = a[i, j] - a[i, k] * a[k, j]
           in a with [i, j] = new

-- The column x of L x = c, for the unit lower triangle of a block.
def forward [b] (l: packed [b]) (c: [b]f64) : *[b]f64 =
  loop x = copy c for i < b do
    let s = loop s = x[i] for j < i do s - l[i, j] * x[j]
    in x with [i] = s

-- The row x of x U = r, for the upper triangle of a block.
def right [b] (u: packed [b]) (r: [b]f64) : *[b]f64 =
  loop x = copy r for j < b do
    let s = loop s = x[j] for i < j do s - x[i] * u[i, j]
    in x with [j] = s / u[j, j]

def multiply [n] [m] [p] (a: [n][m]f64) (b: [m][p]f64) : [n][p]f64 =
  map (\row -> map (\column -> f64.sum (map2 (*) row column)) (transpose b)) a

-- The block at each step of the diagonal is eliminated sequentially; then its row of blocks and its
-- column of blocks in parallel, and with these the rest of the matrix, one product per block.
def blocked [n] (b: i64) (a: [n][n]f64) : *[n][n]f64 =
  let q = (n + b - 1) / b
  -- Beyond the edge the matrix continues as the identity, which eliminates to itself.
  let start: *[q][q][b][b]f64 =
    tabulate_2d q q (\bi bj ->
      tabulate_2d b b (\i j ->
        let (i, j) = (bi * b + i, bj * b + j)
        in if i < n && j < n then a[i, j] else f64.bool (i == j)))
  let done =
    loop blocks = start for k < q do
      let rest = q - k - 1
      let diagonal = eliminate (copy blocks[k, k])
      let row = map (\block -> transpose (map (forward diagonal) (transpose block)))
                    (blocks[k, k + 1:] :> [rest][b][b]f64)
      let column = map (\block -> map (right diagonal) block)
                       (blocks[k + 1:, k] :> [rest][b][b]f64)
      let inner = map2 (\left old_row ->
                          map2 (\above old -> map2 (map2 (-)) old (multiply left above)) row old_row)
                       column (blocks[k + 1:, k + 1:] :> [rest][rest][b][b]f64)
      let blocks[k, k] = diagonal
      let blocks[k, k + 1:] = row
      let blocks[k + 1:, k] = column
      let blocks[k + 1:, k + 1:] = inner
      in blocks
  in tabulate_2d n n (\i j -> done[i / b, j / b, i % b, j % b])

def main [n] (b: i64) (a: [n][n]f64) : [n][n]f64 = blocked b a

-- ==
-- entry: solve
-- input { [[4.0, 3.0, 2.0], [8.0, 10.0, 7.0], [4.0, 11.0, 18.0]] [9.0, 25.0, 33.0] }
-- output { [1.0, 1.0, 1.0] }
-- input { [[2.0]] [5.0] } output { [2.5] }
-- input { empty([0][0]f64) empty([0]f64) } output { empty([0]f64) }

entry solve [n] (a: [n][n]f64) (y: [n]f64) : [n]f64 =
  let lu = blocked 16 a
  let z = forward lu y
  in loop x = z for k < n do
       let i = n - 1 - k
       let s = loop s = x[i] for j in i + 1..<n do s - lu[i, j] * x[j]
       in x with [i] = s / lu[i, i]

-- ==
-- entry: determinant
-- input { [[4.0, 3.0, 2.0], [8.0, 10.0, 7.0], [4.0, 11.0, 18.0]] } output { 160.0 }
-- input { empty([0][0]f64) } output { 1.0 }

entry determinant [n] (a: [n][n]f64) : f64 =
  let lu = blocked 16 a
  in f64.product (map (\i -> lu[i, i]) (iota n))
