entry normalised [n] [m] (a : [n][m]f32) -> (r : [n][m]f32) =
  let (s : [n][m]f32) =
    kernel i < n do
      let (total : f32) =
        kernel j < m reduce
          (\(x : f32) (y : f32) ->
            let (z : f32) = x + y
            in (z)) (0.0f32)
        do
          let (u : f32) = a[i, j]
          in (u)
      let (half : f32) = total * 0.5f32
      let (row : [m]f32) =
        kernel k < m do
          let (v : f32) = a[i, k]
          let (w : f32) = v / half
          in (w)
      in (row)
  in (s)

entry sequence [n] [m] (a : [n][m]i64) -> (r : [n][m]i64) (q : [n]i64) (p : [n]i64) (o : [n]i64) =
  let (s : [n][m]i64) (t : [n]i64) (u : [n]i64) (v : [n]i64) =
    kernel i < n do
      let (squares : [m]i64) =
        kernel j < m do
          let (x : i64) = a[i, j]
          let (y : i64) = x * x
          in (y)
      let (last : i64) =
        loop (acc : i64) = 1 for k < m do
          let (z : i64) = squares[k]
          let (next : i64) = acc * 3 + z
          in (next)
      let (more : i64) = last + i
      let (row : [m]i64) =
        kernel l < m do
          let (w : i64) = squares[l]
          let (e : i64) = w + more
          in (e)
      in (row, last, more, last)
  in (s, t, u, v)

entry updated [n] [m] (a : [n][m]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) =
    kernel i < n do
      let (zeros : [m]i64) = replicate [m] 0
      let (sums : [m]i64) =
        loop (acc : *[m]i64) = zeros for k < m do
          let (z : i64) = a[i, k]
          let (acc2 : [m]i64) = acc with [-k + m - 1] = z
          in (acc2)
      let (row : [m]i64) =
        kernel l < m do
          let (w : i64) = sums[l]
          let (e : i64) = w + l
          in (e)
      in (row)
  in (s)

entry steps [n] [m] (a : [n][m]i64) (t : i64) -> (r : [n][m]i64) (q : [n]i64) =
  let (s : [n][m]i64) (c : [n]i64) =
    kernel i < n do
      let (own : [m]i64) = a[i, 0 : m]
      let (fin : [m]i64) (count : i64) =
        loop (cur : [m]i64) = own, (k : i64) = i for p < t do
          let (next : [m]i64) =
            kernel j < m do
              let (x : i64) = cur[j]
              let (y : i64) = cur[-j + m - 1]
              let (z : i64) = x * 2 - y + k
              in (z)
          let (k2 : i64) = k + p
          in (next, k2)
      in (fin, count)
  in (s, c)

