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
  let (chunk_1 : i64) = n / 4
  let (part_1 : [4]i32) =
    kernel t_1 < 4 do
      let (lo_1 : i64) = chunk_1 * t_1
      let (view_1 : [chunk_1]i32) = xs[lo_1 : chunk_1]
      let (acc_2 : i32) =
        loop (acc_1 : i32) = 0i32 for i_1 < chunk_1 do
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
      let (start_1 : i32) = scanned_4[t_4]
      let (scanned_5 : [chunk_1]i32) = scratch [chunk_1]i32
      let (view_2 : [chunk_1]i32) = xs[lo_2 : chunk_1]
      let (scanned_8 : [chunk_1]i32) (acc_6 : i32) =
        loop (scanned_6 : *[chunk_1]i32) = scanned_5, (acc_5 : i32) = start_1 for i_3 < chunk_1 do
          let (i_4 : i64) = i_3 + lo_2
          let (x_2 : i32) = view_2[i_3]
          let (c_3 : i32) = acc_5 + x_2
          let (scanned_7 : [chunk_1]i32) = scanned_6 with [i_3] = c_3
          in (scanned_7, c_3)
      in (scanned_8)
  let (lo_3 : i64) = 4 * chunk_1
  let (scanned_9 : [-4*chunk_1 + n]i32) = scratch [-4*chunk_1 + n]i32
  let (view_3 : [-4*chunk_1 + n]i32) = xs[lo_3 : -4*chunk_1 + n]
  let (scanned_12 : [-4*chunk_1 + n]i32) (acc_8 : i32) =
    loop (scanned_10 : *[-4*chunk_1 + n]i32) = scanned_9, (acc_7 : i32) = acc_4
        for i_5 < -4*chunk_1 + n do
      let (i_6 : i64) = i_5 + lo_3
      let (x_3 : i32) = view_3[i_5]
      let (c_4 : i32) = acc_7 + x_3
      let (scanned_11 : [-4*chunk_1 + n]i32) = scanned_10 with [i_5] = c_4
      in (scanned_11, c_4)
  let (s_2 : [4*chunk_1]i32) = reshape [4*chunk_1] s_1
  let (s : [n]i32) = concat 0 s_2 scanned_12
  in (s)

