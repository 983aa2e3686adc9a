entry sums [m] [n] (xs : [n][m]i8) -> (r : [n]i8) =
  let (s : [n]i8) =
    kernel i < n, j < m reduce
      (\(a : i8) (b : i8) ->
        let (c : i8) = a + b
        in (c)) (0i8)
    do
      let (row : [m]i8) = xs[i, 0 : m]
      let (x : i8) = row[j]
      in (x)
  in (s)

entry weighted [m] [n] (xs : [n][m]i8) (ws : [m]i8) (ks : [n]i8) -> (ra : [n]i8) (rb : [n]i8) =
  let (sa : [n]i8) (sb : [n]i8) =
    kernel i < n, j < m reduce
      (\(a1 : i8) (b1 : i8) (a2 : i8) (b2 : i8) ->
        let (a3 : i8) = a1 + a2
        let (b3 : i8) = max(b1, b2)
        in (a3, b3)) (1i8, -100i8)
    do
      let (k : i8) = ks[i]
      let (row : [m]i8) = xs[i, 0 : m]
      let (x : i8) = row[j]
      let (w : i8) = ws[j]
      let (y : i8) = k * x * w + i8(j) - i8(i)
      in (y, x)
  in (sa, sb)

entry known [n] (xs : [n][130]i8) -> (r : [n]i8) =
  let (s : [n]i8) =
    kernel i < n, j < 130 reduce
      (\(a : i8) (b : i8) ->
        let (c : i8) = a ^ b
        in (c)) (0i8)
    do
      let (row : [130]i8) = xs[i, 0 : 130]
      let (x : i8) = row[j]
      in (x)
  in (s)

entry short [n] (xs : [n][100]i8) -> (r : [n]i8) =
  let (s : [n]i8) =
    kernel i < n, j < 100 reduce
      (\(a : i8) (b : i8) ->
        let (c : i8) = a + b
        in (c)) (0i8)
    do
      let (row : [100]i8) = xs[i, 0 : 100]
      let (x : i8) = row[j]
      in (x)
  in (s)

entry columns [m] [n] (xs : [m][n]i8) -> (r : [n]i8) =
  let (s : [n]i8) =
    kernel i < n, j < m reduce
      (\(a : i8) (b : i8) ->
        let (c : i8) = a + b
        in (c)) (0i8)
    do
      let (column : [m]i8) = xs[0 : m, i]
      let (x : i8) = column[j]
      in (x)
  in (s)

entry transposed [m] [n] (xs : [m][n]i8) -> (r : [n]i8) =
  let (ys : [n][m]i8) = permute (1, 0) xs
  let (s : [n]i8) =
    kernel i < n, j < m reduce
      (\(a : i8) (b : i8) ->
        let (c : i8) = a + b
        in (c)) (0i8)
    do
      let (row : [m]i8) = ys[i, 0 : m]
      let (x : i8) = row[j]
      in (x)
  in (s)

entry crossed [m] [n] (xs : [n][m]i8) -> (r : [n]i8) =
  let (s : [n]i8) =
    kernel i < n, j < m reduce
      (\(a : i8) (b : i8) ->
        let (c : i8) = a - b
        in (c)) (0i8)
    do
      let (row : [m]i8) = xs[i, 0 : m]
      let (x : i8) = row[j]
      in (x)
  in (s)

entry above [m] [n] (xs : [n][m]i8) -> (r : [n]i8) =
  let (s : [n]i8) =
    kernel i < n, j < m reduce comm
      (\(a : i8) (b : i8) ->
        let (c : i8) = max(a, b)
        let (d : i8) = max(c, i8(i))
        in (d)) (-128i8)
    do
      let (row : [m]i8) = xs[i, 0 : m]
      let (x : i8) = row[j]
      in (x)
  in (s)

-- schedule{threads=4} -->

