entry sum [n] (xs : [n]i32) -> (r : i32) =
  let (s : i32) =
    kernel i < n reduce comm
      (\(a : i32) (b : i32) ->
        let (c : i32) = a + b
        in (c)) (0i32)
    do
      let (x : i32) = xs[i]
      in (x)
  in (s)

entry known [n] (xs : [n]i64) (ys : [n]i64) -> (ra : i64) (rb : i64) =
  let (sa : i64) (sb : i64) =
    kernel i < n reduce
      (\(a1 : i64) (b1 : i64) (a2 : i64) (b2 : i64) ->
        let (a3 : i64) = a1 + a2
        let (b3 : i64) = max(b2, b1)
        in (a3, b3)) (0, -100)
    do
      let (x : i64) = xs[i]
      let (y : i64) = ys[i]
      let (z : i64) = x * y - i
      in (z, y)
  in (sa, sb)

entry triple [n] (rows : [n][3]i8) -> (r : i8) =
  let (xs : [3*n]i8) = reshape [3*n] rows
  let (s : i8) =
    kernel i < 3*n reduce
      (\(a : i8) (b : i8) ->
        let (c : i8) = a + b
        in (c)) (0i8)
    do
      let (x : i8) = xs[i]
      in (x)
  in (s)

entry crossed [n] (xs : [n]i64) -> (ra : i64) (rb : i64) =
  let (sa : i64) (sb : i64) =
    kernel i < n reduce
      (\(a1 : i64) (b1 : i64) (a2 : i64) (b2 : i64) ->
        let (a3 : i64) = a1 + b2
        let (b3 : i64) = b1 + b2
        in (a3, b3)) (0, 0)
    do
      let (x : i64) = xs[i]
      in (x, x)
  in (sa, sb)

entry quotient [n] (xs : [n]i64) -> (r : i64) =
  let (s : i64) =
    kernel i < n reduce comm
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (x : i64) = xs[i]
      let (y : i64) = 100 / (x * x + 1)
      in (y)
  in (s)

entry choice [n] (xs : [n]i32) -> (r : i32) =
  let (s : i32) =
    kernel i < n reduce comm
      (\(a : i32) (b : i32) ->
        let (less : bool) = a < b
        let (c : i32) =
          if less then
            in (a)
          else
            let (d : i32) = b + 0i32
            in (d)
        in (c)) (100i32)
    do
      let (x : i32) = xs[i]
      in (x)
  in (s)

entry quotient_chosen [n] (xs : [n]i32) -> (r : i32) =
  let (s : i32) =
    kernel i < n reduce comm
      (\(a : i32) (b : i32) ->
        let (less : bool) = a < b
        let (c : i32) =
          if less then
            in (a)
          else
            let (d : i32) = b / 1i32
            in (d)
        in (c)) (100i32)
    do
      let (x : i32) = xs[i]
      in (x)
  in (s)

-- schedule{threads=4} -->

entry sum [n] (xs : [n]i32) -> (r : i32) =
  let (strips_1 : i64) = n / 64
  let (threads_1 : i64) = max(min(strips_1, 4), 1)
  let (less_1 : i64) = (strips_1 - 1) / threads_1
  let (view_1 : [64*strips_1]i32) = xs[0 : 64*strips_1]
  let (view_2 : [strips_1][64]i32) = reshape [strips_1][64] view_1
  let (part_1 : [threads_1][64]i32) =
    kernel t_1 < threads_1, lane_1 < 64 do
      let (lo_1 : i64) = less_1 * t_1 + t_1
      let (count_1 : i64) = max(min(strips_1 - lo_1, less_1 + 1), 0)
      let (view_3 : [count_1][64]i32) = view_2[lo_1 : count_1, 0 : 64]
      let (acc_2 : i32) =
        loop (acc_1 : i32) = 0i32 for i_1 < count_1 do
          let (i_2 : i64) = 64 * i_1 + lane_1 + 64 * lo_1
          let (x_1 : i32) = view_3[i_1, lane_1]
          let (c_1 : i32) = acc_1 + x_1
          in (c_1)
      in (acc_2)
  let (lanes_1 : [64]i32) =
    kernel lane_2 < 64 do
      let (acc_4 : i32) =
        loop (acc_3 : i32) = 0i32 for t_3 < threads_1 do
          let (p_2 : i32) = part_1[t_3, lane_2]
          let (c_2 : i32) = acc_3 + p_2
          in (c_2)
      in (acc_4)
  let (acc_6 : i32) =
    loop (acc_5 : i32) = 0i32 for lane_4 < 64 do
      let (p_4 : i32) = lanes_1[lane_4]
      let (c_3 : i32) = acc_5 + p_4
      in (c_3)
  let (lo_2 : i64) = 64 * strips_1
  let (view_4 : [n - 64*strips_1]i32) = xs[lo_2 : n - 64*strips_1]
  let (s : i32) =
    loop (acc_7 : i32) = acc_6 for i_3 < n - 64*strips_1 do
      let (i_4 : i64) = i_3 + lo_2
      let (x_2 : i32) = view_4[i_3]
      let (c_4 : i32) = acc_7 + x_2
      in (c_4)
  in (s)

