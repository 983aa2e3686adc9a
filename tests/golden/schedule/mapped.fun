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
  let (value_1 : [n]i32) (d : [n]i32) =
    kernel i < n do
      let (x : i32) = xs[i]
      let (e : i32) = x * 2i32
      in (x, e)
  let (chunk_1 : i64) = (n + 3) / 4
  let (part_1 : [4]i32) =
    kernel t_1 < 4 do
      let (lo_1 : i64) = chunk_1 * t_1
      let (count_1 : i64) = max(min(n - lo_1, chunk_1), 0)
      let (acc_2 : i32) =
        loop (acc_1 : i32) = 0i32 for i_2 < count_1 do
          let (i_3 : i64) = i_2 + lo_1
          let (v_2 : i32) = value_1[i_3]
          let (c_1 : i32) = acc_1 + v_2
          in (c_1)
      in (acc_2)
  let (s : i32) =
    loop (acc_3 : i32) = 0i32 for t_3 < 4 do
      let (p_2 : i32) = part_1[t_3]
      let (c_2 : i32) = acc_3 + p_2
      in (c_2)
  in (s, d)

entry scanned [n] [m] (xs : [n][m]i32) -> (r : [n]i32) (y : [n][m]i32) =
  let (value_2 : [n]i32) (d : [n][m]i32) =
    kernel i < n do
      let (len : i32) = i32(m)
      let (row : [m]i32) = xs[i, m - 1 : m : -1]
      in (len, row)
  let (chunk_2 : i64) = n / 4
  let (part_2 : [4]i32) =
    kernel t_4 < 4 do
      let (lo_2 : i64) = chunk_2 * t_4
      let (acc_5 : i32) =
        loop (acc_4 : i32) = 0i32 for i_5 < chunk_2 do
          let (i_6 : i64) = i_5 + lo_2
          let (v_4 : i32) = value_2[i_6]
          let (c_3 : i32) = acc_4 + v_4
          in (c_3)
      in (acc_5)
  let (scanned_1 : [4]i32) = scratch [4]i32
  let (scanned_4 : [4]i32) (acc_7 : i32) =
    loop (scanned_2 : *[4]i32) = scanned_1, (acc_6 : i32) = 0i32 for t_6 < 4 do
      let (p_4 : i32) = part_2[t_6]
      let (c_4 : i32) = acc_6 + p_4
      let (scanned_3 : [4]i32) = scanned_2 with [t_6] = acc_6
      in (scanned_3, c_4)
  let (s_1 : [4][chunk_2]i32) =
    kernel t_7 < 4 do
      let (lo_3 : i64) = chunk_2 * t_7
      let (start_1 : i32) = scanned_4[t_7]
      let (scanned_5 : [chunk_2]i32) = scratch [chunk_2]i32
      let (scanned_8 : [chunk_2]i32) (acc_9 : i32) =
        loop (scanned_6 : *[chunk_2]i32) = scanned_5, (acc_8 : i32) = start_1 for i_7 < chunk_2 do
          let (i_8 : i64) = i_7 + lo_3
          let (v_5 : i32) = value_2[i_8]
          let (c_5 : i32) = acc_8 + v_5
          let (scanned_7 : [chunk_2]i32) = scanned_6 with [i_7] = c_5
          in (scanned_7, c_5)
      in (scanned_8)
  let (lo_4 : i64) = 4 * chunk_2
  let (scanned_9 : [-4*chunk_2 + n]i32) = scratch [-4*chunk_2 + n]i32
  let (scanned_12 : [-4*chunk_2 + n]i32) (acc_11 : i32) =
    loop (scanned_10 : *[-4*chunk_2 + n]i32) = scanned_9, (acc_10 : i32) = acc_7
        for i_9 < -4*chunk_2 + n do
      let (i_10 : i64) = i_9 + lo_4
      let (v_6 : i32) = value_2[i_10]
      let (c_6 : i32) = acc_10 + v_6
      let (scanned_11 : [-4*chunk_2 + n]i32) = scanned_10 with [i_9] = c_6
      in (scanned_11, c_6)
  let (s_2 : [4*chunk_2]i32) = reshape [4*chunk_2] s_1
  let (s : [n]i32) = concat 0 s_2 scanned_12
  in (s, d)

entry histogram [n] [w] (h : *[w]i32) (xs : [n]i64) -> (r : [w]i32) (y : [n]bool) (z : [n]i64) =
  let (value_3 : [n]i64) (value_4 : [n]i32) (d : [n]bool) (e : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (inside : bool) = 0 <= x && x < w
      in (x, 1i32, inside, i)
  let (private_1 : i64) = n / max(w, 1)
  let (threads_1 : i64) = max(min(private_1, 4), 1)
  let (chunk_3 : i64) = (n + threads_1 - 1) / threads_1
  let (part_3 : [threads_1][w]i32) =
    kernel t_8 < threads_1 do
      let (lo_5 : i64) = chunk_3 * t_8
      let (count_2 : i64) = max(min(n - lo_5, chunk_3), 0)
      let (buckets_1 : [w]i32) = replicate [w] 0i32
      let (buckets_5 : [w]i32) =
        loop (buckets_2 : *[w]i32) = buckets_1 for i_12 < count_2 do
          let (i_13 : i64) = i_12 + lo_5
          let (v_9 : i64) = value_3[i_13]
          let (v_10 : i32) = value_4[i_13]
          let (inside_1 : bool) = 0 <= v_9 && v_9 < w
          let (buckets_4 : [w]i32) =
            if inside_1 then
              let (old_1 : i32) = buckets_2[v_9]
              let (c_7 : i32) = old_1 + v_10
              let (buckets_3 : [w]i32) = buckets_2 with [v_9] = c_7
              in (buckets_3)
            else
              in (buckets_2)
          in (buckets_4)
      in (buckets_5)
  let (s : [w]i32) =
    kernel bucket_1 < w do
      let (old_2 : i32) = h[bucket_1]
      let (acc_13 : i32) =
        loop (acc_12 : i32) = old_2 for t_10 < threads_1 do
          let (p_6 : i32) = part_3[t_10, bucket_1]
          let (c_8 : i32) = acc_12 + p_6
          in (c_8)
      in (acc_13)
  in (s, d, e)