entry compose [n] (as : [n]i64) (bs : [n]i64) -> (ra : [n]i64) (rb : [n]i64) =
  let (chunk_2 : i64) = n / 4
  let (part_2 : [4]i64) (part_3 : [4]i64) =
    kernel t_5 < 4 do
      let (lo_4 : i64) = chunk_2 * t_5
      let (view_4 : [chunk_2]i64) = as[lo_4 : chunk_2]
      let (view_5 : [chunk_2]i64) = bs[lo_4 : chunk_2]
      let (acc_11 : i64) (acc_12 : i64) =
        loop (acc_9 : i64) = 1, (acc_10 : i64) = 0 for i_7 < chunk_2 do
          let (i_8 : i64) = i_7 + lo_4
          let (a_5 : i64) = view_4[i_7]
          let (b_5 : i64) = view_5[i_7]
          let (a3_1 : i64) = acc_9 * a_5
          let (b3_1 : i64) = a_5 * acc_10 + b_5
          in (a3_1, b3_1)
      in (acc_11, acc_12)
  let (scanned_13 : [4]i64) = scratch [4]i64
  let (scanned_14 : [4]i64) = scratch [4]i64
  let (scanned_19 : [4]i64) (scanned_20 : [4]i64) (acc_15 : i64) (acc_16 : i64) =
    loop (scanned_15 : *[4]i64) = scanned_13, (scanned_16 : *[4]i64) = scanned_14,
        (acc_13 : i64) = 1, (acc_14 : i64) = 0 for t_7 < 4 do
      let (p_5 : i64) = part_2[t_7]
      let (p_6 : i64) = part_3[t_7]
      let (a3_2 : i64) = acc_13 * p_5
      let (b3_2 : i64) = p_5 * acc_14 + p_6
      let (scanned_17 : [4]i64) = scanned_15 with [t_7] = acc_13
      let (scanned_18 : [4]i64) = scanned_16 with [t_7] = acc_14
      in (scanned_17, scanned_18, a3_2, b3_2)
  let (sa_1 : [4][chunk_2]i64) (sb_1 : [4][chunk_2]i64) =
    kernel t_8 < 4 do
      let (lo_5 : i64) = chunk_2 * t_8
      let (start_2 : i64) = scanned_19[t_8]
      let (start_3 : i64) = scanned_20[t_8]
      let (scanned_21 : [chunk_2]i64) = scratch [chunk_2]i64
      let (scanned_22 : [chunk_2]i64) = scratch [chunk_2]i64
      let (view_6 : [chunk_2]i64) = as[lo_5 : chunk_2]
      let (view_7 : [chunk_2]i64) = bs[lo_5 : chunk_2]
      let (scanned_27 : [chunk_2]i64) (scanned_28 : [chunk_2]i64) (acc_19 : i64) (acc_20 : i64) =
        loop (scanned_23 : *[chunk_2]i64) = scanned_21, (scanned_24 : *[chunk_2]i64) = scanned_22,
            (acc_17 : i64) = start_2, (acc_18 : i64) = start_3 for i_9 < chunk_2 do
          let (i_10 : i64) = i_9 + lo_5
          let (a_6 : i64) = view_6[i_9]
          let (b_6 : i64) = view_7[i_9]
          let (a3_3 : i64) = acc_17 * a_6
          let (b3_3 : i64) = a_6 * acc_18 + b_6
          let (scanned_25 : [chunk_2]i64) = scanned_23 with [i_9] = a3_3
          let (scanned_26 : [chunk_2]i64) = scanned_24 with [i_9] = b3_3
          in (scanned_25, scanned_26, a3_3, b3_3)
      in (scanned_27, scanned_28)
  let (lo_6 : i64) = 4 * chunk_2
  let (scanned_29 : [-4*chunk_2 + n]i64) = scratch [-4*chunk_2 + n]i64
  let (scanned_30 : [-4*chunk_2 + n]i64) = scratch [-4*chunk_2 + n]i64
  let (view_8 : [-4*chunk_2 + n]i64) = as[lo_6 : -4*chunk_2 + n]
  let (view_9 : [-4*chunk_2 + n]i64) = bs[lo_6 : -4*chunk_2 + n]
  let (scanned_35 : [-4*chunk_2 + n]i64) (scanned_36 : [-4*chunk_2 + n]i64) (acc_23 : i64)
      (acc_24 : i64) =
    loop (scanned_31 : *[-4*chunk_2 + n]i64) = scanned_29,
        (scanned_32 : *[-4*chunk_2 + n]i64) = scanned_30, (acc_21 : i64) = acc_15,
        (acc_22 : i64) = acc_16 for i_11 < -4*chunk_2 + n do
      let (i_12 : i64) = i_11 + lo_6
      let (a_7 : i64) = view_8[i_11]
      let (b_7 : i64) = view_9[i_11]
      let (a3_4 : i64) = acc_21 * a_7
      let (b3_4 : i64) = a_7 * acc_22 + b_7
      let (scanned_33 : [-4*chunk_2 + n]i64) = scanned_31 with [i_11] = a3_4
      let (scanned_34 : [-4*chunk_2 + n]i64) = scanned_32 with [i_11] = b3_4
      in (scanned_33, scanned_34, a3_4, b3_4)
  let (sa_2 : [4*chunk_2]i64) = reshape [4*chunk_2] sa_1
  let (sa : [n]i64) = concat 0 sa_2 scanned_35
  let (sb_2 : [4*chunk_2]i64) = reshape [4*chunk_2] sb_1
  let (sb : [n]i64) = concat 0 sb_2 scanned_36
  in (sa, sb)

