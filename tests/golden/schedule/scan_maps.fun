entry gone [n] (xs : [n]i64) -> (r : [n]i64) =
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = xs[j1]
      in (u1)
  let (at : [n]i64) =
    kernel k1 < n do
      let (u : i64) = upto[k1]
      let (x : i64) = xs[k1]
      let (odd : bool) = x > 1
      let (p : i64) = u - k1
      let (w : i64) =
        if odd then
          in (u)
        else
          in (p)
      in (w)
  in (at)

entry stored [n] (xs : [n]i64) -> (r : [n]i64) (q : [n]i64) (o : [n]bool) =
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = xs[j1]
      in (u1)
  let (at : [n]i64) (less : [n]bool) =
    kernel k1 < n do
      let (u : i64) = upto[k1]
      let (w : i64) = u * 3
      let (l : bool) = u < k1
      in (w, l)
  in (upto, at, less)

entry divides [n] (xs : [n]i64) (d : i64) -> (r : [n]i64) =
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = xs[j1]
      in (u1)
  let (at : [n]i64) =
    kernel k1 < n do
      let (u : i64) = upto[k1]
      let (w : i64) = u / d
      in (w)
  in (at)

entry backwards [n] (xs : [n]i64) -> (r : [n]i64) =
  let (upto : [n]i64) =
    kernel j1 < n scan
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = xs[j1]
      in (u1)
  let (at : [n]i64) =
    kernel k1 < n do
      let (u : i64) = upto[-k1 + n - 1]
      in (u)
  in (at)

entry same [n] (xs : [n]i64) -> (r : [n]i64) (t : i64) =
  let (total : i64) =
    kernel j1 < n reduce
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = xs[j1]
      in (u1)
  let (upto : [n]i64) =
    kernel j2 < n scan
      (\(a2 : i64) (b2 : i64) ->
        let (c2 : i64) = a2 + b2
        in (c2)) (0)
    do
      let (u2 : i64) = xs[j2]
      in (u2)
  let (at : [n]i64) =
    kernel k1 < n do
      let (u : i64) = upto[k1]
      let (w : i64) = total - u
      in (w)
  in (at, total)

entry others [n] (xs : [n]i64) (ys : [n]i64) -> (r : [n]i64) (t : i64) =
  let (total : i64) =
    kernel j1 < n reduce
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = xs[j1]
      in (u1)
  let (upto : [n]i64) =
    kernel j2 < n scan
      (\(a2 : i64) (b2 : i64) ->
        let (c2 : i64) = a2 + b2
        in (c2)) (0)
    do
      let (u2 : i64) = ys[j2]
      in (u2)
  in (upto, total)

