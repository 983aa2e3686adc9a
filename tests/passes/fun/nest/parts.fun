-- (N3) A body of several parts.
entry normalised [n] [m] (a : [n][m]f32) -> (r : [n][m]f32) =
  let (s : [n][m]f32) = kernel i < n do
    let (total : f32) = kernel j < m reduce (\ (x : f32) (y : f32) ->
      let (z : f32) = x + y
      in (z)) (0.0f32) do
      let (u : f32) = a[i, j]
      in (u)
    let (half : f32) = total * 0.5f32
    let (row : [m]f32) = kernel k < m do
      let (v : f32) = a[i, k]
      let (w : f32) = v / half
      in (w)
    in (row)
  in (s)

entry sequence [n] [m] (a : [n][m]i64) -> (r : [n][m]i64) (q : [n]i64) (p : [n]i64) (o : [n]i64) =
  let (s : [n][m]i64) (t : [n]i64) (u : [n]i64) (v : [n]i64) = kernel i < n do
    let (squares : [m]i64) = kernel j < m do
      let (x : i64) = a[i, j]
      let (y : i64) = x * x
      in (y)
    let (last : i64) = loop (acc : i64) = 1 for k < m do
      let (z : i64) = squares[k]
      let (next : i64) = acc * 3 + z
      in (next)
    let (more : i64) = last + i
    let (row : [m]i64) = kernel l < m do
      let (w : i64) = squares[l]
      let (e : i64) = w + more
      in (e)
    in (row, last, more, last)
  in (s, t, u, v)

-- An array made and updated in one part.
entry updated [n] [m] (a : [n][m]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) = kernel i < n do
    let (zeros : [m]i64) = replicate [m] 0
    let (sums : [m]i64) = loop (acc : *[m]i64) = zeros for k < m do
      let (z : i64) = a[i, k]
      let (acc2 : [m]i64) = acc with [m - 1 - k] = z
      in (acc2)
    let (row : [m]i64) = kernel l < m do
      let (w : i64) = sums[l]
      let (e : i64) = w + l
      in (e)
    in (row)
  in (s)

-- (N4) The loop goes outside.
entry steps [n] [m] (a : [n][m]i64) (t : i64) -> (r : [n][m]i64) (q : [n]i64) =
  let (s : [n][m]i64) (c : [n]i64) = kernel i < n do
    let (own : [m]i64) = a[i, 0 : m]
    let (fin : [m]i64) (count : i64) = loop (cur : [m]i64) = own, (k : i64) = i for p < t do
      let (next : [m]i64) = kernel j < m do
        let (x : i64) = cur[j]
        let (y : i64) = cur[m - 1 - j]
        let (z : i64) = x * 2 - y + k
        in (z)
      let (k2 : i64) = k + p
      in (next, k2)
    in (fin, count)
  in (s, c)

entry within [n] [m] (a : [n][m]i64) -> (r : [n]i64) =
  let (s : [n]i64) = kernel i < n do
    let (own : [m]i64) = a[i, 0 : m]
    let (fin : [m]i64) = loop (cur : [m]i64) = own for p < 3 do
      let (next : [m]i64) = kernel j < m do
        let (x : i64) = cur[j]
        let (y : i64) = x * 2 - p
        in (y)
      in (next)
    let (t : i64) = kernel l < m reduce (\ (b : i64) (c : i64) ->
      let (d : i64) = b + c
      in (d)) (0) do
      let (z : i64) = fin[l]
      in (z)
    in (t)
  in (s)

-- (N5) A collective over a nest.
entry over [n] [m] (a : [n][m]i64) -> (r : i64) (q : [n]i64) =
  let (s : i64) (u : [n]i64) = kernel i < n reduce (\ (b : i64) (c : i64) ->
    let (d : i64) = max(b, c)
    in (d)) (0) do
    let (t : i64) = kernel l < m reduce (\ (e : i64) (f : i64) ->
      let (g : i64) = e + f
      in (g)) (0) do
      let (z : i64) = a[i, l]
      in (z)
    in (t, i)
  in (s, u)

entry inside [n] [m] (a : [n][m]i64) (t : i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) = loop (cur : [n][m]i64) = a for p < t do
    let (b : [n][m]i64) = kernel i < n do
      let (row : [m]i64) = kernel j < m do
        let (x : i64) = cur[i, j]
        let (y : i64) = x + p
        in (y)
      in (row)
    in (b)
  in (s)

-- Rows that are returned turned are no kernel: the array of all of them is turned, and copied.
entry turned [n] [m] (a : [n][m][m]i64) -> (r : [n][m][m]i64) (q : [n][m][m]i64) =
  let (s : [n][m][m]i64) (u : [n][m][m]i64) = kernel i < n do
    let (squares : [m][m]i64) = kernel j < m do
      let (row : [m]i64) = a[i, j, 0 : m]
      let (own : [m]i64) = copy row
      let (sums : [m]i64) = loop (acc : *[m]i64) = own for k < m do
        let (x : i64) = acc[k]
        let (y : i64) = x + k
        let (acc2 : [m]i64) = acc with [m - 1 - k] = y
        in (acc2)
      in (sums)
    let (columns : [m][m]i64) = permute (1, 0) squares
    let (back : [m][m]i64) = reverse 0 columns
    in (back, squares)
  in (s, u)

-- Rows that are concatenated of what a map makes are one concatenation of all rows; a row that is a
-- view, and what comes from outside, are copied first.
entry joined [n] [m] [k] (a : [n][m]i64) (z : [k]i64) -> (r : [n][2*m + k + 1]i64) =
  let (s : [n][2*m + k + 1]i64) = kernel i < n do
    let (row : [m]i64) = a[i, 0 : m]
    let (more : [m]i64) = kernel j < m do
      let (x : i64) = row[j]
      let (y : i64) = x + i
      in (y)
    let (one : [1]i64) = [i] : i64
    let (t : [2*m + k + 1]i64) = concat 0 row more z one
    in (t)
  in (s)

-- No map makes a part of these: a thread joins its own.
entry joined_by_threads [n] [m] (a : [n][m]i64) -> (r : [n][2*m]i64) =
  let (s : [n][2*m]i64) = kernel i < n do
    let (row : [m]i64) = a[i, 0 : m]
    let (own : [m]i64) = copy row
    let (sums : [m]i64) = loop (acc : *[m]i64) = own for k < m do
      let (x : i64) = acc[0]
      let (y : i64) = x + k
      let (acc2 : [m]i64) = acc with [k] = y
      in (acc2)
    let (t : [2*m]i64) = concat 0 row sums
    in (t)
  in (s)
