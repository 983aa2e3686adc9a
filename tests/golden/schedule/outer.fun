entry sums [n] [m] (xs : [n][m]i32) -> (r : [n]i32) =
  let (s : [n]i32) =
    kernel i < n, j < m reduce
      (\(a : i32) (b : i32) ->
        let (c : i32) = a + b
        in (c)) (0i32)
    do
      let (x : i32) = xs[i, j]
      in (x)
  in (s)

entry mapped [n] [m] (xs : [n][m]i32) -> (r : [n]i32) (d : [n][m]i32) =
  let (s : [n]i32) (y : [n][m]i32) =
    kernel i < n, j < m reduce
      (\(a : i32) (b : i32) ->
        let (c : i32) = a + b
        in (c)) (0i32)
    do
      let (x : i32) = xs[i, j]
      let (twice : i32) = x * 2i32
      in (x, twice)
  in (s, y)

entry prefixes [n] [m] [k] (xs : [n][m][k]i32) -> (r : [n][m][k]i32) =
  let (s : [n][m][k]i32) =
    kernel i < n, j < m, l < k scan
      (\(a : i32) (b : i32) ->
        let (c : i32) = a + b
        in (c)) (0i32)
    do
      let (x : i32) = xs[i, j, l]
      in (x)
  in (s)

entry counts [n] [m] [w] (h : *[n][w]i32) (xs : [n][m]i64) -> (r : [n][w]i32) =
  let (s : [n][w]i32) =
    kernel i < n, j < m hist (h)
      (\(a : i32) (b : i32) ->
        let (c : i32) = a + b
        in (c)) (0i32)
    do
      let (x : i64) = xs[i, j]
      in (x, 1i32)
  in (s)

entry blocks [n] [m] [k] (xs : [n][m][k]i32) -> (r : [n][k]i32) (d : [n][m][k]i32) =
  let (zeros : [k]i32) = replicate [k] 0i32
  let (s : [n][k]i32) (y : [n][m][k]i32) =
    kernel i < n, j < m reduce
      (\(a : [k]i32) (b : [k]i32) ->
        let (c : [k]i32) =
          kernel l < k do
            let (u : i32) = a[l]
            let (v : i32) = b[k - l - 1]
            let (w : i32) = u * 2i32 + v
            in (w)
        in (c)) (zeros)
    do
      let (row : [k]i32) = xs[i, j, 0 : k]
      let (back : [k]i32) = reverse 0 row
      in (row, back)
  in (s, y)

entry indexed [n] [m] (xs : [n][m]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) =
    kernel i < n, j < m scan
      (\(a : i64) (b : i64) ->
        let (odd : bool) = i % 2 == 1
        let (c : i64) =
          if odd then
            let (least : i64) = min(a, b)
            in (least)
          else
            let (sum : i64) = a + b
            in (sum)
        in (c)) (0)
    do
      let (x : i64) = xs[i, j]
      in (x)
  in (s)

-- schedule{threads=4} -->

entry sums [n] [m] (xs : [n][m]i32) -> (r : [n]i32) =
  let (s : [n]i32) =
    kernel i < n do
      let (acc_2 : i32) =
        loop (acc_1 : i32) = 0i32 for j_1 < m do
          let (x_1 : i32) = xs[i, j_1]
          let (c_1 : i32) = acc_1 + x_1
          in (c_1)
      in (acc_2)
  in (s)

entry mapped [n] [m] (xs : [n][m]i32) -> (r : [n]i32) (d : [n][m]i32) =
  let (s : [n]i32) (y : [n][m]i32) =
    kernel i < n do
      let (mapped_1 : [m]i32) = scratch [m]i32
      let (acc_4 : i32) (mapped_4 : [m]i32) =
        loop (acc_3 : i32) = 0i32, (mapped_2 : *[m]i32) = mapped_1 for j_2 < m do
          let (x_2 : i32) = xs[i, j_2]
          let (twice_1 : i32) = x_2 * 2i32
          let (c_2 : i32) = acc_3 + x_2
          let (mapped_3 : [m]i32) = mapped_2 with [j_2] = twice_1
          in (c_2, mapped_3)
      in (acc_4, mapped_4)
  in (s, y)

