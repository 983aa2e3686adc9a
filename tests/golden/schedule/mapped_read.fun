entry main [n] (xs : [n]i32) (ys : [n]i32) -> (lo : [n]i32) (sums : [n]i32) (ps : [n]i32) =
  let (lows : [n]i32) (totals : [n]i32) (powers : [n]i32) =
    kernel i < n scan
      (\(a : i32) (b : i32) (c : i32) (d : i32) ->
        let (m : i32) = min(a, c)
        let (s : i32) = b + d
        in (m, s)) (2147483647i32, 0i32)
    do
      let (x : i32) = xs[i]
      let (y : i32) = ys[i]
      let (p : i32) =
        loop (q : i32) = x for k < 3 do
          let (r : i32) = q * y
          in (r)
      let (e : i32) = p - x
      in (e, p, p)
  in (lows, totals, powers)

-- schedule{threads=4} -->

entry main [n] (xs : [n]i32) (ys : [n]i32) -> (lo : [n]i32) (sums : [n]i32) (ps : [n]i32) =
  let (value_1 : [n]i32) (powers : [n]i32) =
    kernel i < n do
      let (x : i32) = xs[i]
      let (y : i32) = ys[i]
      let (p : i32) =
        loop (q : i32) = x for k < 3 do
          let (r : i32) = q * y
          in (r)
      let (e : i32) = p - x
      in (e, p)
  let (chunk_1 : i64) = n / 4
  let (part_1 : [4]i32) (part_2 : [4]i32) =
    kernel t_1 < 4 do
      let (lo_1 : i64) = chunk_1 * t_1
      let (view_1 : [chunk_1]i32) = powers[lo_1 : chunk_1]
      let (acc_3 : i32) (acc_4 : i32) =
        loop (acc_1 : i32) = 2147483647i32, (acc_2 : i32) = 0i32 for i_2 < chunk_1 do
          let (i_3 : i64) = i_2 + lo_1
          let (v_3 : i32) = value_1[i_3]
          let (v_4 : i32) = view_1[i_2]
          let (m_1 : i32) = min(acc_1, v_3)
          let (s_1 : i32) = acc_2 + v_4
          in (m_1, s_1)
      in (acc_3, acc_4)
  let (scanned_1 : [4]i32) = scratch [4]i32
  let (scanned_2 : [4]i32) = scratch [4]i32
  let (scanned_7 : [4]i32) (scanned_8 : [4]i32) (acc_7 : i32) (acc_8 : i32) =
    loop (scanned_3 : *[4]i32) = scanned_1, (scanned_4 : *[4]i32) = scanned_2,
        (acc_5 : i32) = 2147483647i32, (acc_6 : i32) = 0i32 for t_3 < 4 do
      let (p_3 : i32) = part_1[t_3]
      let (p_4 : i32) = part_2[t_3]
      let (m_2 : i32) = min(acc_5, p_3)
      let (s_2 : i32) = acc_6 + p_4
      let (scanned_5 : [4]i32) = scanned_3 with [t_3] = acc_5
      let (scanned_6 : [4]i32) = scanned_4 with [t_3] = acc_6
      in (scanned_5, scanned_6, m_2, s_2)
  let (lows_1 : [4][chunk_1]i32) (totals_1 : [4][chunk_1]i32) =
    kernel t_4 < 4 do
      let (lo_2 : i64) = chunk_1 * t_4
      let (start_1 : i32) = scanned_7[t_4]
      let (start_2 : i32) = scanned_8[t_4]
      let (scanned_9 : [chunk_1]i32) = scratch [chunk_1]i32
      let (scanned_10 : [chunk_1]i32) = scratch [chunk_1]i32
      let (view_2 : [chunk_1]i32) = powers[lo_2 : chunk_1]
      let (scanned_15 : [chunk_1]i32) (scanned_16 : [chunk_1]i32) (acc_11 : i32) (acc_12 : i32) =
        loop (scanned_11 : *[chunk_1]i32) = scanned_9, (scanned_12 : *[chunk_1]i32) = scanned_10,
            (acc_9 : i32) = start_1, (acc_10 : i32) = start_2 for i_4 < chunk_1 do
          let (i_5 : i64) = i_4 + lo_2
          let (v_5 : i32) = value_1[i_5]
          let (v_6 : i32) = view_2[i_4]
          let (m_3 : i32) = min(acc_9, v_5)
          let (s_3 : i32) = acc_10 + v_6
          let (scanned_13 : [chunk_1]i32) = scanned_11 with [i_4] = m_3
          let (scanned_14 : [chunk_1]i32) = scanned_12 with [i_4] = s_3
          in (scanned_13, scanned_14, m_3, s_3)
      in (scanned_15, scanned_16)
  let (lo_3 : i64) = 4 * chunk_1
  let (scanned_17 : [-4*chunk_1 + n]i32) = scratch [-4*chunk_1 + n]i32
  let (scanned_18 : [-4*chunk_1 + n]i32) = scratch [-4*chunk_1 + n]i32
  let (view_3 : [-4*chunk_1 + n]i32) = powers[lo_3 : -4*chunk_1 + n]
  let (scanned_23 : [-4*chunk_1 + n]i32) (scanned_24 : [-4*chunk_1 + n]i32) (acc_15 : i32)
      (acc_16 : i32) =
    loop (scanned_19 : *[-4*chunk_1 + n]i32) = scanned_17,
        (scanned_20 : *[-4*chunk_1 + n]i32) = scanned_18, (acc_13 : i32) = acc_7,
        (acc_14 : i32) = acc_8 for i_6 < -4*chunk_1 + n do
      let (i_7 : i64) = i_6 + lo_3
      let (v_7 : i32) = value_1[i_7]
      let (v_8 : i32) = view_3[i_6]
      let (m_4 : i32) = min(acc_13, v_7)
      let (s_4 : i32) = acc_14 + v_8
      let (scanned_21 : [-4*chunk_1 + n]i32) = scanned_19 with [i_6] = m_4
      let (scanned_22 : [-4*chunk_1 + n]i32) = scanned_20 with [i_6] = s_4
      in (scanned_21, scanned_22, m_4, s_4)
  let (lows_2 : [4*chunk_1]i32) = reshape [4*chunk_1] lows_1
  let (lows : [n]i32) = concat 0 lows_2 scanned_23
  let (totals_2 : [4*chunk_1]i32) = reshape [4*chunk_1] totals_1
  let (totals : [n]i32) = concat 0 totals_2 scanned_24
  in (lows, totals, powers)
