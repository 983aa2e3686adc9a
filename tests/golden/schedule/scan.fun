entry sums [n] (xs : [n]i32) -> (r : [n]i32) =
  let (s : [n]i32) =
    kernel i < n scan
      (\(a : i32) (b : i32) ->
        let (c : i32) = a + b
        in (c)) (0i32)
    do
      let (x : i32) = xs[i]
      in (x)
  in (s)

entry compose [n] (as : [n]i64) (bs : [n]i64) -> (ra : [n]i64) (rb : [n]i64) =
  let (sa : [n]i64) (sb : [n]i64) =
    kernel i < n scan
      (\(a1 : i64) (b1 : i64) (a2 : i64) (b2 : i64) ->
        let (a3 : i64) = a1 * a2
        let (b3 : i64) = a2 * b1 + b2
        in (a3, b3)) (1, 0)
    do
      let (a : i64) = as[i]
      let (b : i64) = bs[i]
      in (a, b)
  in (sa, sb)

entry rows [n] [m] (xs : [n][m]i32) -> (r : [n][m]i32) =
  let (zeros : [m]i32) = replicate [m] 0i32
  let (s : [n][m]i32) =
    kernel i < n scan
      (\(a : [m]i32) (b : [m]i32) ->
        let (c : [m]i32) =
          kernel j < m do
            let (u : i32) = a[j]
            let (v : i32) = b[j]
            let (w : i32) = u + v
            in (w)
        in (c)) (zeros)
    do
      let (row : [m]i32) = xs[i, 0 : m]
      in (row)
  in (s)

-- schedule{threads=4} -->

entry sums [n] (xs : [n]i32) -> (r : [n]i32) =
  let (chunk_1 : i64) = (n + 3) / 4
  let (part_1 : [4]i32) =
    kernel t_1 < 4 do
      let (lo_1 : i64) = chunk_1 * t_1
      let (count_1 : i64) = max(min(n - lo_1, chunk_1), 0)
      let (view_1 : [count_1]i32) = xs[lo_1 : count_1]
      let (acc_2 : i32) =
        loop (acc_1 : i32) = 0i32 for i_1 < count_1 do
          let (i_2 : i64) = i_1 + lo_1
          let (x_1 : i32) = view_1[i_1]
          let (c_1 : i32) = acc_1 + x_1
          in (c_1)
      in (acc_2)
  let (scanned_1 : [4]i32) = scratch [4]i32
  let (scanned_4 : [4]i32) (acc_4 : i32) =
    loop (scanned_2 : *[4]i32) = scanned_1, (acc_3 : i32) = 0i32 for t_3 < 4 do
      let (p_2 : i32) = part_1[t_3]
      let (c_2 : i32) = acc_3 + p_2
      let (scanned_3 : [4]i32) = scanned_2 with [t_3] = acc_3
      in (scanned_3, c_2)
  let (s_1 : [4][chunk_1]i32) =
    kernel t_4 < 4 do
      let (lo_2 : i64) = chunk_1 * t_4
      let (count_2 : i64) = max(min(n - lo_2, chunk_1), 0)
      let (start_1 : i32) = scanned_4[t_4]
      let (scanned_5 : [chunk_1]i32) = scratch [chunk_1]i32
      let (view_2 : [count_2]i32) = xs[lo_2 : count_2]
      let (scanned_8 : [chunk_1]i32) (acc_6 : i32) =
        loop (scanned_6 : *[chunk_1]i32) = scanned_5, (acc_5 : i32) = start_1 for i_3 < count_2 do
          let (i_4 : i64) = i_3 + lo_2
          let (x_2 : i32) = view_2[i_3]
          let (c_3 : i32) = acc_5 + x_2
          let (scanned_7 : [chunk_1]i32) = scanned_6 with [i_3] = c_3
          in (scanned_7, c_3)
      in (scanned_8)
  let (s_2 : [4*chunk_1]i32) = reshape [4*chunk_1] s_1
  let (s : [n]i32) = s_2[0 : n]
  in (s)

