entry reduction [n] [m] (xs : [n][m]i32) -> (r : [n]i32) =
  let (s : [n]i32) =
    kernel i < n do
      let (t : i32) =
        kernel j < m reduce
          (\(a : i32) (b : i32) ->
            let (c : i32) = a * 3i32 + b
            let (d : i32) = max(c, b)
            in (d)) (-2147483648i32)
        do
          let (x : i32) = xs[i, j]
          in (x)
      in (t)
  in (s)

entry rows [n] [m] (xs : [n][m]i64) -> (r : [n][3][m]i64) =
  let (s : [n][3][m]i64) =
    kernel i < n do
      let (zeros : [m]i64) = replicate [m] 0
      let (h0 : [3][m]i64) = replicate [3] zeros
      let (h : [3][m]i64) =
        kernel j < m hist (h0)
          (\(a : [m]i64) (b : [m]i64) ->
            let (c : [m]i64) =
              kernel l < m do
                let (u : i64) = a[l]
                let (v : i64) = b[l]
                let (w : i64) = u + v
                in (w)
            in (c)) (zeros)
        do
          let (x : i64) = xs[i, j]
          let (row : [m]i64) = xs[i, 0 : m]
          in (x, row)
      in (h)
  in (s)

entry operator [n] [m] (xs : [n][m]i32) -> (r : [m]i32) =
  let (least : [m]i32) = replicate [m] -2147483648i32
  let (s : [m]i32) =
    kernel i < n reduce
      (\(a : [m]i32) (b : [m]i32) ->
        let (both : [m]i32) =
          kernel j < m scan
            (\(p : i32) (q : i32) ->
              let (t : i32) = max(p, q)
              in (t)) (-2147483648i32)
          do
            let (u : i32) = a[j]
            let (v : i32) = b[j]
            let (w : i32) = max(u, v)
            in (w)
        in (both)) (least)
    do
      let (row : [m]i32) = xs[i, 0 : m]
      in (row)
  in (s)

-- schedule{threads=4} -->

entry reduction [n] [m] (xs : [n][m]i32) -> (r : [n]i32) =
  let (s : [n]i32) =
    kernel i < n do
      let (t : i32) =
        loop (acc_1 : i32) = -2147483648i32 for j_1 < m do
          let (x_1 : i32) = xs[i, j_1]
          let (c_1 : i32) = acc_1 * 3i32 + x_1
          let (d_1 : i32) = max(c_1, x_1)
          in (d_1)
      in (t)
  in (s)

entry rows [n] [m] (xs : [n][m]i64) -> (r : [n][3][m]i64) =
  let (s : [n][3][m]i64) =
    kernel i < n do
      let (zeros : [m]i64) = replicate [m] 0
      let (h0 : [3][m]i64) = replicate [3] zeros
      let (h : [3][m]i64) =
        loop (buckets_1 : *[3][m]i64) = h0 for j_2 < m do
          let (x_2 : i64) = xs[i, j_2]
          let (row_1 : [m]i64) = xs[i, 0 : m]
          let (inside_1 : bool) = 0 <= x_2 && x_2 < 3
          let (buckets_3 : [3][m]i64) =
            if inside_1 then
              let (old_1 : [m]i64) = buckets_1[x_2, 0 : m]
              let (old_2 : [m]i64) = copy old_1
              let (c_2 : [m]i64) =
                kernel l_1 < m do
                  let (u_1 : i64) = old_2[l_1]
                  let (v_1 : i64) = row_1[l_1]
                  let (w_1 : i64) = u_1 + v_1
                  in (w_1)
              let (buckets_2 : [3][m]i64) = buckets_1 with [x_2, 0 : m] = c_2
              in (buckets_2)
            else
              in (buckets_1)
          in (buckets_3)
      in (h)
  in (s)

entry operator [n] [m] (xs : [n][m]i32) -> (r : [m]i32) =
  let (least : [m]i32) = replicate [m] -2147483648i32
  let (less_1 : i64) = (n - 1) / 4
  let (part_1 : [4][m]i32) =
    kernel t_2 < 4 do
      let (lo_1 : i64) = less_1 * t_2 + t_2
      let (count_1 : i64) = max(min(n - lo_1, less_1 + 1), 0)
      let (view_1 : [count_1][m]i32) = xs[lo_1 : count_1, 0 : m]
      let (acc_7 : [m]i32) =
        loop (acc_4 : [m]i32) = least for i_1 < count_1 do
          let (i_2 : i64) = i_1 + lo_1
          let (row_2 : [m]i32) = view_1[i_1, 0 : m]
          let (own_1 : [m]i32) = copy acc_4
          let (own_2 : [m]i32) = copy row_2
          let (scanned_4 : [m]i32) = scratch [m]i32
          let (both_1 : [m]i32) (acc_5 : i32) =
            loop (scanned_5 : *[m]i32) = scanned_4, (acc_6 : i32) = -2147483648i32 for j_4 < m do
              let (u_3 : i32) = own_1[j_4]
              let (v_3 : i32) = own_2[j_4]
              let (w_3 : i32) = max(u_3, v_3)
              let (t_3 : i32) = max(acc_6, w_3)
              let (scanned_6 : [m]i32) = scanned_5 with [j_4] = t_3
              in (scanned_6, t_3)
          in (both_1)
      in (acc_7)
  let (acc_11 : [m]i32) =
    loop (acc_8 : [m]i32) = least for t_5 < 4 do
      let (p_3 : [m]i32) = part_1[t_5, 0 : m]
      let (own_3 : [m]i32) = copy acc_8
      let (own_4 : [m]i32) = copy p_3
      let (scanned_7 : [m]i32) = scratch [m]i32
      let (both_2 : [m]i32) (acc_9 : i32) =
        loop (scanned_8 : *[m]i32) = scanned_7, (acc_10 : i32) = -2147483648i32 for j_5 < m do
          let (u_4 : i32) = own_3[j_5]
          let (v_4 : i32) = own_4[j_5]
          let (w_4 : i32) = max(u_4, v_4)
          let (t_6 : i32) = max(acc_10, w_4)
          let (scanned_9 : [m]i32) = scanned_8 with [j_5] = t_6
          in (scanned_9, t_6)
      in (both_2)
  let (s : [m]i32) = copy acc_11
  in (s)