entry known [n] (xs : [n]i64) (ys : [n]i64) -> (ra : i64) (rb : i64) =
  let (strips_2 : i64) = n / 64
  let (threads_2 : i64) = max(min(strips_2, 4), 1)
  let (less_2 : i64) = (strips_2 - 1) / threads_2
  let (view_5 : [64*strips_2]i64) = xs[0 : 64*strips_2]
  let (view_6 : [strips_2][64]i64) = reshape [strips_2][64] view_5
  let (view_7 : [64*strips_2]i64) = ys[0 : 64*strips_2]
  let (view_8 : [strips_2][64]i64) = reshape [strips_2][64] view_7
  let (part_2 : [threads_2][64]i64) (part_3 : [threads_2][64]i64) =
    kernel t_4 < threads_2, lane_5 < 64 do
      let (lo_3 : i64) = less_2 * t_4 + t_4
      let (count_2 : i64) = max(min(strips_2 - lo_3, less_2 + 1), 0)
      let (view_9 : [count_2][64]i64) = view_6[lo_3 : count_2, 0 : 64]
      let (view_10 : [count_2][64]i64) = view_8[lo_3 : count_2, 0 : 64]
      let (acc_10 : i64) (acc_11 : i64) =
        loop (acc_8 : i64) = 0, (acc_9 : i64) = -100 for i_5 < count_2 do
          let (i_6 : i64) = 64 * i_5 + lane_5 + 64 * lo_3
          let (x_3 : i64) = view_9[i_5, lane_5]
          let (y_1 : i64) = view_10[i_5, lane_5]
          let (z_1 : i64) = x_3 * y_1 - i_6
          let (a3_1 : i64) = acc_8 + z_1
          let (b3_1 : i64) = max(y_1, acc_9)
          in (a3_1, b3_1)
      in (acc_10, acc_11)
  let (lanes_2 : [64]i64) (lanes_3 : [64]i64) =
    kernel lane_6 < 64 do
      let (acc_14 : i64) (acc_15 : i64) =
        loop (acc_12 : i64) = 0, (acc_13 : i64) = -100 for t_6 < threads_2 do
          let (p_7 : i64) = part_2[t_6, lane_6]
          let (p_8 : i64) = part_3[t_6, lane_6]
          let (a3_2 : i64) = acc_12 + p_7
          let (b3_2 : i64) = max(p_8, acc_13)
          in (a3_2, b3_2)
      in (acc_14, acc_15)
  let (acc_18 : i64) (acc_19 : i64) =
    loop (acc_16 : i64) = 0, (acc_17 : i64) = -100 for lane_8 < 64 do
      let (p_11 : i64) = lanes_2[lane_8]
      let (p_12 : i64) = lanes_3[lane_8]
      let (a3_3 : i64) = acc_16 + p_11
      let (b3_3 : i64) = max(p_12, acc_17)
      in (a3_3, b3_3)
  let (lo_4 : i64) = 64 * strips_2
  let (view_11 : [n - 64*strips_2]i64) = xs[lo_4 : n - 64*strips_2]
  let (view_12 : [n - 64*strips_2]i64) = ys[lo_4 : n - 64*strips_2]
  let (sa : i64) (sb : i64) =
    loop (acc_20 : i64) = acc_18, (acc_21 : i64) = acc_19 for i_7 < n - 64*strips_2 do
      let (i_8 : i64) = i_7 + lo_4
      let (x_4 : i64) = view_11[i_7]
      let (y_2 : i64) = view_12[i_7]
      let (z_2 : i64) = x_4 * y_2 - i_8
      let (a3_4 : i64) = acc_20 + z_2
      let (b3_4 : i64) = max(y_2, acc_21)
      in (a3_4, b3_4)
  in (sa, sb)