entry within [n] [m] (a : [n][m]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (own : [m]i64) = a[i, 0 : m]
      let (fin : [m]i64) =
        loop (cur : [m]i64) = own for p < 3 do
          let (next : [m]i64) =
            kernel j < m do
              let (x : i64) = cur[j]
              let (y : i64) = x * 2 - p
              in (y)
          in (next)
      let (t : i64) =
        kernel l < m reduce
          (\(b : i64) (c : i64) ->
            let (d : i64) = b + c
            in (d)) (0)
        do
          let (z : i64) = fin[l]
          in (z)
      in (t)
  in (s)

entry over [n] [m] (a : [n][m]i64) -> (r : i64) (q : [n]i64) =
  let (s : i64) (u : [n]i64) =
    kernel i < n reduce
      (\(b : i64) (c : i64) ->
        let (d : i64) = max(b, c)
        in (d)) (0)
    do
      let (t : i64) =
        kernel l < m reduce
          (\(e : i64) (f : i64) ->
            let (g : i64) = e + f
            in (g)) (0)
        do
          let (z : i64) = a[i, l]
          in (z)
      in (t, i)
  in (s, u)

entry inside [n] [m] (a : [n][m]i64) (t : i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) =
    loop (cur : [n][m]i64) = a for p < t do
      let (b : [n][m]i64) =
        kernel i < n do
          let (row : [m]i64) =
            kernel j < m do
              let (x : i64) = cur[i, j]
              let (y : i64) = x + p
              in (y)
          in (row)
      in (b)
  in (s)

entry turned [n] [m] (a : [n][m][m]i64) -> (r : [n][m][m]i64) (q : [n][m][m]i64) =
  let (s : [n][m][m]i64) (u : [n][m][m]i64) =
    kernel i < n do
      let (squares : [m][m]i64) =
        kernel j < m do
          let (row : [m]i64) = a[i, j, 0 : m]
          let (own : [m]i64) = copy row
          let (sums : [m]i64) =
            loop (acc : *[m]i64) = own for k < m do
              let (x : i64) = acc[k]
              let (y : i64) = x + k
              let (acc2 : [m]i64) = acc with [-k + m - 1] = y
              in (acc2)
          in (sums)
      let (columns : [m][m]i64) = permute (1, 0) squares
      let (back : [m][m]i64) = reverse 0 columns
      in (back, squares)
  in (s, u)

entry joined [n] [m] [k] (a : [n][m]i64) (z : [k]i64) -> (r : [n][k + 2*m + 1]i64) =
  let (s : [n][k + 2*m + 1]i64) =
    kernel i < n do
      let (row : [m]i64) = a[i, 0 : m]
      let (more : [m]i64) =
        kernel j < m do
          let (x : i64) = row[j]
          let (y : i64) = x + i
          in (y)
      let (one : [1]i64) = [i] : i64
      let (t : [k + 2*m + 1]i64) = concat 0 row more z one
      in (t)
  in (s)

entry joined_by_threads [n] [m] (a : [n][m]i64) -> (r : [n][2*m]i64) =
  let (s : [n][2*m]i64) =
    kernel i < n do
      let (row : [m]i64) = a[i, 0 : m]
      let (own : [m]i64) = copy row
      let (sums : [m]i64) =
        loop (acc : *[m]i64) = own for k < m do
          let (x : i64) = acc[0]
          let (y : i64) = x + k
          let (acc2 : [m]i64) = acc with [k] = y
          in (acc2)
      let (t : [2*m]i64) = concat 0 row sums
      in (t)
  in (s)

-- nest,simplify -->

entry normalised [n] [m] (a : [n][m]f32) -> (r : [n][m]f32) =
  let (total_1 : [n]f32) =
    kernel i_1 < n, j < m reduce
      (\(x : f32) (y : f32) ->
        let (z : f32) = x + y
        in (z)) (0.0f32)
    do
      let (u : f32) = a[i_1, j]
      in (u)
  let (s : [n][m]f32) =
    kernel i_2 < n, k < m do
      let (total_2 : f32) = total_1[i_2]
      let (half_1 : f32) = total_2 * 0.5f32
      let (v : f32) = a[i_2, k]
      let (w : f32) = v / half_1
      in (w)
  in (s)

entry sequence [n] [m] (a : [n][m]i64) -> (r : [n][m]i64) (q : [n]i64) (p : [n]i64) (o : [n]i64) =
  let (squares_1 : [n][m]i64) =
    kernel i_3 < n, j < m do
      let (x : i64) = a[i_3, j]
      let (y : i64) = x * x
      in (y)
  let (t : [n]i64) =
    kernel i_4 < n do
      let (squares_2 : [m]i64) = squares_1[i_4, 0 : m]
      let (last : i64) =
        loop (acc : i64) = 1 for k < m do
          let (z : i64) = squares_2[k]
          let (next : i64) = acc * 3 + z
          in (next)
      in (last)
  let (s : [n][m]i64) =
    kernel i_5 < n, l < m do
      let (squares_3 : [m]i64) = squares_1[i_5, 0 : m]
      let (last_1 : i64) = t[i_5]
      let (more_1 : i64) = last_1 + i_5
      let (w : i64) = squares_3[l]
      let (e : i64) = w + more_1
      in (e)
  let (u : [n]i64) =
    kernel i_6 < n do
      let (last_2 : i64) = t[i_6]
      let (more_2 : i64) = last_2 + i_6
      in (more_2)
  in (s, t, u, t)

entry updated [n] [m] (a : [n][m]i64) -> (r : [n][m]i64) =
  let (sums_1 : [n][m]i64) =
    kernel i_7 < n do
      let (zeros : [m]i64) = replicate [m] 0
      let (sums : [m]i64) =
        loop (acc : *[m]i64) = zeros for k < m do
          let (z : i64) = a[i_7, k]
          let (acc2 : [m]i64) = acc with [-k + m - 1] = z
          in (acc2)
      in (sums)
  let (s : [n][m]i64) =
    kernel i_8 < n, l < m do
      let (sums_2 : [m]i64) = sums_1[i_8, 0 : m]
      let (w : i64) = sums_2[l]
      let (e : i64) = w + l
      in (e)
  in (s)

entry steps [n] [m] (a : [n][m]i64) (t : i64) -> (r : [n][m]i64) (q : [n]i64) =
  let (cur_1 : [n][m]i64) =
    kernel i_10 < n, j_3 < m do
      let (own_2 : [m]i64) = a[i_10, 0 : m]
      let (v_3 : i64) = own_2[j_3]
      in (v_3)
  let (k_1 : [n]i64) =
    kernel i_11 < n do
      in (i_11)
  let (s : [n][m]i64) (c : [n]i64) =
    loop (cur_2 : [n][m]i64) = cur_1, (k_2 : [n]i64) = k_1 for p < t do
      let (cur_3 : [n][m]i64) =
        kernel i_12 < n, j < m do
          let (cur_4 : [m]i64) = cur_2[i_12, 0 : m]
          let (k_4 : i64) = k_2[i_12]
          let (x : i64) = cur_4[j]
          let (y : i64) = cur_4[-j + m - 1]
          let (z : i64) = x * 2 - y + k_4
          in (z)
      let (k_3 : [n]i64) =
        kernel i_13 < n do
          let (k_5 : i64) = k_2[i_13]
          let (k2_1 : i64) = k_5 + p
          in (k2_1)
      in (cur_3, k_3)
  in (s, c)

entry within [n] [m] (a : [n][m]i64) -> (r : [n]i64) =
  let (cur_5 : [n][m]i64) =
    kernel i_17 < n, j_5 < m do
      let (own_6 : [m]i64) = a[i_17, 0 : m]
      let (v_5 : i64) = own_6[j_5]
      in (v_5)
  let (fin_1 : [n][m]i64) =
    loop (cur_6 : [n][m]i64) = cur_5 for p < 3 do
      let (cur_7 : [n][m]i64) =
        kernel i_16 < n, j < m do
          let (cur : [m]i64) = cur_6[i_16, 0 : m]
          let (x : i64) = cur[j]
          let (y : i64) = x * 2 - p
          in (y)
      in (cur_7)
  let (s : [n]i64) =
    kernel i_15 < n, l < m reduce
      (\(b : i64) (c : i64) ->
        let (d : i64) = b + c
        in (d)) (0)
    do
      let (fin_2 : [m]i64) = fin_1[i_15, 0 : m]
      let (z : i64) = fin_2[l]
      in (z)
  in (s)

entry over [n] [m] (a : [n][m]i64) -> (r : i64) (q : [n]i64) =
  let (value_1 : [n]i64) (u : [n]i64) =
    kernel i < n do
      let (t : i64) =
        kernel l < m reduce
          (\(e : i64) (f : i64) ->
            let (g : i64) = e + f
            in (g)) (0)
        do
          let (z : i64) = a[i, l]
          in (z)
      in (t, i)
  let (s : i64) =
    kernel i_18 < n reduce
      (\(b : i64) (c : i64) ->
        let (d : i64) = max(b, c)
        in (d)) (0)
    do
      let (v_6 : i64) = value_1[i_18]
      in (v_6)
  in (s, u)

entry inside [n] [m] (a : [n][m]i64) (t : i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) =
    loop (cur : [n][m]i64) = a for p < t do
      let (b : [n][m]i64) =
        kernel i < n, j < m do
          let (x : i64) = cur[i, j]
          let (y : i64) = x + p
          in (y)
      in (b)
  in (s)

entry turned [n] [m] (a : [n][m][m]i64) -> (r : [n][m][m]i64) (q : [n][m][m]i64) =
  let (u : [n][m][m]i64) =
    kernel i_19 < n, j < m do
      let (row : [m]i64) = a[i_19, j, 0 : m]
      let (own : [m]i64) = copy row
      let (sums : [m]i64) =
        loop (acc : *[m]i64) = own for k < m do
          let (x : i64) = acc[k]
          let (y : i64) = x + k
          let (acc2 : [m]i64) = acc with [-k + m - 1] = y
          in (acc2)
      in (sums)
  let (columns_1 : [n][m][m]i64) = permute (0, 2, 1) u
  let (back_1 : [n][m][m]i64) = reverse 1 columns_1
  let (s : [n][m][m]i64) = copy back_1
  in (s, u)

entry joined [n] [m] [k] (a : [n][m]i64) (z : [k]i64) -> (r : [n][k + 2*m + 1]i64) =
  let (more_3 : [n][m]i64) =
    kernel i_20 < n, j < m do
      let (row_11 : [m]i64) = a[i_20, 0 : m]
      let (x : i64) = row_11[j]
      let (y : i64) = x + i_20
      in (y)
  let (one_1 : [n][1]i64) (row_12 : [n][m]i64) (z_2 : [n][k]i64) =
    kernel i_21 < n do
      let (row_13 : [m]i64) = a[i_21, 0 : m]
      let (one : [1]i64) = [i_21] : i64
      let (row_10 : [m]i64) = copy row_13
      in (one, row_10, z)
  let (s : [n][k + 2*m + 1]i64) = concat 1 row_12 more_3 z_2 one_1
  in (s)

entry joined_by_threads [n] [m] (a : [n][m]i64) -> (r : [n][2*m]i64) =
  let (s : [n][2*m]i64) =
    kernel i < n do
      let (row : [m]i64) = a[i, 0 : m]
      let (own : [m]i64) = copy row
      let (sums : [m]i64) =
        loop (acc : *[m]i64) = own for k < m do
          let (x : i64) = acc[0]
          let (y : i64) = x + k
          let (acc2 : [m]i64) = acc with [k] = y
          in (acc2)
      let (t : [2*m]i64) = concat 0 row sums
      in (t)
  in (s)
-- nest: value_1 u (parts.fun:84:3): (1) the body is one kernel, after cheap statements that cannot trap: some results are not results of the inner kernel
-- nest: value_1 u (parts.fun:84:3): (8) the body contains a map over more than a few iterations: no part of the body is a map