entry sums [m] [n] (xs : [n][m]i8) -> (r : [n]i8) =
  let (long_1 : bool) = m >= 128
  let (s : [n]i8) =
    if long_1 then
      let (strips_1 : i64) = m / 64
      let (part_1 : [n][64]i8) =
        kernel i_1 < n, lane_1 < 64 do
          let (row_1 : [m]i8) = xs[i_1, 0 : m]
          let (view_1 : [64*strips_1]i8) = row_1[0 : 64*strips_1]
          let (view_2 : [strips_1][64]i8) = reshape [strips_1][64] view_1
          let (acc_2 : i8) =
            loop (acc_1 : i8) = 0i8 for j_1 < strips_1 do
              let (j_2 : i64) = 64 * j_1 + lane_1
              let (x_2 : i8) = view_2[j_1, lane_1]
              let (c_1 : i8) = acc_1 + x_2
              in (c_1)
          in (acc_2)
      let (s_1 : [n]i8) =
        kernel i_2 < n do
          let (row_2 : [m]i8) = xs[i_2, 0 : m]
          let (acc_4 : i8) =
            loop (acc_3 : i8) = 0i8 for lane_3 < 64 do
              let (p_2 : i8) = part_1[i_2, lane_3]
              let (c_2 : i8) = acc_3 + p_2
              in (c_2)
          let (lo_1 : i64) = 64 * strips_1
          let (view_3 : [m - 64*strips_1]i8) = row_2[lo_1 : m - 64*strips_1]
          let (acc_6 : i8) =
            loop (acc_5 : i8) = acc_4 for j_3 < m - 64*strips_1 do
              let (j_4 : i64) = j_3 + lo_1
              let (x_4 : i8) = view_3[j_3]
              let (c_3 : i8) = acc_5 + x_4
              in (c_3)
          in (acc_6)
      in (s_1)
    else
      let (s_2 : [n]i8) =
        kernel i < n do
          let (acc_8 : i8) =
            loop (acc_7 : i8) = 0i8 for j_5 < m do
              let (row_3 : [m]i8) = xs[i, 0 : m]
              let (x_5 : i8) = row_3[j_5]
              let (c_4 : i8) = acc_7 + x_5
              in (c_4)
          in (acc_8)
      in (s_2)
  in (s)

entry weighted [m] [n] (xs : [n][m]i8) (ws : [m]i8) (ks : [n]i8) -> (ra : [n]i8) (rb : [n]i8) =
  let (long_2 : bool) = m >= 256
  let (sa : [n]i8) (sb : [n]i8) =
    if long_2 then
      let (strips_2 : i64) = m / 64
      let (part_2 : [n][64]i8) (part_3 : [n][64]i8) =
        kernel i_3 < n, lane_4 < 64 do
          let (k_1 : i8) = ks[i_3]
          let (row_4 : [m]i8) = xs[i_3, 0 : m]
          let (view_4 : [64*strips_2]i8) = row_4[0 : 64*strips_2]
          let (view_5 : [strips_2][64]i8) = reshape [strips_2][64] view_4
          let (view_6 : [64*strips_2]i8) = ws[0 : 64*strips_2]
          let (view_7 : [strips_2][64]i8) = reshape [strips_2][64] view_6
          let (acc_11 : i8) (acc_12 : i8) =
            loop (acc_9 : i8) = 1i8, (acc_10 : i8) = -100i8 for j_6 < strips_2 do
              let (j_7 : i64) = 64 * j_6 + lane_4
              let (x_7 : i8) = view_5[j_6, lane_4]
              let (w_2 : i8) = view_7[j_6, lane_4]
              let (y_2 : i8) = k_1 * x_7 * w_2 + i8(j_7) - i8(i_3)
              let (a3_1 : i8) = acc_9 + y_2
              let (b3_1 : i8) = max(acc_10, x_7)
              in (a3_1, b3_1)
          in (acc_11, acc_12)
      let (sa_1 : [n]i8) (sb_1 : [n]i8) =
        kernel i_4 < n do
          let (k_2 : i8) = ks[i_4]
          let (row_5 : [m]i8) = xs[i_4, 0 : m]
          let (acc_15 : i8) (acc_16 : i8) =
            loop (acc_13 : i8) = 1i8, (acc_14 : i8) = -100i8 for lane_6 < 64 do
              let (p_5 : i8) = part_2[i_4, lane_6]
              let (p_6 : i8) = part_3[i_4, lane_6]
              let (a3_2 : i8) = acc_13 + p_5
              let (b3_2 : i8) = max(acc_14, p_6)
              in (a3_2, b3_2)
          let (lo_2 : i64) = 64 * strips_2
          let (view_8 : [m - 64*strips_2]i8) = row_5[lo_2 : m - 64*strips_2]
          let (view_9 : [m - 64*strips_2]i8) = ws[lo_2 : m - 64*strips_2]
          let (acc_19 : i8) (acc_20 : i8) =
            loop (acc_17 : i8) = acc_15, (acc_18 : i8) = acc_16 for j_8 < m - 64*strips_2 do
              let (j_9 : i64) = j_8 + lo_2
              let (x_9 : i8) = view_8[j_8]
              let (w_4 : i8) = view_9[j_8]
              let (y_4 : i8) = k_2 * x_9 * w_4 + i8(j_9) - i8(i_4)
              let (a3_3 : i8) = acc_17 + y_4
              let (b3_3 : i8) = max(acc_18, x_9)
              in (a3_3, b3_3)
          in (acc_19, acc_20)
      in (sa_1, sb_1)
    else
      let (sa_2 : [n]i8) (sb_2 : [n]i8) =
        kernel i < n do
          let (acc_23 : i8) (acc_24 : i8) =
            loop (acc_21 : i8) = 1i8, (acc_22 : i8) = -100i8 for j_10 < m do
              let (k_3 : i8) = ks[i]
              let (row_6 : [m]i8) = xs[i, 0 : m]
              let (x_10 : i8) = row_6[j_10]
              let (w_5 : i8) = ws[j_10]
              let (y_5 : i8) = k_3 * x_10 * w_5 + i8(j_10) - i8(i)
              let (a3_4 : i8) = acc_21 + y_5
              let (b3_4 : i8) = max(acc_22, x_10)
              in (a3_4, b3_4)
          in (acc_23, acc_24)
      in (sa_2, sb_2)
  in (sa, sb)

