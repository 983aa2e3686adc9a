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

entry compose [n] (as : [n]i64) (bs : [n]i64) -> (ra : i64) (rb : i64) =
  let (sa : i64) (sb : i64) =
    kernel i < n reduce
      (\(a1 : i64) (b1 : i64) (a2 : i64) (b2 : i64) ->
        let (a3 : i64) = a1 * a2
        let (b3 : i64) = a2 * b1 + b2
        in (a3, b3)) (1, 0)
    do
      let (a : i64) = as[i]
      let (b : i64) = bs[i]
      in (a, b)
  in (sa, sb)

entry first [n] [m] (xs : [n][m]i32) -> (r : [m]i32) =
  let (zeros : [m]i32) = replicate [m] 0i32
  let (s : [m]i32) =
    kernel i < n reduce
      (\(a : [m]i32) (b : [m]i32) ->
        let (some : bool) =
          kernel j < m reduce comm
            (\(p : bool) (q : bool) ->
              let (pq : bool) = p || q
              in (pq)) (false)
          do
            let (u : i32) = a[j]
            let (nonzero : bool) = u != 0i32
            in (nonzero)
        let (c : [m]i32) =
          if some then
            in (a)
          else
            in (b)
        in (c)) (zeros)
    do
      let (row : [m]i32) = xs[i, 0 : m]
      in (row)
  let (own : [m]i32) = s with [0 : m] = zeros
  in (own)

entry weighted [n] (k : i64) (xs : [n]i64) -> (r : i64) =
  let (s : i64) =
    loop (acc : i64) = 0 for t < k do
      let (odd : bool) = acc % 2 == 1
      let (next : i64) =
        if odd then
          let (dot : i64) =
            kernel i < n reduce
              (\(a : i64) (b : i64) ->
                let (c : i64) = a + b
                in (c)) (0)
            do
              let (x : i64) = xs[i]
              let (y : i64) = x * (i + 1)
              in (y)
          in (dot)
        else
          let (more : i64) = acc + t + 1
          in (more)
      in (next)
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

entry compose [n] (as : [n]i64) (bs : [n]i64) -> (ra : i64) (rb : i64) =
  let (less_2 : i64) = (n - 1) / 4
  let (part_2 : [4]i64) (part_3 : [4]i64) =
    kernel t_4 < 4 do
      let (lo_3 : i64) = less_2 * t_4 + t_4
      let (count_2 : i64) = max(min(n - lo_3, less_2 + 1), 0)
      let (view_5 : [count_2]i64) = as[lo_3 : count_2]
      let (view_6 : [count_2]i64) = bs[lo_3 : count_2]
      let (acc_10 : i64) (acc_11 : i64) =
        loop (acc_8 : i64) = 1, (acc_9 : i64) = 0 for i_5 < count_2 do
          let (i_6 : i64) = i_5 + lo_3
          let (a_5 : i64) = view_5[i_5]
          let (b_5 : i64) = view_6[i_5]
          let (a3_1 : i64) = acc_8 * a_5
          let (b3_1 : i64) = a_5 * acc_9 + b_5
          in (a3_1, b3_1)
      in (acc_10, acc_11)
  let (sa : i64) (sb : i64) =
    loop (acc_12 : i64) = 1, (acc_13 : i64) = 0 for t_6 < 4 do
      let (p_7 : i64) = part_2[t_6]
      let (p_8 : i64) = part_3[t_6]
      let (a3_2 : i64) = acc_12 * p_7
      let (b3_2 : i64) = p_7 * acc_13 + p_8
      in (a3_2, b3_2)
  in (sa, sb)