entry scanned_only [n] (xs : [n]i64) -> (r : [n]i64) (t : i64) =
  let (total : i64) =
    kernel j1 < n reduce
      (\(a1 : i64) (b1 : i64) ->
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (u1 : i64) = xs[j1]
      in (u1)
  let (upto : [n]i64) =
    kernel j2 < n scan
      (\(a2 : i64) (b2 : i64) ->
        let (c2 : i64) = a2 + b2
        in (c2)) (0)
    do
      let (u2 : i64) = xs[j2]
      in (u2)
  in (upto, total)

-- schedule{threads=4} -->

entry gone [n] (xs : [n]i64) -> (r : [n]i64) =
  let (chunk_1 : i64) = n / 4
  let (part_1 : [4]i64) =
    kernel t_1 < 4 do
      let (lo_1 : i64) = chunk_1 * t_1
      let (view_1 : [chunk_1]i64) = xs[lo_1 : chunk_1]
      let (acc_2 : i64) =
        loop (acc_1 : i64) = 0 for j1_1 < chunk_1 do
          let (j1_2 : i64) = j1_1 + lo_1
          let (u1_1 : i64) = view_1[j1_1]
          let (c1_1 : i64) = acc_1 + u1_1
          in (c1_1)
      in (acc_2)
  let (scanned_1 : [4]i64) = scratch [4]i64
  let (scanned_4 : [4]i64) (acc_4 : i64) =
    loop (scanned_2 : *[4]i64) = scanned_1, (acc_3 : i64) = 0 for t_3 < 4 do
      let (p_2 : i64) = part_1[t_3]
      let (c1_2 : i64) = acc_3 + p_2
      let (scanned_3 : [4]i64) = scanned_2 with [t_3] = acc_3
      in (scanned_3, c1_2)
  let (at_1 : [4][chunk_1]i64) =
    kernel t_4 < 4 do
      let (lo_2 : i64) = chunk_1 * t_4
      let (start_1 : i64) = scanned_4[t_4]
      let (scanned_5 : [chunk_1]i64) = scratch [chunk_1]i64
      let (view_2 : [chunk_1]i64) = xs[lo_2 : chunk_1]
      let (scanned_8 : [chunk_1]i64) (acc_6 : i64) =
        loop (scanned_6 : *[chunk_1]i64) = scanned_5, (acc_5 : i64) = start_1 for j1_3 < chunk_1 do
          let (j1_4 : i64) = j1_3 + lo_2
          let (u1_2 : i64) = view_2[j1_3]
          let (c1_3 : i64) = acc_5 + u1_2
          let (u_1 : i64) = c1_3
          let (x_1 : i64) = view_2[j1_3]
          let (odd_1 : bool) = x_1 > 1
          let (p_3 : i64) = u_1 - j1_4
          let (w_1 : i64) =
            if odd_1 then
              in (u_1)
            else
              in (p_3)
          let (scanned_7 : [chunk_1]i64) = scanned_6 with [j1_3] = w_1
          in (scanned_7, c1_3)
      in (scanned_8)
  let (lo_3 : i64) = 4 * chunk_1
  let (scanned_9 : [-4*chunk_1 + n]i64) = scratch [-4*chunk_1 + n]i64
  let (view_3 : [-4*chunk_1 + n]i64) = xs[lo_3 : -4*chunk_1 + n]
  let (scanned_12 : [-4*chunk_1 + n]i64) (acc_8 : i64) =
    loop (scanned_10 : *[-4*chunk_1 + n]i64) = scanned_9, (acc_7 : i64) = acc_4
        for j1_5 < -4*chunk_1 + n do
      let (j1_6 : i64) = j1_5 + lo_3
      let (u1_3 : i64) = view_3[j1_5]
      let (c1_4 : i64) = acc_7 + u1_3
      let (u_2 : i64) = c1_4
      let (x_2 : i64) = view_3[j1_5]
      let (odd_2 : bool) = x_2 > 1
      let (p_4 : i64) = u_2 - j1_6
      let (w_2 : i64) =
        if odd_2 then
          in (u_2)
        else
          in (p_4)
      let (scanned_11 : [-4*chunk_1 + n]i64) = scanned_10 with [j1_5] = w_2
      in (scanned_11, c1_4)
  let (at_2 : [4*chunk_1]i64) = reshape [4*chunk_1] at_1
  let (at : [n]i64) = concat 0 at_2 scanned_12
  in (at)

entry stored [n] (xs : [n]i64) -> (r : [n]i64) (q : [n]i64) (o : [n]bool) =
  let (chunk_2 : i64) = n / 4
  let (part_2 : [4]i64) =
    kernel t_5 < 4 do
      let (lo_4 : i64) = chunk_2 * t_5
      let (view_4 : [chunk_2]i64) = xs[lo_4 : chunk_2]
      let (acc_10 : i64) =
        loop (acc_9 : i64) = 0 for j1_7 < chunk_2 do
          let (j1_8 : i64) = j1_7 + lo_4
          let (u1_4 : i64) = view_4[j1_7]
          let (c1_5 : i64) = acc_9 + u1_4
          in (c1_5)
      in (acc_10)
  let (scanned_13 : [4]i64) = scratch [4]i64
  let (scanned_16 : [4]i64) (acc_12 : i64) =
    loop (scanned_14 : *[4]i64) = scanned_13, (acc_11 : i64) = 0 for t_7 < 4 do
      let (p_6 : i64) = part_2[t_7]
      let (c1_6 : i64) = acc_11 + p_6
      let (scanned_15 : [4]i64) = scanned_14 with [t_7] = acc_11
      in (scanned_15, c1_6)
  let (upto_3 : [4][chunk_2]i64) (at_3 : [4][chunk_2]i64) (less_1 : [4][chunk_2]bool) =
    kernel t_8 < 4 do
      let (lo_5 : i64) = chunk_2 * t_8
      let (start_2 : i64) = scanned_16[t_8]
      let (scanned_17 : [chunk_2]i64) = scratch [chunk_2]i64
      let (scanned_18 : [chunk_2]i64) = scratch [chunk_2]i64
      let (scanned_19 : [chunk_2]bool) = scratch [chunk_2]bool
      let (view_5 : [chunk_2]i64) = xs[lo_5 : chunk_2]
      let (scanned_26 : [chunk_2]i64) (scanned_27 : [chunk_2]i64) (scanned_28 : [chunk_2]bool)
          (acc_14 : i64) =
        loop (scanned_20 : *[chunk_2]i64) = scanned_17, (scanned_21 : *[chunk_2]i64) = scanned_18,
            (scanned_22 : *[chunk_2]bool) = scanned_19, (acc_13 : i64) = start_2
            for j1_9 < chunk_2 do
          let (j1_10 : i64) = j1_9 + lo_5
          let (u1_5 : i64) = view_5[j1_9]
          let (c1_7 : i64) = acc_13 + u1_5
          let (u_3 : i64) = c1_7
          let (w_3 : i64) = u_3 * 3
          let (l_1 : bool) = u_3 < j1_10
          let (scanned_23 : [chunk_2]i64) = scanned_20 with [j1_9] = c1_7
          let (scanned_24 : [chunk_2]i64) = scanned_21 with [j1_9] = w_3
          let (scanned_25 : [chunk_2]bool) = scanned_22 with [j1_9] = l_1
          in (scanned_23, scanned_24, scanned_25, c1_7)
      in (scanned_26, scanned_27, scanned_28)
  let (lo_6 : i64) = 4 * chunk_2
  let (scanned_29 : [-4*chunk_2 + n]i64) = scratch [-4*chunk_2 + n]i64
  let (scanned_30 : [-4*chunk_2 + n]i64) = scratch [-4*chunk_2 + n]i64
  let (scanned_31 : [-4*chunk_2 + n]bool) = scratch [-4*chunk_2 + n]bool
  let (view_6 : [-4*chunk_2 + n]i64) = xs[lo_6 : -4*chunk_2 + n]
  let (scanned_38 : [-4*chunk_2 + n]i64) (scanned_39 : [-4*chunk_2 + n]i64)
      (scanned_40 : [-4*chunk_2 + n]bool) (acc_16 : i64) =
    loop (scanned_32 : *[-4*chunk_2 + n]i64) = scanned_29,
        (scanned_33 : *[-4*chunk_2 + n]i64) = scanned_30,
        (scanned_34 : *[-4*chunk_2 + n]bool) = scanned_31, (acc_15 : i64) = acc_12
        for j1_11 < -4*chunk_2 + n do
      let (j1_12 : i64) = j1_11 + lo_6
      let (u1_6 : i64) = view_6[j1_11]
      let (c1_8 : i64) = acc_15 + u1_6
      let (u_4 : i64) = c1_8
      let (w_4 : i64) = u_4 * 3
      let (l_2 : bool) = u_4 < j1_12
      let (scanned_35 : [-4*chunk_2 + n]i64) = scanned_32 with [j1_11] = c1_8
      let (scanned_36 : [-4*chunk_2 + n]i64) = scanned_33 with [j1_11] = w_4
      let (scanned_37 : [-4*chunk_2 + n]bool) = scanned_34 with [j1_11] = l_2
      in (scanned_35, scanned_36, scanned_37, c1_8)
  let (upto_4 : [4*chunk_2]i64) = reshape [4*chunk_2] upto_3
  let (upto : [n]i64) = concat 0 upto_4 scanned_38
  let (at_4 : [4*chunk_2]i64) = reshape [4*chunk_2] at_3
  let (at : [n]i64) = concat 0 at_4 scanned_39
  let (less_2 : [4*chunk_2]bool) = reshape [4*chunk_2] less_1
  let (less : [n]bool) = concat 0 less_2 scanned_40
  in (upto, at, less)

entry divides [n] (xs : [n]i64) (d : i64) -> (r : [n]i64) =
  let (chunk_3 : i64) = n / 4
  let (part_3 : [4]i64) =
    kernel t_9 < 4 do
      let (lo_7 : i64) = chunk_3 * t_9
      let (view_7 : [chunk_3]i64) = xs[lo_7 : chunk_3]
      let (acc_18 : i64) =
        loop (acc_17 : i64) = 0 for j1_13 < chunk_3 do
          let (j1_14 : i64) = j1_13 + lo_7
          let (u1_7 : i64) = view_7[j1_13]
          let (c1_9 : i64) = acc_17 + u1_7
          in (c1_9)
      in (acc_18)
  let (scanned_41 : [4]i64) = scratch [4]i64
  let (scanned_44 : [4]i64) (acc_20 : i64) =
    loop (scanned_42 : *[4]i64) = scanned_41, (acc_19 : i64) = 0 for t_11 < 4 do
      let (p_8 : i64) = part_3[t_11]
      let (c1_10 : i64) = acc_19 + p_8
      let (scanned_43 : [4]i64) = scanned_42 with [t_11] = acc_19
      in (scanned_43, c1_10)
  let (upto_5 : [4][chunk_3]i64) =
    kernel t_12 < 4 do
      let (lo_8 : i64) = chunk_3 * t_12
      let (start_3 : i64) = scanned_44[t_12]
      let (scanned_45 : [chunk_3]i64) = scratch [chunk_3]i64
      let (view_8 : [chunk_3]i64) = xs[lo_8 : chunk_3]
      let (scanned_48 : [chunk_3]i64) (acc_22 : i64) =
        loop (scanned_46 : *[chunk_3]i64) = scanned_45, (acc_21 : i64) = start_3
            for j1_15 < chunk_3 do
          let (j1_16 : i64) = j1_15 + lo_8
          let (u1_8 : i64) = view_8[j1_15]
          let (c1_11 : i64) = acc_21 + u1_8
          let (scanned_47 : [chunk_3]i64) = scanned_46 with [j1_15] = c1_11
          in (scanned_47, c1_11)
      in (scanned_48)
  let (lo_9 : i64) = 4 * chunk_3
  let (scanned_49 : [-4*chunk_3 + n]i64) = scratch [-4*chunk_3 + n]i64
  let (view_9 : [-4*chunk_3 + n]i64) = xs[lo_9 : -4*chunk_3 + n]
  let (scanned_52 : [-4*chunk_3 + n]i64) (acc_24 : i64) =
    loop (scanned_50 : *[-4*chunk_3 + n]i64) = scanned_49, (acc_23 : i64) = acc_20
        for j1_17 < -4*chunk_3 + n do
      let (j1_18 : i64) = j1_17 + lo_9
      let (u1_9 : i64) = view_9[j1_17]
      let (c1_12 : i64) = acc_23 + u1_9
      let (scanned_51 : [-4*chunk_3 + n]i64) = scanned_50 with [j1_17] = c1_12
      in (scanned_51, c1_12)
  let (upto_6 : [4*chunk_3]i64) = reshape [4*chunk_3] upto_5
  let (upto : [n]i64) = concat 0 upto_6 scanned_52
  let (at : [n]i64) =
    kernel k1 < n do
      let (u : i64) = upto[k1]
      let (w : i64) = u / d
      in (w)
  in (at)

entry backwards [n] (xs : [n]i64) -> (r : [n]i64) =
  let (chunk_4 : i64) = n / 4
  let (part_4 : [4]i64) =
    kernel t_13 < 4 do
      let (lo_10 : i64) = chunk_4 * t_13
      let (view_10 : [chunk_4]i64) = xs[lo_10 : chunk_4]
      let (acc_26 : i64) =
        loop (acc_25 : i64) = 0 for j1_19 < chunk_4 do
          let (j1_20 : i64) = j1_19 + lo_10
          let (u1_10 : i64) = view_10[j1_19]
          let (c1_13 : i64) = acc_25 + u1_10
          in (c1_13)
      in (acc_26)
  let (scanned_53 : [4]i64) = scratch [4]i64
  let (scanned_56 : [4]i64) (acc_28 : i64) =
    loop (scanned_54 : *[4]i64) = scanned_53, (acc_27 : i64) = 0 for t_15 < 4 do
      let (p_10 : i64) = part_4[t_15]
      let (c1_14 : i64) = acc_27 + p_10
      let (scanned_55 : [4]i64) = scanned_54 with [t_15] = acc_27
      in (scanned_55, c1_14)
  let (upto_7 : [4][chunk_4]i64) =
    kernel t_16 < 4 do
      let (lo_11 : i64) = chunk_4 * t_16
      let (start_4 : i64) = scanned_56[t_16]
      let (scanned_57 : [chunk_4]i64) = scratch [chunk_4]i64
      let (view_11 : [chunk_4]i64) = xs[lo_11 : chunk_4]
      let (scanned_60 : [chunk_4]i64) (acc_30 : i64) =
        loop (scanned_58 : *[chunk_4]i64) = scanned_57, (acc_29 : i64) = start_4
            for j1_21 < chunk_4 do
          let (j1_22 : i64) = j1_21 + lo_11
          let (u1_11 : i64) = view_11[j1_21]
          let (c1_15 : i64) = acc_29 + u1_11
          let (scanned_59 : [chunk_4]i64) = scanned_58 with [j1_21] = c1_15
          in (scanned_59, c1_15)
      in (scanned_60)
  let (lo_12 : i64) = 4 * chunk_4
  let (scanned_61 : [-4*chunk_4 + n]i64) = scratch [-4*chunk_4 + n]i64
  let (view_12 : [-4*chunk_4 + n]i64) = xs[lo_12 : -4*chunk_4 + n]
  let (scanned_64 : [-4*chunk_4 + n]i64) (acc_32 : i64) =
    loop (scanned_62 : *[-4*chunk_4 + n]i64) = scanned_61, (acc_31 : i64) = acc_28
        for j1_23 < -4*chunk_4 + n do
      let (j1_24 : i64) = j1_23 + lo_12
      let (u1_12 : i64) = view_12[j1_23]
      let (c1_16 : i64) = acc_31 + u1_12
      let (scanned_63 : [-4*chunk_4 + n]i64) = scanned_62 with [j1_23] = c1_16
      in (scanned_63, c1_16)
  let (upto_8 : [4*chunk_4]i64) = reshape [4*chunk_4] upto_7
  let (upto : [n]i64) = concat 0 upto_8 scanned_64
  let (at : [n]i64) =
    kernel k1 < n do
      let (u : i64) = upto[-k1 + n - 1]
      in (u)
  in (at)

entry same [n] (xs : [n]i64) -> (r : [n]i64) (t : i64) =
  let (chunk_5 : i64) = n / 4
  let (part_5 : [4]i64) =
    kernel t_17 < 4 do
      let (lo_13 : i64) = chunk_5 * t_17
      let (view_13 : [chunk_5]i64) = xs[lo_13 : chunk_5]
      let (acc_34 : i64) =
        loop (acc_33 : i64) = 0 for j1_25 < chunk_5 do
          let (j1_26 : i64) = j1_25 + lo_13
          let (u1_13 : i64) = view_13[j1_25]
          let (c1_17 : i64) = acc_33 + u1_13
          in (c1_17)
      in (acc_34)
  let (scanned_65 : [4]i64) = scratch [4]i64
  let (scanned_68 : [4]i64) (acc_36 : i64) =
    loop (scanned_66 : *[4]i64) = scanned_65, (acc_35 : i64) = 0 for t_19 < 4 do
      let (p_12 : i64) = part_5[t_19]
      let (c1_18 : i64) = acc_35 + p_12
      let (scanned_67 : [4]i64) = scanned_66 with [t_19] = acc_35
      in (scanned_67, c1_18)
  let (lo_14 : i64) = 4 * chunk_5
  let (view_14 : [-4*chunk_5 + n]i64) = xs[lo_14 : -4*chunk_5 + n]
  let (total : i64) =
    loop (acc_37 : i64) = acc_36 for j1_27 < -4*chunk_5 + n do
      let (j1_28 : i64) = j1_27 + lo_14
      let (u1_14 : i64) = view_14[j1_27]
      let (c1_19 : i64) = acc_37 + u1_14
      in (c1_19)
  let (at_5 : [4][chunk_5]i64) =
    kernel t_20 < 4 do
      let (lo_15 : i64) = chunk_5 * t_20
      let (start_5 : i64) = scanned_68[t_20]
      let (scanned_69 : [chunk_5]i64) = scratch [chunk_5]i64
      let (view_15 : [chunk_5]i64) = xs[lo_15 : chunk_5]
      let (scanned_72 : [chunk_5]i64) (acc_39 : i64) =
        loop (scanned_70 : *[chunk_5]i64) = scanned_69, (acc_38 : i64) = start_5
            for j2_1 < chunk_5 do
          let (j2_2 : i64) = j2_1 + lo_15
          let (u2_1 : i64) = view_15[j2_1]
          let (c2_1 : i64) = acc_38 + u2_1
          let (u_5 : i64) = c2_1
          let (w_5 : i64) = total - u_5
          let (scanned_71 : [chunk_5]i64) = scanned_70 with [j2_1] = w_5
          in (scanned_71, c2_1)
      in (scanned_72)
  let (lo_16 : i64) = 4 * chunk_5
  let (scanned_73 : [-4*chunk_5 + n]i64) = scratch [-4*chunk_5 + n]i64
  let (view_16 : [-4*chunk_5 + n]i64) = xs[lo_16 : -4*chunk_5 + n]
  let (scanned_76 : [-4*chunk_5 + n]i64) (acc_41 : i64) =
    loop (scanned_74 : *[-4*chunk_5 + n]i64) = scanned_73, (acc_40 : i64) = acc_36
        for j2_3 < -4*chunk_5 + n do
      let (j2_4 : i64) = j2_3 + lo_16
      let (u2_2 : i64) = view_16[j2_3]
      let (c2_2 : i64) = acc_40 + u2_2
      let (u_6 : i64) = c2_2
      let (w_6 : i64) = total - u_6
      let (scanned_75 : [-4*chunk_5 + n]i64) = scanned_74 with [j2_3] = w_6
      in (scanned_75, c2_2)
  let (at_6 : [4*chunk_5]i64) = reshape [4*chunk_5] at_5
  let (at : [n]i64) = concat 0 at_6 scanned_76
  in (at, total)

entry others [n] (xs : [n]i64) (ys : [n]i64) -> (r : [n]i64) (t : i64) =
  let (strips_1 : i64) = n / 64
  let (threads_1 : i64) = max(min(strips_1, 4), 1)
  let (less_3 : i64) = (strips_1 - 1) / threads_1
  let (view_17 : [64*strips_1]i64) = xs[0 : 64*strips_1]
  let (view_18 : [strips_1][64]i64) = reshape [strips_1][64] view_17
  let (part_6 : [threads_1][64]i64) =
    kernel t_21 < threads_1, lane_1 < 64 do
      let (lo_17 : i64) = less_3 * t_21 + t_21
      let (count_1 : i64) = max(min(strips_1 - lo_17, less_3 + 1), 0)
      let (view_19 : [count_1][64]i64) = view_18[lo_17 : count_1, 0 : 64]
      let (acc_43 : i64) =
        loop (acc_42 : i64) = 0 for j1_29 < count_1 do
          let (j1_30 : i64) = 64 * j1_29 + lane_1 + 64 * lo_17
          let (u1_15 : i64) = view_19[j1_29, lane_1]
          let (c1_20 : i64) = acc_42 + u1_15
          in (c1_20)
      in (acc_43)
  let (lanes_1 : [64]i64) =
    kernel lane_2 < 64 do
      let (acc_45 : i64) =
        loop (acc_44 : i64) = 0 for t_23 < threads_1 do
          let (p_14 : i64) = part_6[t_23, lane_2]
          let (c1_21 : i64) = acc_44 + p_14
          in (c1_21)
      in (acc_45)
  let (acc_47 : i64) =
    loop (acc_46 : i64) = 0 for lane_4 < 64 do
      let (p_16 : i64) = lanes_1[lane_4]
      let (c1_22 : i64) = acc_46 + p_16
      in (c1_22)
  let (lo_18 : i64) = 64 * strips_1
  let (view_20 : [n - 64*strips_1]i64) = xs[lo_18 : n - 64*strips_1]
  let (total : i64) =
    loop (acc_48 : i64) = acc_47 for j1_31 < n - 64*strips_1 do
      let (j1_32 : i64) = j1_31 + lo_18
      let (u1_16 : i64) = view_20[j1_31]
      let (c1_23 : i64) = acc_48 + u1_16
      in (c1_23)
  let (chunk_6 : i64) = n / 4
  let (part_7 : [4]i64) =
    kernel t_24 < 4 do
      let (lo_19 : i64) = chunk_6 * t_24
      let (view_21 : [chunk_6]i64) = ys[lo_19 : chunk_6]
      let (acc_50 : i64) =
        loop (acc_49 : i64) = 0 for j2_5 < chunk_6 do
          let (j2_6 : i64) = j2_5 + lo_19
          let (u2_3 : i64) = view_21[j2_5]
          let (c2_3 : i64) = acc_49 + u2_3
          in (c2_3)
      in (acc_50)
  let (scanned_77 : [4]i64) = scratch [4]i64
  let (scanned_80 : [4]i64) (acc_52 : i64) =
    loop (scanned_78 : *[4]i64) = scanned_77, (acc_51 : i64) = 0 for t_26 < 4 do
      let (p_18 : i64) = part_7[t_26]
      let (c2_4 : i64) = acc_51 + p_18
      let (scanned_79 : [4]i64) = scanned_78 with [t_26] = acc_51
      in (scanned_79, c2_4)
  let (upto_10 : [4][chunk_6]i64) =
    kernel t_27 < 4 do
      let (lo_20 : i64) = chunk_6 * t_27
      let (start_6 : i64) = scanned_80[t_27]
      let (scanned_81 : [chunk_6]i64) = scratch [chunk_6]i64
      let (view_22 : [chunk_6]i64) = ys[lo_20 : chunk_6]
      let (scanned_84 : [chunk_6]i64) (acc_54 : i64) =
        loop (scanned_82 : *[chunk_6]i64) = scanned_81, (acc_53 : i64) = start_6
            for j2_7 < chunk_6 do
          let (j2_8 : i64) = j2_7 + lo_20
          let (u2_4 : i64) = view_22[j2_7]
          let (c2_5 : i64) = acc_53 + u2_4
          let (scanned_83 : [chunk_6]i64) = scanned_82 with [j2_7] = c2_5
          in (scanned_83, c2_5)
      in (scanned_84)
  let (lo_21 : i64) = 4 * chunk_6
  let (scanned_85 : [-4*chunk_6 + n]i64) = scratch [-4*chunk_6 + n]i64
  let (view_23 : [-4*chunk_6 + n]i64) = ys[lo_21 : -4*chunk_6 + n]
  let (scanned_88 : [-4*chunk_6 + n]i64) (acc_56 : i64) =
    loop (scanned_86 : *[-4*chunk_6 + n]i64) = scanned_85, (acc_55 : i64) = acc_52
        for j2_9 < -4*chunk_6 + n do
      let (j2_10 : i64) = j2_9 + lo_21
      let (u2_5 : i64) = view_23[j2_9]
      let (c2_6 : i64) = acc_55 + u2_5
      let (scanned_87 : [-4*chunk_6 + n]i64) = scanned_86 with [j2_9] = c2_6
      in (scanned_87, c2_6)
  let (upto_11 : [4*chunk_6]i64) = reshape [4*chunk_6] upto_10
  let (upto : [n]i64) = concat 0 upto_11 scanned_88
  in (upto, total)

entry scanned_only [n] (xs : [n]i64) -> (r : [n]i64) (t : i64) =
  let (chunk_7 : i64) = n / 4
  let (part_8 : [4]i64) =
    kernel t_28 < 4 do
      let (lo_22 : i64) = chunk_7 * t_28
      let (view_24 : [chunk_7]i64) = xs[lo_22 : chunk_7]
      let (acc_58 : i64) =
        loop (acc_57 : i64) = 0 for j1_33 < chunk_7 do
          let (j1_34 : i64) = j1_33 + lo_22
          let (u1_17 : i64) = view_24[j1_33]
          let (c1_24 : i64) = acc_57 + u1_17
          in (c1_24)
      in (acc_58)
  let (scanned_89 : [4]i64) = scratch [4]i64
  let (scanned_92 : [4]i64) (acc_60 : i64) =
    loop (scanned_90 : *[4]i64) = scanned_89, (acc_59 : i64) = 0 for t_30 < 4 do
      let (p_20 : i64) = part_8[t_30]
      let (c1_25 : i64) = acc_59 + p_20
      let (scanned_91 : [4]i64) = scanned_90 with [t_30] = acc_59
      in (scanned_91, c1_25)
  let (lo_23 : i64) = 4 * chunk_7
  let (view_25 : [-4*chunk_7 + n]i64) = xs[lo_23 : -4*chunk_7 + n]
  let (total : i64) =
    loop (acc_61 : i64) = acc_60 for j1_35 < -4*chunk_7 + n do
      let (j1_36 : i64) = j1_35 + lo_23
      let (u1_18 : i64) = view_25[j1_35]
      let (c1_26 : i64) = acc_61 + u1_18
      in (c1_26)
  let (upto_12 : [4][chunk_7]i64) =
    kernel t_31 < 4 do
      let (lo_24 : i64) = chunk_7 * t_31
      let (start_7 : i64) = scanned_92[t_31]
      let (scanned_93 : [chunk_7]i64) = scratch [chunk_7]i64
      let (view_26 : [chunk_7]i64) = xs[lo_24 : chunk_7]
      let (scanned_96 : [chunk_7]i64) (acc_63 : i64) =
        loop (scanned_94 : *[chunk_7]i64) = scanned_93, (acc_62 : i64) = start_7
            for j2_11 < chunk_7 do
          let (j2_12 : i64) = j2_11 + lo_24
          let (u2_6 : i64) = view_26[j2_11]
          let (c2_7 : i64) = acc_62 + u2_6
          let (scanned_95 : [chunk_7]i64) = scanned_94 with [j2_11] = c2_7
          in (scanned_95, c2_7)
      in (scanned_96)
  let (lo_25 : i64) = 4 * chunk_7
  let (scanned_97 : [-4*chunk_7 + n]i64) = scratch [-4*chunk_7 + n]i64
  let (view_27 : [-4*chunk_7 + n]i64) = xs[lo_25 : -4*chunk_7 + n]
  let (scanned_100 : [-4*chunk_7 + n]i64) (acc_65 : i64) =
    loop (scanned_98 : *[-4*chunk_7 + n]i64) = scanned_97, (acc_64 : i64) = acc_60
        for j2_13 < -4*chunk_7 + n do
      let (j2_14 : i64) = j2_13 + lo_25
      let (u2_7 : i64) = view_27[j2_13]
      let (c2_8 : i64) = acc_64 + u2_7
      let (scanned_99 : [-4*chunk_7 + n]i64) = scanned_98 with [j2_13] = c2_8
      in (scanned_99, c2_8)
  let (upto_13 : [4*chunk_7]i64) = reshape [4*chunk_7] upto_12
  let (upto : [n]i64) = concat 0 upto_13 scanned_100
  in (upto, total)