entry known [n] (xs : [n][130]i8) -> (r : [n]i8) =
  let (strips_3 : i64) = 130 / 64
  let (part_4 : [n][64]i8) =
    kernel i_5 < n, lane_7 < 64 do
      let (row_7 : [130]i8) = xs[i_5, 0 : 130]
      let (view_10 : [64*strips_3]i8) = row_7[0 : 64*strips_3]
      let (view_11 : [strips_3][64]i8) = reshape [strips_3][64] view_10
      let (acc_26 : i8) =
        loop (acc_25 : i8) = 0i8 for j_11 < strips_3 do
          let (j_12 : i64) = 64 * j_11 + lane_7
          let (x_12 : i8) = view_11[j_11, lane_7]
          let (c_5 : i8) = acc_25 ^ x_12
          in (c_5)
      in (acc_26)
  let (s : [n]i8) =
    kernel i_6 < n do
      let (row_8 : [130]i8) = xs[i_6, 0 : 130]
      let (acc_28 : i8) =
        loop (acc_27 : i8) = 0i8 for lane_9 < 64 do
          let (p_8 : i8) = part_4[i_6, lane_9]
          let (c_6 : i8) = acc_27 ^ p_8
          in (c_6)
      let (lo_3 : i64) = 64 * strips_3
      let (view_12 : [-64*strips_3 + 130]i8) = row_8[lo_3 : -64*strips_3 + 130]
      let (acc_30 : i8) =
        loop (acc_29 : i8) = acc_28 for j_13 < -64*strips_3 + 130 do
          let (j_14 : i64) = j_13 + lo_3
          let (x_14 : i8) = view_12[j_13]
          let (c_7 : i8) = acc_29 ^ x_14
          in (c_7)
      in (acc_30)
  in (s)

entry short [n] (xs : [n][100]i8) -> (r : [n]i8) =
  let (s : [n]i8) =
    kernel i < n do
      let (acc_32 : i8) =
        loop (acc_31 : i8) = 0i8 for j_15 < 100 do
          let (row_9 : [100]i8) = xs[i, 0 : 100]
          let (x_15 : i8) = row_9[j_15]
          let (c_8 : i8) = acc_31 + x_15
          in (c_8)
      in (acc_32)
  in (s)

