entry folded [n] (xs : [n]i64) -> (r : i64) =
  let (s : i64) =
    kernel i < n reduce
      (\(a : i64) (b : i64) ->
        let (x : [b]i64) = replicate [b] 1
        let (c : i64) = a + b
        in (c)) (0)
    do
      in (-1)
  in (s)

entry inside [n] (xs : [n]i64) -> (r : i64) =
  let (s : i64) =
    kernel i < n reduce
      (\(a : i64) (b : i64) ->
        let (c : i64) =
          loop (e : i64) = a for j < 2 do
            let (x : [b + 1]i64) =
              kernel k < b + 1 do
                in (e)
            let (y : [-b + 1]i64) = iota [-b + 1] e 1
            let (z : i64) = y[0]
            in (z)
        let (d : i64) = c + b
        in (d)) (0)
    do
      in (-2)
  in (s)

entry scanned [n] (xs : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n scan
      (\(a : i64) (b : i64) ->
        let (x : [b]i64) = scratch [b]i64
        let (c : i64) = a + b
        in (c)) (0)
    do
      in (-1)
  in (s)

entry counted [n] (h : *[1]i64) (xs : [n]i64) -> (r : [1]i64) =
  let (s : [1]i64) =
    kernel i < n hist (h)
      (\(a : i64) (b : i64) ->
        let (x : [b][2]i64) = scratch [b][2]i64
        let (c : i64) = a + b
        in (c)) (0)
    do
      in (0, -1)
  in (s)

-- schedule{threads=4} -->

entry folded [n] (xs : [n]i64) -> (r : i64) =
  let (less_1 : i64) = (n - 1) / 4
  let (part_1 : [4]i64) =
    kernel t_1 < 4 do
      let (lo_1 : i64) = less_1 * t_1 + t_1
      let (count_1 : i64) = max(min(n - lo_1, less_1 + 1), 0)
      let (acc_2 : i64) =
        loop (acc_1 : i64) = 0 for i_1 < count_1 do
          let (i_2 : i64) = i_1 + lo_1
          let (b_2 : i64) = -1
          let (x_1 : [b_2]i64) = replicate [b_2] 1
          let (c_1 : i64) = acc_1 + b_2
          in (c_1)
      in (acc_2)
  let (s : i64) =
    loop (acc_3 : i64) = 0 for t_3 < 4 do
      let (p_2 : i64) = part_1[t_3]
      let (x_2 : [p_2]i64) = replicate [p_2] 1
      let (c_2 : i64) = acc_3 + p_2
      in (c_2)
  in (s)

entry inside [n] (xs : [n]i64) -> (r : i64) =
  let (less_2 : i64) = (n - 1) / 4
  let (part_2 : [4]i64) =
    kernel t_4 < 4 do
      let (lo_2 : i64) = less_2 * t_4 + t_4
      let (count_2 : i64) = max(min(n - lo_2, less_2 + 1), 0)
      let (acc_5 : i64) =
        loop (acc_4 : i64) = 0 for i_3 < count_2 do
          let (i_4 : i64) = i_3 + lo_2
          let (b_5 : i64) = -2
          let (c_3 : i64) =
            loop (e_1 : i64) = acc_4 for j_1 < 2 do
              let (x_3 : [b_5 + 1]i64) =
                kernel k_1 < b_5 + 1 do
                  in (e_1)
              let (y_1 : [-b_5 + 1]i64) = iota [-b_5 + 1] e_1 1
              let (z_1 : i64) = y_1[0]
              in (z_1)
          let (d_1 : i64) = c_3 + b_5
          in (d_1)
      in (acc_5)
  let (s : i64) =
    loop (acc_6 : i64) = 0 for t_6 < 4 do
      let (p_4 : i64) = part_2[t_6]
      let (c_4 : i64) =
        loop (e_2 : i64) = acc_6 for j_2 < 2 do
          let (x_4 : [p_4 + 1]i64) =
            kernel k_2 < p_4 + 1 do
              in (e_2)
          let (y_2 : [-p_4 + 1]i64) = iota [-p_4 + 1] e_2 1
          let (z_2 : i64) = y_2[0]
          in (z_2)
      let (d_2 : i64) = c_4 + p_4
      in (d_2)
  in (s)

entry scanned [n] (xs : [n]i64) -> (r : [n]i64) =
  let (chunk_1 : i64) = n / 4
  let (part_3 : [4]i64) =
    kernel t_7 < 4 do
      let (lo_3 : i64) = chunk_1 * t_7
      let (acc_8 : i64) =
        loop (acc_7 : i64) = 0 for i_5 < chunk_1 do
          let (i_6 : i64) = i_5 + lo_3
          let (b_8 : i64) = -1
          let (x_5 : [b_8]i64) = scratch [b_8]i64
          let (c_5 : i64) = acc_7 + b_8
          in (c_5)
      in (acc_8)
  let (scanned_1 : [4]i64) = scratch [4]i64
  let (scanned_4 : [4]i64) (acc_10 : i64) =
    loop (scanned_2 : *[4]i64) = scanned_1, (acc_9 : i64) = 0 for t_9 < 4 do
      let (p_6 : i64) = part_3[t_9]
      let (x_6 : [p_6]i64) = scratch [p_6]i64
      let (c_6 : i64) = acc_9 + p_6
      let (scanned_3 : [4]i64) = scanned_2 with [t_9] = acc_9
      in (scanned_3, c_6)
  let (s_1 : [4][chunk_1]i64) =
    kernel t_10 < 4 do
      let (lo_4 : i64) = chunk_1 * t_10
      let (start_1 : i64) = scanned_4[t_10]
      let (scanned_5 : [chunk_1]i64) = scratch [chunk_1]i64
      let (scanned_8 : [chunk_1]i64) (acc_12 : i64) =
        loop (scanned_6 : *[chunk_1]i64) = scanned_5, (acc_11 : i64) = start_1 for i_7 < chunk_1 do
          let (i_8 : i64) = i_7 + lo_4
          let (b_11 : i64) = -1
          let (x_7 : [b_11]i64) = scratch [b_11]i64
          let (c_7 : i64) = acc_11 + b_11
          let (scanned_7 : [chunk_1]i64) = scanned_6 with [i_7] = c_7
          in (scanned_7, c_7)
      in (scanned_8)
  let (lo_5 : i64) = 4 * chunk_1
  let (scanned_9 : [-4*chunk_1 + n]i64) = scratch [-4*chunk_1 + n]i64
  let (scanned_12 : [-4*chunk_1 + n]i64) (acc_14 : i64) =
    loop (scanned_10 : *[-4*chunk_1 + n]i64) = scanned_9, (acc_13 : i64) = acc_10
        for i_9 < -4*chunk_1 + n do
      let (i_10 : i64) = i_9 + lo_5
      let (b_13 : i64) = -1
      let (x_8 : [b_13]i64) = scratch [b_13]i64
      let (c_8 : i64) = acc_13 + b_13
      let (scanned_11 : [-4*chunk_1 + n]i64) = scanned_10 with [i_9] = c_8
      in (scanned_11, c_8)
  let (s_2 : [4*chunk_1]i64) = reshape [4*chunk_1] s_1
  let (s : [n]i64) = concat 0 s_2 scanned_12
  in (s)

entry counted [n] (h : *[1]i64) (xs : [n]i64) -> (r : [1]i64) =
  let (private_1 : i64) = n / max(1, 1)
  let (threads_1 : i64) = max(min(private_1, 4), 1)
  let (less_3 : i64) = (n - 1) / threads_1
  let (part_4 : [threads_1][1]i64) =
    kernel t_11 < threads_1 do
      let (lo_6 : i64) = less_3 * t_11 + t_11
      let (count_3 : i64) = max(min(n - lo_6, less_3 + 1), 0)
      let (buckets_1 : [1]i64) = replicate [1] 0
      let (buckets_5 : [1]i64) =
        loop (buckets_2 : *[1]i64) = buckets_1 for i_11 < count_3 do
          let (i_12 : i64) = i_11 + lo_6
          let (inside_1 : bool) = 0 <= 0 && 0 < 1
          let (buckets_4 : [1]i64) =
            if inside_1 then
              let (old_1 : i64) = buckets_2[0]
              let (b_15 : i64) = -1
              let (x_9 : [b_15][2]i64) = scratch [b_15][2]i64
              let (c_9 : i64) = old_1 + b_15
              let (buckets_3 : [1]i64) = buckets_2 with [0] = c_9
              in (buckets_3)
            else
              in (buckets_2)
          in (buckets_4)
      in (buckets_5)
  let (s : [1]i64) =
    kernel bucket_1 < 1 do
      let (old_2 : i64) = h[bucket_1]
      let (acc_16 : i64) =
        loop (acc_15 : i64) = old_2 for t_13 < threads_1 do
          let (p_8 : i64) = part_4[t_13, bucket_1]
          let (x_10 : [p_8][2]i64) = scratch [p_8][2]i64
          let (c_10 : i64) = acc_15 + p_8
          in (c_10)
      in (acc_16)
  in (s)
