entry top (n : i64) -> (r : i64) =
  let (s : i64) =
    kernel i < n - 1 reduce
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      in (i)
  in (s)

entry scanned (n : i64) -> [k] (r : [k]i64) =
  let (k1 : i64) = n - 1
  let (s : [k1]i64) =
    kernel i < k1 scan
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      in (i)
  in (k1, s)

entry counted [w] (h : *[w]i64) (n : i64) -> (r : [w]i64) =
  let (s : [w]i64) =
    kernel i < n - 1 hist (h)
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      in (i, 1)
  in (s)

entry inner (n : i64) (m : i64) -> [k] (r : [k]i64) =
  let (s : [n]i64) =
    kernel i < n, j < m reduce
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      in (j)
  in (n, s)

entry rows (n : i64) (m : i64) -> (r : i64) =
  let (s : i64) (d : [n][m]i64) =
    kernel i < n reduce
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (row : [m]i64) = iota [m] i 1
      in (i, row)
  in (s)

entry within [n] (xs : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (t : i64) =
        kernel j < x reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          in (j)
      in (t)
  in (s)

-- schedule{threads=4} -->

entry top (n : i64) -> (r : i64) =
  let =
    kernel guard_1 < n - 1, none_1 < 0 do
      in ()
  let (less_1 : i64) = (n - 2) / 4
  let (part_1 : [4]i64) =
    kernel t_1 < 4 do
      let (lo_1 : i64) = less_1 * t_1 + t_1
      let (count_1 : i64) = max(min(n - lo_1 - 1, less_1 + 1), 0)
      let (acc_2 : i64) =
        loop (acc_1 : i64) = 0 for i_1 < count_1 do
          let (i_2 : i64) = i_1 + lo_1
          let (c_1 : i64) = acc_1 + i_2
          in (c_1)
      in (acc_2)
  let (s : i64) =
    loop (acc_3 : i64) = 0 for t_3 < 4 do
      let (p_2 : i64) = part_1[t_3]
      let (c_2 : i64) = acc_3 + p_2
      in (c_2)
  in (s)

entry scanned (n : i64) -> [k] (r : [k]i64) =
  let (k1 : i64) = n - 1
  let =
    kernel guard_2 < k1, none_2 < 0 do
      in ()
  let (chunk_1 : i64) = k1 / 4
  let (part_2 : [4]i64) =
    kernel t_4 < 4 do
      let (lo_2 : i64) = chunk_1 * t_4
      let (acc_5 : i64) =
        loop (acc_4 : i64) = 0 for i_3 < chunk_1 do
          let (i_4 : i64) = i_3 + lo_2
          let (c_3 : i64) = acc_4 + i_4
          in (c_3)
      in (acc_5)
  let (scanned_1 : [4]i64) = scratch [4]i64
  let (scanned_4 : [4]i64) (acc_7 : i64) =
    loop (scanned_2 : *[4]i64) = scanned_1, (acc_6 : i64) = 0 for t_6 < 4 do
      let (p_4 : i64) = part_2[t_6]
      let (c_4 : i64) = acc_6 + p_4
      let (scanned_3 : [4]i64) = scanned_2 with [t_6] = acc_6
      in (scanned_3, c_4)
  let (s_1 : [4][chunk_1]i64) =
    kernel t_7 < 4 do
      let (lo_3 : i64) = chunk_1 * t_7
      let (start_1 : i64) = scanned_4[t_7]
      let (scanned_5 : [chunk_1]i64) = scratch [chunk_1]i64
      let (scanned_8 : [chunk_1]i64) (acc_9 : i64) =
        loop (scanned_6 : *[chunk_1]i64) = scanned_5, (acc_8 : i64) = start_1 for i_5 < chunk_1 do
          let (i_6 : i64) = i_5 + lo_3
          let (c_5 : i64) = acc_8 + i_6
          let (scanned_7 : [chunk_1]i64) = scanned_6 with [i_5] = c_5
          in (scanned_7, c_5)
      in (scanned_8)
  let (lo_4 : i64) = 4 * chunk_1
  let (scanned_9 : [-4*chunk_1 + k1]i64) = scratch [-4*chunk_1 + k1]i64
  let (scanned_12 : [-4*chunk_1 + k1]i64) (acc_11 : i64) =
    loop (scanned_10 : *[-4*chunk_1 + k1]i64) = scanned_9, (acc_10 : i64) = acc_7
        for i_7 < -4*chunk_1 + k1 do
      let (i_8 : i64) = i_7 + lo_4
      let (c_6 : i64) = acc_10 + i_8
      let (scanned_11 : [-4*chunk_1 + k1]i64) = scanned_10 with [i_7] = c_6
      in (scanned_11, c_6)
  let (s_2 : [4*chunk_1]i64) = reshape [4*chunk_1] s_1
  let (s : [k1]i64) = concat 0 s_2 scanned_12
  in (k1, s)

entry counted [w] (h : *[w]i64) (n : i64) -> (r : [w]i64) =
  let =
    kernel guard_3 < n - 1, none_3 < 0 do
      in ()
  let (private_1 : i64) = (n - 1) / max(w, 1)
  let (threads_1 : i64) = max(min(private_1, 4), 1)
  let (less_2 : i64) = (n - 2) / threads_1
  let (part_3 : [threads_1][w]i64) =
    kernel t_8 < threads_1 do
      let (lo_5 : i64) = less_2 * t_8 + t_8
      let (count_2 : i64) = max(min(n - lo_5 - 1, less_2 + 1), 0)
      let (buckets_1 : [w]i64) = replicate [w] 0
      let (buckets_5 : [w]i64) =
        loop (buckets_2 : *[w]i64) = buckets_1 for i_9 < count_2 do
          let (i_10 : i64) = i_9 + lo_5
          let (inside_1 : bool) = 0 <= i_10 && i_10 < w
          let (buckets_4 : [w]i64) =
            if inside_1 then
              let (old_1 : i64) = buckets_2[i_10]
              let (c_7 : i64) = old_1 + 1
              let (buckets_3 : [w]i64) = buckets_2 with [i_10] = c_7
              in (buckets_3)
            else
              in (buckets_2)
          in (buckets_4)
      in (buckets_5)
  let (s : [w]i64) =
    kernel bucket_1 < w do
      let (old_2 : i64) = h[bucket_1]
      let (acc_13 : i64) =
        loop (acc_12 : i64) = old_2 for t_10 < threads_1 do
          let (p_6 : i64) = part_3[t_10, bucket_1]
          let (c_8 : i64) = acc_12 + p_6
          in (c_8)
      in (acc_13)
  in (s)

entry inner (n : i64) (m : i64) -> [k] (r : [k]i64) =
  let =
    kernel guard_4 < m, none_4 < 0 do
      in ()
  let (s : [n]i64) =
    kernel i < n do
      let (acc_15 : i64) =
        loop (acc_14 : i64) = 0 for j_1 < m do
          let (c_9 : i64) = acc_14 + j_1
          in (c_9)
      in (acc_15)
  in (n, s)

entry rows (n : i64) (m : i64) -> (r : i64) =
  let (value_1 : [n]i64) (d : [n][m]i64) =
    kernel i < n do
      let (row : [m]i64) = iota [m] i 1
      in (i, row)
  let =
    kernel guard_5 < n, none_5 < 0 do
      in ()
  let (less_3 : i64) = (n - 1) / 4
  let (part_4 : [4]i64) =
    kernel t_11 < 4 do
      let (lo_6 : i64) = less_3 * t_11 + t_11
      let (count_3 : i64) = max(min(n - lo_6, less_3 + 1), 0)
      let (acc_17 : i64) =
        loop (acc_16 : i64) = 0 for i_12 < count_3 do
          let (i_13 : i64) = i_12 + lo_6
          let (v_2 : i64) = value_1[i_13]
          let (c_10 : i64) = acc_16 + v_2
          in (c_10)
      in (acc_17)
  let (s : i64) =
    loop (acc_18 : i64) = 0 for t_13 < 4 do
      let (p_8 : i64) = part_4[t_13]
      let (c_11 : i64) = acc_18 + p_8
      in (c_11)
  in (s)

entry within [n] (xs : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let =
        kernel guard_6 < x, none_6 < 0 do
          in ()
      let (t : i64) =
        loop (acc_19 : i64) = 0 for j_2 < x do
          let (c_12 : i64) = acc_19 + j_2
          in (c_12)
      in (t)
  in (s)
