entry counts [n] [w] (h : *[w]i32) (xs : [n]i64) -> (r : [w]i32) =
  let (s : [w]i32) =
    kernel i < n hist (h)
      (\(a : i32) (b : i32) ->
        let (c : i32) = a + b
        in (c)) (0i32)
    do
      let (x : i64) = xs[i]
      in (x, 1i32)
  in (s)

entry extremes [n] [w] (lo : *[w]i32) (hi : *[w]i32) (at : [n]i64) (xs : [n]i32)
    -> (r : [w]i32) (q : [w]i32) =
  let (s : [w]i32) (t : [w]i32) =
    kernel i < n hist (lo, hi)
      (\(a1 : i32) (b1 : i32) (a2 : i32) (b2 : i32) ->
        let (c1 : i32) = min(a1, a2)
        let (c2 : i32) = max(b1, b2)
        in (c1, c2)) (2147483647i32, -2147483648i32)
    do
      let (k : i64) = at[i]
      let (x : i32) = xs[i]
      in (k, x, x)
  in (s, t)

entry rows [n] [m] [w] (h : *[w][m]i32) (at : [n]i64) (xs : [n][m]i32) -> (r : [w][m]i32) =
  let (zeros : [m]i32) = replicate [m] 0i32
  let (s : [w][m]i32) =
    kernel i < n hist (h)
      (\(a : [m]i32) (b : [m]i32) ->
        let (c : [m]i32) =
          kernel j < m do
            let (u : i32) = a[j]
            let (v : i32) = b[j]
            let (x : i32) = u + v
            in (x)
        in (c)) (zeros)
    do
      let (k : i64) = at[i]
      let (row : [m]i32) = xs[i, 0 : m]
      in (k, row)
  in (s)

-- schedule{threads=4} -->

entry counts [n] [w] (h : *[w]i32) (xs : [n]i64) -> (r : [w]i32) =
  let (private_1 : i64) = n / max(w, 1)
  let (threads_1 : i64) = max(min(private_1, 4), 1)
  let (less_1 : i64) = (n - 1) / threads_1
  let (part_1 : [threads_1][w]i32) =
    kernel t_1 < threads_1 do
      let (lo_1 : i64) = less_1 * t_1 + t_1
      let (count_1 : i64) = max(min(n - lo_1, less_1 + 1), 0)
      let (buckets_1 : [w]i32) = replicate [w] 0i32
      let (view_1 : [count_1]i64) = xs[lo_1 : count_1]
      let (buckets_5 : [w]i32) =
        loop (buckets_2 : *[w]i32) = buckets_1 for i_1 < count_1 do
          let (i_2 : i64) = i_1 + lo_1
          let (x_1 : i64) = view_1[i_1]
          let (inside_1 : bool) = 0 <= x_1 && x_1 < w
          let (buckets_4 : [w]i32) =
            if inside_1 then
              let (old_1 : i32) = buckets_2[x_1]
              let (c_1 : i32) = old_1 + 1i32
              let (buckets_3 : [w]i32) = buckets_2 with [x_1] = c_1
              in (buckets_3)
            else
              in (buckets_2)
          in (buckets_4)
      in (buckets_5)
  let (s : [w]i32) =
    kernel bucket_1 < w do
      let (old_2 : i32) = h[bucket_1]
      let (acc_2 : i32) =
        loop (acc_1 : i32) = old_2 for t_3 < threads_1 do
          let (p_2 : i32) = part_1[t_3, bucket_1]
          let (c_2 : i32) = acc_1 + p_2
          in (c_2)
      in (acc_2)
  in (s)