entry triple [n] (rows : [n][3]i8) -> (r : i8) =
  let (xs : [3*n]i8) = reshape [3*n] rows
  let (counted_1 : i64) = max(3 * n, 0)
  let (strips_3 : i64) = counted_1 / 64
  let (threads_3 : i64) = max(min(strips_3, 4), 1)
  let (less_3 : i64) = (strips_3 - 1) / threads_3
  let (view_13 : [64*strips_3]i8) = xs[0 : 64*strips_3]
  let (view_14 : [strips_3][64]i8) = reshape [strips_3][64] view_13
  let (part_4 : [threads_3][64]i8) =
    kernel t_7 < threads_3, lane_9 < 64 do
      let (lo_5 : i64) = less_3 * t_7 + t_7
      let (count_3 : i64) = max(min(strips_3 - lo_5, less_3 + 1), 0)
      let (view_15 : [count_3][64]i8) = view_14[lo_5 : count_3, 0 : 64]
      let (acc_23 : i8) =
        loop (acc_22 : i8) = 0i8 for i_9 < count_3 do
          let (i_10 : i64) = 64 * i_9 + lane_9 + 64 * lo_5
          let (x_5 : i8) = view_15[i_9, lane_9]
          let (c_5 : i8) = acc_22 + x_5
          in (c_5)
      in (acc_23)
  let (lanes_4 : [64]i8) =
    kernel lane_10 < 64 do
      let (acc_25 : i8) =
        loop (acc_24 : i8) = 0i8 for t_9 < threads_3 do
          let (p_14 : i8) = part_4[t_9, lane_10]
          let (c_6 : i8) = acc_24 + p_14
          in (c_6)
      in (acc_25)
  let (acc_27 : i8) =
    loop (acc_26 : i8) = 0i8 for lane_12 < 64 do
      let (p_16 : i8) = lanes_4[lane_12]
      let (c_7 : i8) = acc_26 + p_16
      in (c_7)
  let (lo_6 : i64) = 64 * strips_3
  let (view_16 : [3*n - 64*strips_3]i8) = xs[lo_6 : 3*n - 64*strips_3]
  let (s : i8) =
    loop (acc_28 : i8) = acc_27 for i_11 < 3*n - 64*strips_3 do
      let (i_12 : i64) = i_11 + lo_6
      let (x_6 : i8) = view_16[i_11]
      let (c_8 : i8) = acc_28 + x_6
      in (c_8)
  in (s)

entry crossed [n] (xs : [n]i64) -> (ra : i64) (rb : i64) =
  let (less_4 : i64) = (n - 1) / 4
  let (part_5 : [4]i64) (part_6 : [4]i64) =
    kernel t_10 < 4 do
      let (lo_7 : i64) = less_4 * t_10 + t_10
      let (count_4 : i64) = max(min(n - lo_7, less_4 + 1), 0)
      let (view_17 : [count_4]i64) = xs[lo_7 : count_4]
      let (acc_31 : i64) (acc_32 : i64) =
        loop (acc_29 : i64) = 0, (acc_30 : i64) = 0 for i_13 < count_4 do
          let (i_14 : i64) = i_13 + lo_7
          let (x_7 : i64) = view_17[i_13]
          let (a3_5 : i64) = acc_29 + x_7
          let (b3_5 : i64) = acc_30 + x_7
          in (a3_5, b3_5)
      in (acc_31, acc_32)
  let (sa : i64) (sb : i64) =
    loop (acc_33 : i64) = 0, (acc_34 : i64) = 0 for t_12 < 4 do
      let (p_19 : i64) = part_5[t_12]
      let (p_20 : i64) = part_6[t_12]
      let (a3_6 : i64) = acc_33 + p_20
      let (b3_6 : i64) = acc_34 + p_20
      in (a3_6, b3_6)
  in (sa, sb)

entry quotient [n] (xs : [n]i64) -> (r : i64) =
  let (less_5 : i64) = (n - 1) / 4
  let (part_7 : [4]i64) =
    kernel t_13 < 4 do
      let (lo_8 : i64) = less_5 * t_13 + t_13
      let (count_5 : i64) = max(min(n - lo_8, less_5 + 1), 0)
      let (view_18 : [count_5]i64) = xs[lo_8 : count_5]
      let (acc_36 : i64) =
        loop (acc_35 : i64) = 0 for i_15 < count_5 do
          let (i_16 : i64) = i_15 + lo_8
          let (x_8 : i64) = view_18[i_15]
          let (y_3 : i64) = 100 / (x_8 * x_8 + 1)
          let (c_9 : i64) = acc_35 + y_3
          in (c_9)
      in (acc_36)
  let (s : i64) =
    loop (acc_37 : i64) = 0 for t_15 < 4 do
      let (p_22 : i64) = part_7[t_15]
      let (c_10 : i64) = acc_37 + p_22
      in (c_10)
  in (s)