entry rows [n] [m] (xs : [n][m]i32) -> (r : [n][m]i32) =
  let (zeros : [m]i32) = replicate [m] 0i32
  let (chunk_3 : i64) = n / 4
  let (part_4 : [4][m]i32) =
    kernel t_9 < 4 do
      let (lo_7 : i64) = chunk_3 * t_9
      let (view_10 : [chunk_3][m]i32) = xs[lo_7 : chunk_3, 0 : m]
      let (acc_26 : [m]i32) =
        loop (acc_25 : [m]i32) = zeros for i_13 < chunk_3 do
          let (i_14 : i64) = i_13 + lo_7
          let (row_1 : [m]i32) = view_10[i_13, 0 : m]
          let (c_5 : [m]i32) =
            kernel j_1 < m do
              let (u_1 : i32) = acc_25[j_1]
              let (v_1 : i32) = row_1[j_1]
              let (w_1 : i32) = u_1 + v_1
              in (w_1)
          in (c_5)
      in (acc_26)
  let (scanned_37 : [4][m]i32) = scratch [4][m]i32
  let (scanned_40 : [4][m]i32) (acc_28 : [m]i32) =
    loop (scanned_38 : *[4][m]i32) = scanned_37, (acc_27 : [m]i32) = zeros for t_11 < 4 do
      let (p_8 : [m]i32) = part_4[t_11, 0 : m]
      let (c_6 : [m]i32) =
        kernel j_2 < m do
          let (u_2 : i32) = acc_27[j_2]
          let (v_2 : i32) = p_8[j_2]
          let (w_2 : i32) = u_2 + v_2
          in (w_2)
      let (scanned_39 : [4][m]i32) = scanned_38 with [t_11, 0 : m] = acc_27
      in (scanned_39, c_6)
  let (s_3 : [4][chunk_3][m]i32) =
    kernel t_12 < 4 do
      let (lo_8 : i64) = chunk_3 * t_12
      let (start_4 : [m]i32) = scanned_40[t_12, 0 : m]
      let (scanned_41 : [chunk_3][m]i32) = scratch [chunk_3][m]i32
      let (view_11 : [chunk_3][m]i32) = xs[lo_8 : chunk_3, 0 : m]
      let (scanned_44 : [chunk_3][m]i32) (acc_30 : [m]i32) =
        loop (scanned_42 : *[chunk_3][m]i32) = scanned_41, (acc_29 : [m]i32) = start_4
            for i_15 < chunk_3 do
          let (i_16 : i64) = i_15 + lo_8
          let (row_2 : [m]i32) = view_11[i_15, 0 : m]
          let (c_7 : [m]i32) =
            kernel j_3 < m do
              let (u_3 : i32) = acc_29[j_3]
              let (v_3 : i32) = row_2[j_3]
              let (w_3 : i32) = u_3 + v_3
              in (w_3)
          let (scanned_43 : [chunk_3][m]i32) = scanned_42 with [i_15, 0 : m] = c_7
          in (scanned_43, c_7)
      in (scanned_44)
  let (lo_9 : i64) = 4 * chunk_3
  let (scanned_45 : [-4*chunk_3 + n][m]i32) = scratch [-4*chunk_3 + n][m]i32
  let (view_12 : [-4*chunk_3 + n][m]i32) = xs[lo_9 : -4*chunk_3 + n, 0 : m]
  let (scanned_48 : [-4*chunk_3 + n][m]i32) (acc_32 : [m]i32) =
    loop (scanned_46 : *[-4*chunk_3 + n][m]i32) = scanned_45, (acc_31 : [m]i32) = acc_28
        for i_17 < -4*chunk_3 + n do
      let (i_18 : i64) = i_17 + lo_9
      let (row_3 : [m]i32) = view_12[i_17, 0 : m]
      let (c_8 : [m]i32) =
        kernel j_4 < m do
          let (u_4 : i32) = acc_31[j_4]
          let (v_4 : i32) = row_3[j_4]
          let (w_4 : i32) = u_4 + v_4
          in (w_4)
      let (scanned_47 : [-4*chunk_3 + n][m]i32) = scanned_46 with [i_17, 0 : m] = c_8
      in (scanned_47, c_8)
  let (s_4 : [4*chunk_3][m]i32) = reshape [4*chunk_3][m] s_3
  let (s : [n][m]i32) = concat 0 s_4 scanned_48
  in (s)
