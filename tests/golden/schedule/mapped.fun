entry reduction [n] (xs : [n]i32) -> (r : i32) (y : [n]i32) =
  let (s : i32) (d : [n]i32) =
    kernel i < n reduce
      (\(a : i32) (b : i32) ->
        let (c : i32) = a + b
        in (c)) (0i32)
    do
      let (x : i32) = xs[i]
      let (e : i32) = x * 2i32
      in (x, e)
  in (s, d)

entry scanned [n] [m] (xs : [n][m]i32) -> (r : [n]i32) (y : [n][m]i32) =
  let (s : [n]i32) (d : [n][m]i32) =
    kernel i < n scan
      (\(a : i32) (b : i32) ->
        let (c : i32) = a + b
        in (c)) (0i32)
    do
      let (len : i32) = i32(m)
      let (row : [m]i32) = xs[i, m - 1 : m : -1]
      in (len, row)
  in (s, d)

entry histogram [n] [w] (h : *[w]i32) (xs : [n]i64) -> (r : [w]i32) (y : [n]bool) (z : [n]i64) =
  let (s : [w]i32) (d : [n]bool) (e : [n]i64) =
    kernel i < n hist (h)
      (\(a : i32) (b : i32) ->
        let (c : i32) = a + b
        in (c)) (0i32)
    do
      let (x : i64) = xs[i]
      let (inside : bool) = 0 <= x && x < w
      in (x, 1i32, inside, i)
  in (s, d, e)

-- schedule{threads=4} -->

entry reduction [n] (xs : [n]i32) -> (r : i32) (y : [n]i32) =
  let (d : [n]i32) =
    kernel i_1 < n do
      let (x_1 : i32) = xs[i_1]
      let (e_1 : i32) = x_1 * 2i32
      in (e_1)
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
        loop (acc_1 : i32) = 0i32 for i_2 < count_1 do
          let (i_3 : i64) = 64 * i_2 + lane_1 + 64 * lo_1
          let (x_2 : i32) = view_3[i_2, lane_1]
          let (e_2 : i32) = x_2 * 2i32
          let (c_1 : i32) = acc_1 + x_2
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
    loop (acc_7 : i32) = acc_6 for i_4 < n - 64*strips_1 do
      let (i_5 : i64) = i_4 + lo_2
      let (x_3 : i32) = view_4[i_4]
      let (e_3 : i32) = x_3 * 2i32
      let (c_4 : i32) = acc_7 + x_3
      in (c_4)
  in (s, d)