entry choice [n] (xs : [n]i32) -> (r : i32) =
  let (strips_4 : i64) = n / 64
  let (threads_4 : i64) = max(min(strips_4, 4), 1)
  let (less_6 : i64) = (strips_4 - 1) / threads_4
  let (view_19 : [64*strips_4]i32) = xs[0 : 64*strips_4]
  let (view_20 : [strips_4][64]i32) = reshape [strips_4][64] view_19
  let (part_8 : [threads_4][64]i32) =
    kernel t_16 < threads_4, lane_13 < 64 do
      let (lo_9 : i64) = less_6 * t_16 + t_16
      let (count_6 : i64) = max(min(strips_4 - lo_9, less_6 + 1), 0)
      let (view_21 : [count_6][64]i32) = view_20[lo_9 : count_6, 0 : 64]
      let (acc_39 : i32) =
        loop (acc_38 : i32) = 100i32 for i_17 < count_6 do
          let (i_18 : i64) = 64 * i_17 + lane_13 + 64 * lo_9
          let (x_9 : i32) = view_21[i_17, lane_13]
          let (less_7 : bool) = acc_38 < x_9
          let (c_11 : i32) =
            if less_7 then
              in (acc_38)
            else
              let (d_1 : i32) = x_9 + 0i32
              in (d_1)
          in (c_11)
      in (acc_39)
  let (lanes_5 : [64]i32) =
    kernel lane_14 < 64 do
      let (acc_41 : i32) =
        loop (acc_40 : i32) = 100i32 for t_18 < threads_4 do
          let (p_24 : i32) = part_8[t_18, lane_14]
          let (less_8 : bool) = acc_40 < p_24
          let (c_12 : i32) =
            if less_8 then
              in (acc_40)
            else
              let (d_2 : i32) = p_24 + 0i32
              in (d_2)
          in (c_12)
      in (acc_41)
  let (acc_43 : i32) =
    loop (acc_42 : i32) = 100i32 for lane_16 < 64 do
      let (p_26 : i32) = lanes_5[lane_16]
      let (less_9 : bool) = acc_42 < p_26
      let (c_13 : i32) =
        if less_9 then
          in (acc_42)
        else
          let (d_3 : i32) = p_26 + 0i32
          in (d_3)
      in (c_13)
  let (lo_10 : i64) = 64 * strips_4
  let (view_22 : [n - 64*strips_4]i32) = xs[lo_10 : n - 64*strips_4]
  let (s : i32) =
    loop (acc_44 : i32) = acc_43 for i_19 < n - 64*strips_4 do
      let (i_20 : i64) = i_19 + lo_10
      let (x_10 : i32) = view_22[i_19]
      let (less_10 : bool) = acc_44 < x_10
      let (c_14 : i32) =
        if less_10 then
          in (acc_44)
        else
          let (d_4 : i32) = x_10 + 0i32
          in (d_4)
      in (c_14)
  in (s)

entry quotient_chosen [n] (xs : [n]i32) -> (r : i32) =
  let (less_11 : i64) = (n - 1) / 4
  let (part_9 : [4]i32) =
    kernel t_19 < 4 do
      let (lo_11 : i64) = less_11 * t_19 + t_19
      let (count_7 : i64) = max(min(n - lo_11, less_11 + 1), 0)
      let (view_23 : [count_7]i32) = xs[lo_11 : count_7]
      let (acc_46 : i32) =
        loop (acc_45 : i32) = 100i32 for i_21 < count_7 do
          let (i_22 : i64) = i_21 + lo_11
          let (x_11 : i32) = view_23[i_21]
          let (less_12 : bool) = acc_45 < x_11
          let (c_15 : i32) =
            if less_12 then
              in (acc_45)
            else
              let (d_5 : i32) = x_11 / 1i32
              in (d_5)
          in (c_15)
      in (acc_46)
  let (s : i32) =
    loop (acc_47 : i32) = 100i32 for t_21 < 4 do
      let (p_28 : i32) = part_9[t_21]
      let (less_13 : bool) = acc_47 < p_28
      let (c_16 : i32) =
        if less_13 then
          in (acc_47)
        else
          let (d_6 : i32) = p_28 / 1i32
          in (d_6)
      in (c_16)
  in (s)