entry extremes [n] [w] (lo : *[w]i32) (hi : *[w]i32) (at : [n]i64) (xs : [n]i32)
    -> (r : [w]i32) (q : [w]i32) =
  let (private_2 : i64) = n / max(w, 1)
  let (threads_2 : i64) = max(min(private_2, 4), 1)
  let (less_2 : i64) = (n - 1) / threads_2
  let (part_2 : [threads_2][w]i32) (part_3 : [threads_2][w]i32) =
    kernel t_4 < threads_2 do
      let (lo_2 : i64) = less_2 * t_4 + t_4
      let (count_2 : i64) = max(min(n - lo_2, less_2 + 1), 0)
      let (buckets_6 : [w]i32) = replicate [w] 2147483647i32
      let (buckets_7 : [w]i32) = replicate [w] -2147483648i32
      let (view_2 : [count_2]i64) = at[lo_2 : count_2]
      let (view_3 : [count_2]i32) = xs[lo_2 : count_2]
      let (buckets_14 : [w]i32) (buckets_15 : [w]i32) =
        loop (buckets_8 : *[w]i32) = buckets_6, (buckets_9 : *[w]i32) = buckets_7
            for i_3 < count_2 do
          let (i_4 : i64) = i_3 + lo_2
          let (k_1 : i64) = view_2[i_3]
          let (x_2 : i32) = view_3[i_3]
          let (inside_2 : bool) = 0 <= k_1 && k_1 < w
          let (buckets_12 : [w]i32) (buckets_13 : [w]i32) =
            if inside_2 then
              let (old_3 : i32) = buckets_8[k_1]
              let (old_4 : i32) = buckets_9[k_1]
              let (c1_1 : i32) = min(old_3, x_2)
              let (c2_1 : i32) = max(old_4, x_2)
              let (buckets_10 : [w]i32) = buckets_8 with [k_1] = c1_1
              let (buckets_11 : [w]i32) = buckets_9 with [k_1] = c2_1
              in (buckets_10, buckets_11)
            else
              in (buckets_8, buckets_9)
          in (buckets_12, buckets_13)
      in (buckets_14, buckets_15)
  let (s : [w]i32) (t : [w]i32) =
    kernel bucket_2 < w do
      let (old_5 : i32) = lo[bucket_2]
      let (old_6 : i32) = hi[bucket_2]
      let (acc_5 : i32) (acc_6 : i32) =
        loop (acc_3 : i32) = old_5, (acc_4 : i32) = old_6 for t_6 < threads_2 do
          let (p_5 : i32) = part_2[t_6, bucket_2]
          let (p_6 : i32) = part_3[t_6, bucket_2]
          let (c1_2 : i32) = min(acc_3, p_5)
          let (c2_2 : i32) = max(acc_4, p_6)
          in (c1_2, c2_2)
      in (acc_5, acc_6)
  in (s, t)

entry rows [n] [m] [w] (h : *[w][m]i32) (at : [n]i64) (xs : [n][m]i32) -> (r : [w][m]i32) =
  let (zeros : [m]i32) = replicate [m] 0i32
  let (private_3 : i64) = n / max(w, 1)
  let (threads_3 : i64) = max(min(private_3, 4), 1)
  let (less_3 : i64) = (n - 1) / threads_3
  let (part_4 : [threads_3][w][m]i32) =
    kernel t_7 < threads_3 do
      let (lo_3 : i64) = less_3 * t_7 + t_7
      let (count_3 : i64) = max(min(n - lo_3, less_3 + 1), 0)
      let (buckets_16 : [w][m]i32) = replicate [w] zeros
      let (view_4 : [count_3]i64) = at[lo_3 : count_3]
      let (view_5 : [count_3][m]i32) = xs[lo_3 : count_3, 0 : m]
      let (buckets_20 : [w][m]i32) =
        loop (buckets_17 : *[w][m]i32) = buckets_16 for i_5 < count_3 do
          let (i_6 : i64) = i_5 + lo_3
          let (k_2 : i64) = view_4[i_5]
          let (row_1 : [m]i32) = view_5[i_5, 0 : m]
          let (inside_3 : bool) = 0 <= k_2 && k_2 < w
          let (buckets_19 : [w][m]i32) =
            if inside_3 then
              let (old_7 : [m]i32) = buckets_17[k_2, 0 : m]
              let (old_8 : [m]i32) = copy old_7
              let (c_3 : [m]i32) =
                kernel j_1 < m do
                  let (u_1 : i32) = old_8[j_1]
                  let (v_1 : i32) = row_1[j_1]
                  let (x_3 : i32) = u_1 + v_1
                  in (x_3)
              let (buckets_18 : [w][m]i32) = buckets_17 with [k_2, 0 : m] = c_3
              in (buckets_18)
            else
              in (buckets_17)
          in (buckets_19)
      in (buckets_20)
  let (s : [w][m]i32) =
    kernel bucket_3 < w do
      let (old_9 : [m]i32) = h[bucket_3, 0 : m]
      let (acc_8 : [m]i32) =
        loop (acc_7 : [m]i32) = old_9 for t_9 < threads_3 do
          let (p_8 : [m]i32) = part_4[t_9, bucket_3, 0 : m]
          let (c_4 : [m]i32) =
            kernel j_2 < m do
              let (u_2 : i32) = acc_7[j_2]
              let (v_2 : i32) = p_8[j_2]
              let (x_4 : i32) = u_2 + v_2
              in (x_4)
          in (c_4)
      in (acc_8)
  in (s)