entry scanned [n] [m] (xs : [n][m]i32) -> (r : [n]i32) (y : [n][m]i32) =
  let (value_1 : [n]i32) (d : [n][m]i32) =
    kernel i < n do
      let (len : i32) = i32(m)
      let (row : [m]i32) = xs[i, m - 1 : m : -1]
      in (len, row)
  let (chunk_1 : i64) = n / 4
  let (part_2 : [4]i32) =
    kernel t_4 < 4 do
      let (lo_3 : i64) = chunk_1 * t_4
      let (acc_9 : i32) =
        loop (acc_8 : i32) = 0i32 for i_7 < chunk_1 do
          let (i_8 : i64) = i_7 + lo_3
          let (v_2 : i32) = value_1[i_8]
          let (c_5 : i32) = acc_8 + v_2
          in (c_5)
      in (acc_9)
  let (scanned_1 : [4]i32) = scratch [4]i32
  let (scanned_4 : [4]i32) (acc_11 : i32) =
    loop (scanned_2 : *[4]i32) = scanned_1, (acc_10 : i32) = 0i32 for t_6 < 4 do
      let (p_6 : i32) = part_2[t_6]
      let (c_6 : i32) = acc_10 + p_6
      let (scanned_3 : [4]i32) = scanned_2 with [t_6] = acc_10
      in (scanned_3, c_6)
  let (s_1 : [4][chunk_1]i32) =
    kernel t_7 < 4 do
      let (lo_4 : i64) = chunk_1 * t_7
      let (start_1 : i32) = scanned_4[t_7]
      let (scanned_5 : [chunk_1]i32) = scratch [chunk_1]i32
      let (scanned_8 : [chunk_1]i32) (acc_13 : i32) =
        loop (scanned_6 : *[chunk_1]i32) = scanned_5, (acc_12 : i32) = start_1 for i_9 < chunk_1 do
          let (i_10 : i64) = i_9 + lo_4
          let (v_3 : i32) = value_1[i_10]
          let (c_7 : i32) = acc_12 + v_3
          let (scanned_7 : [chunk_1]i32) = scanned_6 with [i_9] = c_7
          in (scanned_7, c_7)
      in (scanned_8)
  let (lo_5 : i64) = 4 * chunk_1
  let (scanned_9 : [-4*chunk_1 + n]i32) = scratch [-4*chunk_1 + n]i32
  let (scanned_12 : [-4*chunk_1 + n]i32) (acc_15 : i32) =
    loop (scanned_10 : *[-4*chunk_1 + n]i32) = scanned_9, (acc_14 : i32) = acc_11
        for i_11 < -4*chunk_1 + n do
      let (i_12 : i64) = i_11 + lo_5
      let (v_4 : i32) = value_1[i_12]
      let (c_8 : i32) = acc_14 + v_4
      let (scanned_11 : [-4*chunk_1 + n]i32) = scanned_10 with [i_11] = c_8
      in (scanned_11, c_8)
  let (s_2 : [4*chunk_1]i32) = reshape [4*chunk_1] s_1
  let (s : [n]i32) = concat 0 s_2 scanned_12
  in (s, d)

entry histogram [n] [w] (h : *[w]i32) (xs : [n]i64) -> (r : [w]i32) (y : [n]bool) (z : [n]i64) =
  let (d : [n]bool) (e : [n]i64) =
    kernel i_13 < n do
      let (x_4 : i64) = xs[i_13]
      let (inside_1 : bool) = 0 <= x_4 && x_4 < w
      in (inside_1, i_13)
  let (private_1 : i64) = n / max(w, 1)
  let (threads_2 : i64) = max(min(private_1, 4), 1)
  let (less_2 : i64) = (n - 1) / threads_2
  let (part_3 : [threads_2][w]i32) =
    kernel t_8 < threads_2 do
      let (lo_6 : i64) = less_2 * t_8 + t_8
      let (count_2 : i64) = max(min(n - lo_6, less_2 + 1), 0)
      let (buckets_1 : [w]i32) = replicate [w] 0i32
      let (view_5 : [count_2]i64) = xs[lo_6 : count_2]
      let (buckets_5 : [w]i32) =
        loop (buckets_2 : *[w]i32) = buckets_1 for i_14 < count_2 do
          let (i_15 : i64) = i_14 + lo_6
          let (x_5 : i64) = view_5[i_14]
          let (inside_2 : bool) = 0 <= x_5 && x_5 < w
          let (inside_3 : bool) = 0 <= x_5 && x_5 < w
          let (buckets_4 : [w]i32) =
            if inside_3 then
              let (old_1 : i32) = buckets_2[x_5]
              let (c_9 : i32) = old_1 + 1i32
              let (buckets_3 : [w]i32) = buckets_2 with [x_5] = c_9
              in (buckets_3)
            else
              in (buckets_2)
          in (buckets_4)
      in (buckets_5)
  let (s : [w]i32) =
    kernel bucket_1 < w do
      let (old_2 : i32) = h[bucket_1]
      let (acc_17 : i32) =
        loop (acc_16 : i32) = old_2 for t_10 < threads_2 do
          let (p_8 : i32) = part_3[t_10, bucket_1]
          let (c_10 : i32) = acc_16 + p_8
          in (c_10)
      in (acc_17)
  in (s, d, e)