entry columns [m] [n] (xs : [m][n]i8) -> (r : [n]i8) =
  let (s : [n]i8) =
    kernel i < n do
      let (acc_34 : i8) =
        loop (acc_33 : i8) = 0i8 for j_16 < m do
          let (column_1 : [m]i8) = xs[0 : m, i]
          let (x_16 : i8) = column_1[j_16]
          let (c_9 : i8) = acc_33 + x_16
          in (c_9)
      in (acc_34)
  in (s)

entry transposed [m] [n] (xs : [m][n]i8) -> (r : [n]i8) =
  let (ys : [n][m]i8) = permute (1, 0) xs
  let (s : [n]i8) =
    kernel i < n do
      let (acc_36 : i8) =
        loop (acc_35 : i8) = 0i8 for j_17 < m do
          let (row_10 : [m]i8) = ys[i, 0 : m]
          let (x_17 : i8) = row_10[j_17]
          let (c_10 : i8) = acc_35 + x_17
          in (c_10)
      in (acc_36)
  in (s)

entry crossed [m] [n] (xs : [n][m]i8) -> (r : [n]i8) =
  let (s : [n]i8) =
    kernel i < n do
      let (acc_38 : i8) =
        loop (acc_37 : i8) = 0i8 for j_18 < m do
          let (row_11 : [m]i8) = xs[i, 0 : m]
          let (x_18 : i8) = row_11[j_18]
          let (c_11 : i8) = acc_37 - x_18
          in (c_11)
      in (acc_38)
  in (s)

entry above [m] [n] (xs : [n][m]i8) -> (r : [n]i8) =
  let (long_3 : bool) = m >= 128
  let (s : [n]i8) =
    if long_3 then
      let (strips_4 : i64) = m / 64
      let (part_5 : [n][64]i8) =
        kernel i_7 < n, lane_10 < 64 do
          let (row_12 : [m]i8) = xs[i_7, 0 : m]
          let (view_13 : [64*strips_4]i8) = row_12[0 : 64*strips_4]
          let (view_14 : [strips_4][64]i8) = reshape [strips_4][64] view_13
          let (acc_40 : i8) =
            loop (acc_39 : i8) = -128i8 for j_19 < strips_4 do
              let (j_20 : i64) = 64 * j_19 + lane_10
              let (x_20 : i8) = view_14[j_19, lane_10]
              let (c_12 : i8) = max(acc_39, x_20)
              let (d_1 : i8) = max(c_12, i8(i_7))
              in (d_1)
          in (acc_40)
      let (s_3 : [n]i8) =
        kernel i_8 < n do
          let (row_13 : [m]i8) = xs[i_8, 0 : m]
          let (acc_42 : i8) =
            loop (acc_41 : i8) = -128i8 for lane_12 < 64 do
              let (p_10 : i8) = part_5[i_8, lane_12]
              let (c_13 : i8) = max(acc_41, p_10)
              let (d_2 : i8) = max(c_13, i8(i_8))
              in (d_2)
          let (lo_4 : i64) = 64 * strips_4
          let (view_15 : [m - 64*strips_4]i8) = row_13[lo_4 : m - 64*strips_4]
          let (acc_44 : i8) =
            loop (acc_43 : i8) = acc_42 for j_21 < m - 64*strips_4 do
              let (j_22 : i64) = j_21 + lo_4
              let (x_22 : i8) = view_15[j_21]
              let (c_14 : i8) = max(acc_43, x_22)
              let (d_3 : i8) = max(c_14, i8(i_8))
              in (d_3)
          in (acc_44)
      in (s_3)
    else
      let (s_4 : [n]i8) =
        kernel i < n do
          let (acc_46 : i8) =
            loop (acc_45 : i8) = -128i8 for j_23 < m do
              let (row_14 : [m]i8) = xs[i, 0 : m]
              let (x_23 : i8) = row_14[j_23]
              let (c_15 : i8) = max(acc_45, x_23)
              let (d_4 : i8) = max(c_15, i8(i))
              in (d_4)
          in (acc_46)
      in (s_4)
  in (s)