entry first [n] [m] (xs : [n][m]i32) -> (r : [m]i32) =
  let (zeros : [m]i32) = replicate [m] 0i32
  let (less_3 : i64) = (n - 1) / 4
  let (part_4 : [4][m]i32) =
    kernel t_7 < 4 do
      let (lo_4 : i64) = less_3 * t_7 + t_7
      let (count_3 : i64) = max(min(n - lo_4, less_3 + 1), 0)
      let (view_7 : [count_3][m]i32) = xs[lo_4 : count_3, 0 : m]
      let (acc_17 : [m]i32) =
        loop (acc_15 : [m]i32) = zeros for i_7 < count_3 do
          let (i_8 : i64) = i_7 + lo_4
          let (row_1 : [m]i32) = view_7[i_7, 0 : m]
          let (some_1 : bool) =
            loop (acc_16 : bool) = false for j_2 < m do
              let (u_2 : i32) = acc_15[j_2]
              let (nonzero_2 : bool) = u_2 != 0i32
              let (pq_2 : bool) = acc_16 || nonzero_2
              in (pq_2)
          let (c_5 : [m]i32) =
            if some_1 then
              in (acc_15)
            else
              in (row_1)
          in (c_5)
      in (acc_17)
  let (acc_20 : [m]i32) =
    loop (acc_18 : [m]i32) = zeros for t_9 < 4 do
      let (p_11 : [m]i32) = part_4[t_9, 0 : m]
      let (some_2 : bool) =
        loop (acc_19 : bool) = false for j_3 < m do
          let (u_3 : i32) = acc_18[j_3]
          let (nonzero_3 : bool) = u_3 != 0i32
          let (pq_3 : bool) = acc_19 || nonzero_3
          in (pq_3)
      let (c_6 : [m]i32) =
        if some_2 then
          in (acc_18)
        else
          in (p_11)
      in (c_6)
  let (s : [m]i32) = copy acc_20
  let (own : [m]i32) = s with [0 : m] = zeros
  in (own)

entry weighted [n] (k : i64) (xs : [n]i64) -> (r : i64) =
  let (s : i64) =
    loop (acc : i64) = 0 for t < k do
      let (odd : bool) = acc % 2 == 1
      let (next : i64) =
        if odd then
          let (strips_2 : i64) = n / 64
          let (threads_2 : i64) = max(min(strips_2, 4), 1)
          let (less_4 : i64) = (strips_2 - 1) / threads_2
          let (view_8 : [64*strips_2]i64) = xs[0 : 64*strips_2]
          let (view_9 : [strips_2][64]i64) = reshape [strips_2][64] view_8
          let (part_5 : [threads_2][64]i64) =
            kernel t_10 < threads_2, lane_5 < 64 do
              let (lo_5 : i64) = less_4 * t_10 + t_10
              let (count_4 : i64) = max(min(strips_2 - lo_5, less_4 + 1), 0)
              let (view_10 : [count_4][64]i64) = view_9[lo_5 : count_4, 0 : 64]
              let (acc_22 : i64) =
                loop (acc_21 : i64) = 0 for i_9 < count_4 do
                  let (i_10 : i64) = 64 * i_9 + lane_5 + 64 * lo_5
                  let (x_3 : i64) = view_10[i_9, lane_5]
                  let (y_1 : i64) = x_3 * (i_10 + 1)
                  let (c_7 : i64) = acc_21 + y_1
                  in (c_7)
              in (acc_22)
          let (lanes_2 : [64]i64) =
            kernel lane_6 < 64 do
              let (acc_24 : i64) =
                loop (acc_23 : i64) = 0 for t_12 < threads_2 do
                  let (p_13 : i64) = part_5[t_12, lane_6]
                  let (c_8 : i64) = acc_23 + p_13
                  in (c_8)
              in (acc_24)
          let (acc_26 : i64) =
            loop (acc_25 : i64) = 0 for lane_8 < 64 do
              let (p_15 : i64) = lanes_2[lane_8]
              let (c_9 : i64) = acc_25 + p_15
              in (c_9)
          let (lo_6 : i64) = 64 * strips_2
          let (view_11 : [n - 64*strips_2]i64) = xs[lo_6 : n - 64*strips_2]
          let (dot : i64) =
            loop (acc_27 : i64) = acc_26 for i_11 < n - 64*strips_2 do
              let (i_12 : i64) = i_11 + lo_6
              let (x_4 : i64) = view_11[i_11]
              let (y_2 : i64) = x_4 * (i_12 + 1)
              let (c_10 : i64) = acc_27 + y_2
              in (c_10)
          in (dot)
        else
          let (more : i64) = acc + t + 1
          in (more)
      in (next)
  in (s)