entry compose [n] (as : [n]i64) (bs : [n]i64) -> (ra : [n]i64) (rb : [n]i64) =
  let (chunk_2 : i64) = (n + 3) / 4
  let (part_2 : [4]i64) (part_3 : [4]i64) =
    kernel t_5 < 4 do
      let (lo_3 : i64) = chunk_2 * t_5
      let (count_3 : i64) = max(min(n - lo_3, chunk_2), 0)
      let (view_3 : [count_3]i64) = as[lo_3 : count_3]
      let (view_4 : [count_3]i64) = bs[lo_3 : count_3]
      let (acc_9 : i64) (acc_10 : i64) =
        loop (acc_7 : i64) = 1, (acc_8 : i64) = 0 for i_5 < count_3 do
          let (i_6 : i64) = i_5 + lo_3
          let (a_4 : i64) = view_3[i_5]
          let (b_4 : i64) = view_4[i_5]
          let (a3_1 : i64) = acc_7 * a_4
          let (b3_1 : i64) = a_4 * acc_8 + b_4
          in (a3_1, b3_1)
      in (acc_9, acc_10)
  let (scanned_9 : [4]i64) = scratch [4]i64
  let (scanned_10 : [4]i64) = scratch [4]i64
  let (scanned_15 : [4]i64) (scanned_16 : [4]i64) (acc_13 : i64) (acc_14 : i64) =
    loop (scanned_11 : *[4]i64) = scanned_9, (scanned_12 : *[4]i64) = scanned_10,
        (acc_11 : i64) = 1, (acc_12 : i64) = 0 for t_7 < 4 do
      let (p_5 : i64) = part_2[t_7]
      let (p_6 : i64) = part_3[t_7]
      let (a3_2 : i64) = acc_11 * p_5
      let (b3_2 : i64) = p_5 * acc_12 + p_6
      let (scanned_13 : [4]i64) = scanned_11 with [t_7] = acc_11
      let (scanned_14 : [4]i64) = scanned_12 with [t_7] = acc_12
      in (scanned_13, scanned_14, a3_2, b3_2)
  let (sa_1 : [4][chunk_2]i64) (sb_1 : [4][chunk_2]i64) =
    kernel t_8 < 4 do
      let (lo_4 : i64) = chunk_2 * t_8
      let (count_4 : i64) = max(min(n - lo_4, chunk_2), 0)
      let (start_2 : i64) = scanned_15[t_8]
      let (start_3 : i64) = scanned_16[t_8]
      let (scanned_17 : [chunk_2]i64) = scratch [chunk_2]i64
      let (scanned_18 : [chunk_2]i64) = scratch [chunk_2]i64
      let (view_5 : [count_4]i64) = as[lo_4 : count_4]
      let (view_6 : [count_4]i64) = bs[lo_4 : count_4]
      let (scanned_23 : [chunk_2]i64) (scanned_24 : [chunk_2]i64) (acc_17 : i64) (acc_18 : i64) =
        loop (scanned_19 : *[chunk_2]i64) = scanned_17, (scanned_20 : *[chunk_2]i64) = scanned_18,
            (acc_15 : i64) = start_2, (acc_16 : i64) = start_3 for i_7 < count_4 do
          let (i_8 : i64) = i_7 + lo_4
          let (a_5 : i64) = view_5[i_7]
          let (b_5 : i64) = view_6[i_7]
          let (a3_3 : i64) = acc_15 * a_5
          let (b3_3 : i64) = a_5 * acc_16 + b_5
          let (scanned_21 : [chunk_2]i64) = scanned_19 with [i_7] = a3_3
          let (scanned_22 : [chunk_2]i64) = scanned_20 with [i_7] = b3_3
          in (scanned_21, scanned_22, a3_3, b3_3)
      in (scanned_23, scanned_24)
  let (sa_2 : [4*chunk_2]i64) = reshape [4*chunk_2] sa_1
  let (sa : [n]i64) = sa_2[0 : n]
  let (sb_2 : [4*chunk_2]i64) = reshape [4*chunk_2] sb_1
  let (sb : [n]i64) = sb_2[0 : n]
  in (sa, sb)

entry rows [n] [m] (xs : [n][m]i32) -> (r : [n][m]i32) =
  let (zeros : [m]i32) = replicate [m] 0i32
  let (chunk_3 : i64) = (n + 3) / 4
  let (part_4 : [4][m]i32) =
    kernel t_9 < 4 do
      let (lo_5 : i64) = chunk_3 * t_9
      let (count_5 : i64) = max(min(n - lo_5, chunk_3), 0)
      let (view_7 : [count_5][m]i32) = xs[lo_5 : count_5, 0 : m]
      let (acc_20 : [m]i32) =
        loop (acc_19 : [m]i32) = zeros for i_9 < count_5 do
          let (i_10 : i64) = i_9 + lo_5
          let (row_1 : [m]i32) = view_7[i_9, 0 : m]
          let (c_4 : [m]i32) =
            kernel j_1 < m do
              let (u_1 : i32) = acc_19[j_1]
              let (v_1 : i32) = row_1[j_1]
              let (w_1 : i32) = u_1 + v_1
              in (w_1)
          in (c_4)
      in (acc_20)
  let (scanned_25 : [4][m]i32) = scratch [4][m]i32
  let (scanned_28 : [4][m]i32) (acc_22 : [m]i32) =
    loop (scanned_26 : *[4][m]i32) = scanned_25, (acc_21 : [m]i32) = zeros for t_11 < 4 do
      let (p_8 : [m]i32) = part_4[t_11, 0 : m]
      let (c_5 : [m]i32) =
        kernel j_2 < m do
          let (u_2 : i32) = acc_21[j_2]
          let (v_2 : i32) = p_8[j_2]
          let (w_2 : i32) = u_2 + v_2
          in (w_2)
      let (scanned_27 : [4][m]i32) = scanned_26 with [t_11, 0 : m] = acc_21
      in (scanned_27, c_5)
  let (s_3 : [4][chunk_3][m]i32) =
    kernel t_12 < 4 do
      let (lo_6 : i64) = chunk_3 * t_12
      let (count_6 : i64) = max(min(n - lo_6, chunk_3), 0)
      let (start_4 : [m]i32) = scanned_28[t_12, 0 : m]
      let (scanned_29 : [chunk_3][m]i32) = scratch [chunk_3][m]i32
      let (view_8 : [count_6][m]i32) = xs[lo_6 : count_6, 0 : m]
      let (scanned_32 : [chunk_3][m]i32) (acc_24 : [m]i32) =
        loop (scanned_30 : *[chunk_3][m]i32) = scanned_29, (acc_23 : [m]i32) = start_4
            for i_11 < count_6 do
          let (i_12 : i64) = i_11 + lo_6
          let (row_2 : [m]i32) = view_8[i_11, 0 : m]
          let (c_6 : [m]i32) =
            kernel j_3 < m do
              let (u_3 : i32) = acc_23[j_3]
              let (v_3 : i32) = row_2[j_3]
              let (w_3 : i32) = u_3 + v_3
              in (w_3)
          let (scanned_31 : [chunk_3][m]i32) = scanned_30 with [i_11, 0 : m] = c_6
          in (scanned_31, c_6)
      in (scanned_32)
  let (s_4 : [4*chunk_3][m]i32) = reshape [4*chunk_3][m] s_3
  let (s : [n][m]i32) = s_4[0 : n, 0 : m]
  in (s)
