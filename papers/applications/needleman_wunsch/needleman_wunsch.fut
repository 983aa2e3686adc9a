-- Global alignment of two sequences: a wavefront over antidiagonals, and the way back.
-- ==
-- input { 1 [[1, -1], [-1, 1]] [0u8, 1u8, 1u8] [0u8, 1u8] }
-- output { [[0, -1, -2], [-1, 1, 0], [-2, 0, 2], [-3, -1, 1]] }
-- input { 2 [[3]] empty([0]u8) [0u8, 0u8] } output { [[0, -2, -4]] }
-- input { 2 [[3]] empty([0]u8) empty([0]u8) } output { [[0]] }
-- input { 2 [[3]] [0u8] [0u8] } output { [[0, -2], [-2, 3]] }

-- Element (i, j) is the best score of aligning the first i letters of one sequence with the first j
-- of the other.  It needs its neighbours above, to the left and above left: an antidiagonal can be
-- computed in parallel from the two before.  These live in arrays by row number; the matrix is only
-- written, in place.
def scores [k] [n] [m] (gap: i32) (similarity: [k][k]i32) (a: [n]u8) (b: [m]u8) :
    *[n + 1][m + 1]i32 =
  let border i j = -gap * i32.i64 (i + j)
  let rows = n + 1
  let matrix = replicate (n + 1) (replicate (m + 1) 0i32)
  let (matrix, _, _) =
    loop (matrix, before, last) = (matrix, replicate rows 0, replicate rows 0) for d < n + m + 1 do
      let value (i: i64) : i32 =
        let j = d - i
        in if j < 0 || j > m then 0
           else if i == 0 || j == 0 then border i j
           else let both = before[i - 1] + similarity[i64.u8 a[i - 1], i64.u8 b[j - 1]]
                in i32.max both (i32.max last[i - 1] last[i] - gap)
      let now = map value (iota rows)
      let matrix = scatter_2d matrix (map (\i -> (i, d - i)) (iota rows)) now
      in (matrix, last, now)
  in matrix

def main [k] [n] [m] (gap: i32) (similarity: [k][k]i32) (a: [n]u8) (b: [m]u8) : [][]i32 =
  scores gap similarity a b

-- ==
-- entry: align
-- input { 1 [[1, -1], [-1, 1]] [0u8, 1u8, 1u8] [0u8, 1u8] }
-- output { 1 [0i64, 1i64, 2i64] [0i64, -1i64, 1i64] }
-- input { 2 [[3]] empty([0]u8) [0u8, 0u8] } output { -4 [-1i64, -1i64] [0i64, 1i64] }
-- input { 2 [[3]] empty([0]u8) empty([0]u8) } output { 0 empty([0]i64) empty([0]i64) }

type move = #both | #first | #second

-- The score, and for each column of the alignment the letters above each other, -1 for a gap.
entry align [k] [n] [m] (gap: i32) (similarity: [k][k]i32) (a: [n]u8) (b: [m]u8) :
    (i32, []i64, []i64) =
  let s = scores gap similarity a b
  let came_from (i: i64) (j: i64) : move =
    if i > 0 && j > 0
       && s[i, j] == s[i - 1, j - 1] + similarity[i64.u8 a[i - 1], i64.u8 b[j - 1]]
    then #both
    else if i > 0 && s[i, j] == s[i - 1, j] - gap then #first
    else #second
  let (above, below, length, _, _) =
    loop (above, below, at, i, j) = (replicate (n + m) (-1), replicate (n + m) (-1), 0, n, m)
    while i > 0 || j > 0 do
      match came_from i j
      case #both -> (above with [at] = i - 1, below with [at] = j - 1, at + 1, i - 1, j - 1)
      case #first -> (above with [at] = i - 1, below, at + 1, i - 1, j)
      case #second -> (above, below with [at] = j - 1, at + 1, i, j - 1)
  in (s[n, m], reverse above[:length], reverse below[:length])
