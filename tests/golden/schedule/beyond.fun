entry sum [n] (xs : [n][0]i8) (z : i64) -> (r : i64) =
  let (s : i64) =
    kernel i < n reduce
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (d : i64) = i / z
      in (d)
  in (s)

entry counts [n] [w] (xs : [n][0]i8) (h : *[w]i64) (z : i64) -> (r : [w]i64) =
  let (s : [w]i64) =
    kernel i < n hist (h)
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (d : i64) = i / z
      in (i, d)
  in (s)

entry sum4 [n] (xs : [n][0]i8) (z : i64) -> (r : i64) =
  let (s : i64) =
    kernel i < 4*n reduce
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (d : i64) = i / z
      in (d)
  in (s)

entry counts4 [n] [w] (xs : [n][0]i8) (h : *[w]i64) (z : i64) -> (r : [w]i64) =
  let (s : [w]i64) =
    kernel i < 4*n hist (h)
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (d : i64) = i / z
      in (i, d)
  in (s)

-- schedule{threads=4} -->

entry sum [n] (xs : [n][0]i8) (z : i64) -> (r : i64) =
  let (less_1 : i64) = (n - 1) / 4
  let (part_1 : [4]i64) =
    kernel t_1 < 4 do
      let (lo_1 : i64) = less_1 * t_1 + t_1
      let (count_1 : i64) = max(min(n - lo_1, less_1 + 1), 0)
      let (acc_2 : i64) =
        loop (acc_1 : i64) = 0 for i_1 < count_1 do
          let (i_2 : i64) = i_1 + lo_1
          let (d_1 : i64) = i_2 / z
          let (c_1 : i64) = acc_1 + d_1
          in (c_1)
      in (acc_2)
  let (s : i64) =
    loop (acc_3 : i64) = 0 for t_3 < 4 do
      let (p_2 : i64) = part_1[t_3]
      let (c_2 : i64) = acc_3 + p_2
      in (c_2)
  in (s)

entry counts [n] [w] (xs : [n][0]i8) (h : *[w]i64) (z : i64) -> (r : [w]i64) =
  let (private_1 : i64) = n / max(w, 1)
  let (threads_1 : i64) = max(min(private_1, 4), 1)
  let (less_2 : i64) = (n - 1) / threads_1
  let (part_2 : [threads_1][w]i64) =
    kernel t_4 < threads_1 do
      let (lo_2 : i64) = less_2 * t_4 + t_4
      let (count_2 : i64) = max(min(n - lo_2, less_2 + 1), 0)
      let (buckets_1 : [w]i64) = replicate [w] 0
      let (buckets_5 : [w]i64) =
        loop (buckets_2 : *[w]i64) = buckets_1 for i_3 < count_2 do
          let (i_4 : i64) = i_3 + lo_2
          let (d_2 : i64) = i_4 / z
          let (inside_1 : bool) = 0 <= i_4 && i_4 < w
          let (buckets_4 : [w]i64) =
            if inside_1 then
              let (old_1 : i64) = buckets_2[i_4]
              let (c_3 : i64) = old_1 + d_2
              let (buckets_3 : [w]i64) = buckets_2 with [i_4] = c_3
              in (buckets_3)
            else
              in (buckets_2)
          in (buckets_4)
      in (buckets_5)
  let (s : [w]i64) =
    kernel bucket_1 < w do
      let (old_2 : i64) = h[bucket_1]
      let (acc_5 : i64) =
        loop (acc_4 : i64) = old_2 for t_6 < threads_1 do
          let (p_4 : i64) = part_2[t_6, bucket_1]
          let (c_4 : i64) = acc_4 + p_4
          in (c_4)
      in (acc_5)
  in (s)

entry sum4 [n] (xs : [n][0]i8) (z : i64) -> (r : i64) =
  let (counted_1 : i64) = max(4 * n, 0)
  let (less_3 : i64) = (counted_1 - 1) / 4
  let (part_3 : [4]i64) =
    kernel t_7 < 4 do
      let (lo_3 : i64) = less_3 * t_7 + t_7
      let (count_3 : i64) = max(min(counted_1 - lo_3, less_3 + 1), 0)
      let (acc_7 : i64) =
        loop (acc_6 : i64) = 0 for i_5 < count_3 do
          let (i_6 : i64) = i_5 + lo_3
          let (d_3 : i64) = i_6 / z
          let (c_5 : i64) = acc_6 + d_3
          in (c_5)
      in (acc_7)
  let (acc_9 : i64) =
    loop (acc_8 : i64) = 0 for t_9 < 4 do
      let (p_6 : i64) = part_3[t_9]
      let (c_6 : i64) = acc_8 + p_6
      in (c_6)
  let (s : i64) =
    loop (acc_10 : i64) = acc_9 for i_7 < -counted_1 + 4*n do
      let (i_8 : i64) = counted_1 + i_7
      let (d_4 : i64) = i_8 / z
      let (c_7 : i64) = acc_10 + d_4
      in (c_7)
  in (s)

entry counts4 [n] [w] (xs : [n][0]i8) (h : *[w]i64) (z : i64) -> (r : [w]i64) =
  let (counted_2 : i64) = max(4 * n, 0)
  let (private_2 : i64) = counted_2 / max(w, 1)
  let (threads_2 : i64) = max(min(private_2, 4), 1)
  let (less_4 : i64) = (counted_2 - 1) / threads_2
  let (part_4 : [threads_2][w]i64) =
    kernel t_10 < threads_2 do
      let (lo_4 : i64) = less_4 * t_10 + t_10
      let (count_4 : i64) = max(min(counted_2 - lo_4, less_4 + 1), 0)
      let (buckets_6 : [w]i64) = replicate [w] 0
      let (buckets_10 : [w]i64) =
        loop (buckets_7 : *[w]i64) = buckets_6 for i_9 < count_4 do
          let (i_10 : i64) = i_9 + lo_4
          let (d_5 : i64) = i_10 / z
          let (inside_2 : bool) = 0 <= i_10 && i_10 < w
          let (buckets_9 : [w]i64) =
            if inside_2 then
              let (old_3 : i64) = buckets_7[i_10]
              let (c_8 : i64) = old_3 + d_5
              let (buckets_8 : [w]i64) = buckets_7 with [i_10] = c_8
              in (buckets_8)
            else
              in (buckets_7)
          in (buckets_9)
      in (buckets_10)
  let (s_1 : [w]i64) =
    kernel bucket_2 < w do
      let (old_4 : i64) = h[bucket_2]
      let (acc_12 : i64) =
        loop (acc_11 : i64) = old_4 for t_12 < threads_2 do
          let (p_8 : i64) = part_4[t_12, bucket_2]
          let (c_9 : i64) = acc_11 + p_8
          in (c_9)
      in (acc_12)
  let (s : [w]i64) =
    loop (buckets_11 : *[w]i64) = s_1 for i_11 < -counted_2 + 4*n do
      let (i_12 : i64) = counted_2 + i_11
      let (d_6 : i64) = i_12 / z
      let (inside_3 : bool) = 0 <= i_12 && i_12 < w
      let (buckets_13 : [w]i64) =
        if inside_3 then
          let (old_5 : i64) = buckets_11[i_12]
          let (c_10 : i64) = old_5 + d_6
          let (buckets_12 : [w]i64) = buckets_11 with [i_12] = c_10
          in (buckets_12)
        else
          in (buckets_11)
      in (buckets_13)
  in (s)