entry prefixes [n] [m] [k] (xs : [n][m][k]i32) -> (r : [n][m][k]i32) =
  let (s : [n][m][k]i32) =
    kernel i < n, j < m do
      let (scanned_1 : [k]i32) = scratch [k]i32
      let (scanned_4 : [k]i32) (acc_6 : i32) =
        loop (scanned_2 : *[k]i32) = scanned_1, (acc_5 : i32) = 0i32 for l_1 < k do
          let (x_3 : i32) = xs[i, j, l_1]
          let (c_3 : i32) = acc_5 + x_3
          let (scanned_3 : [k]i32) = scanned_2 with [l_1] = c_3
          in (scanned_3, c_3)
      in (scanned_4)
  in (s)

entry counts [n] [m] [w] (h : *[n][w]i32) (xs : [n][m]i64) -> (r : [n][w]i32) =
  let (s : [n][w]i32) =
    kernel i < n do
      let (h_1 : [w]i32) = h[i, 0 : w]
      let (h_2 : [w]i32) = copy h_1
      let (buckets_4 : [w]i32) =
        loop (buckets_1 : *[w]i32) = h_2 for j_3 < m do
          let (x_4 : i64) = xs[i, j_3]
          let (inside_1 : bool) = 0 <= x_4 && x_4 < w
          let (buckets_3 : [w]i32) =
            if inside_1 then
              let (old_1 : i32) = buckets_1[x_4]
              let (c_4 : i32) = old_1 + 1i32
              let (buckets_2 : [w]i32) = buckets_1 with [x_4] = c_4
              in (buckets_2)
            else
              in (buckets_1)
          in (buckets_3)
      in (buckets_4)
  in (s)

entry blocks [n] [m] [k] (xs : [n][m][k]i32) -> (r : [n][k]i32) (d : [n][m][k]i32) =
  let (zeros : [k]i32) = replicate [k] 0i32
  let (s : [n][k]i32) (y : [n][m][k]i32) =
    kernel i < n do
      let (mapped_5 : [m][k]i32) = scratch [m][k]i32
      let (acc_8 : [k]i32) (mapped_8 : [m][k]i32) =
        loop (acc_7 : [k]i32) = zeros, (mapped_6 : *[m][k]i32) = mapped_5 for j_4 < m do
          let (row_1 : [k]i32) = xs[i, j_4, 0 : k]
          let (back_1 : [k]i32) = reverse 0 row_1
          let (c_5 : [k]i32) =
            kernel l_2 < k do
              let (u_1 : i32) = acc_7[l_2]
              let (v_1 : i32) = row_1[k - l_2 - 1]
              let (w_1 : i32) = u_1 * 2i32 + v_1
              in (w_1)
          let (mapped_7 : [m][k]i32) = mapped_6 with [j_4, 0 : k] = back_1
          in (c_5, mapped_7)
      in (acc_8, mapped_8)
  in (s, y)

entry indexed [n] [m] (xs : [n][m]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) =
    kernel i < n do
      let (scanned_5 : [m]i64) = scratch [m]i64
      let (scanned_8 : [m]i64) (acc_10 : i64) =
        loop (scanned_6 : *[m]i64) = scanned_5, (acc_9 : i64) = 0 for j_5 < m do
          let (x_5 : i64) = xs[i, j_5]
          let (odd_1 : bool) = i % 2 == 1
          let (c_6 : i64) =
            if odd_1 then
              let (least_1 : i64) = min(acc_9, x_5)
              in (least_1)
            else
              let (sum_1 : i64) = acc_9 + x_5
              in (sum_1)
          let (scanned_7 : [m]i64) = scanned_6 with [j_5] = c_6
          in (scanned_7, c_6)
      in (scanned_8)
  in (s)
