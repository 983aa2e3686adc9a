entry untouched [n] (xs : [n]i64) -> (r : i64) =
  let (h0 : [2]i64) = scratch [2]i64
  let (h : [2]i64) = h0 with [0] = 5
  let (s : [2]i64) (d : [n]i64) =
    kernel i < n hist (h)
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (x : i64) = xs[i]
      in (0, x, x)
  let (v : i64) = s[0]
  in (v)

entry neutral [n] (xs : [n]i64) -> (r : i64) =
  let (zeros : [2]i64) = scratch [2]i64
  let (some : bool) = n > 0
  let (start : [2]i64) =
    if some then
      let (own : [2]i64) = replicate [2] 0
      in (own)
    else
      in (zeros)
  let (s : [2]i64) =
    kernel i < n reduce
      (\(a : [2]i64) (b : [2]i64) ->
        let (c : [2]i64) =
          kernel j < 2 do
            let (d : i64) = a[j]
            let (e : i64) = b[j]
            let (f : i64) = d + e
            in (f)
        in (c)) (start)
    do
      let (x : i64) = xs[i]
      let (y : [2]i64) = replicate [2] x
      in (y)
  let (q : i64) =
    if some then
      let (v : i64) = s[1]
      in (v)
    else
      in (0)
  in (q)

entry last [n] (xs : [n]i64) -> (r : i64) =
  let (zeros : [2]i64) = scratch [2]i64
  let (some : bool) = n > 0
  let (start : [2]i64) =
    if some then
      let (own : [2]i64) = replicate [2] 0
      in (own)
    else
      in (zeros)
  let (s : [n][2]i64) =
    kernel i < n scan
      (\(a : [2]i64) (b : [2]i64) ->
        let (c : [2]i64) =
          kernel j < 2 do
            let (d : i64) = a[j]
            let (e : i64) = b[j]
            let (f : i64) = d + e
            in (f)
        in (c)) (start)
    do
      let (x : i64) = xs[i]
      let (y : [2]i64) = replicate [2] x
      in (y)
  let (q : i64) =
    if some then
      let (v : i64) = s[n - 1, 1]
      in (v)
    else
      in (0)
  in (q)

entry counted [n] [w] (h : *[w][2]i64) (xs : [n]i64) -> (r : [w][2]i64) =
  let (zeros : [2]i64) = scratch [2]i64
  let (s : [w][2]i64) =
    kernel i < n hist (h)
      (\(a : [2]i64) (b : [2]i64) ->
        let (c : [2]i64) =
          kernel j < 2 do
            let (d : i64) = a[j]
            let (e : i64) = b[j]
            let (f : i64) = d + e
            in (f)
        in (c)) (zeros)
    do
      let (x : i64) = xs[i]
      let (y : [2]i64) = replicate [2] x
      in (x, y)
  in (s)

-- schedule{threads=4} -->

entry untouched [n] (xs : [n]i64) -> (r : i64) =
  let (h0 : [2]i64) = scratch [2]i64
  let (h : [2]i64) = h0 with [0] = 5
  let (mapped_1 : [n]i64) = scratch [n]i64
  let (s : [2]i64) (d : [n]i64) =
    loop (buckets_1 : *[2]i64) = h, (mapped_2 : *[n]i64) = mapped_1 for i_1 < n do
      let (x_1 : i64) = xs[i_1]
      let (inside_1 : bool) = 0 <= 0 && 0 < 2
      let (buckets_3 : [2]i64) =
        if inside_1 then
          let (old_1 : i64) = buckets_1[0]
          let (c_1 : i64) = old_1 + x_1
          let (buckets_2 : [2]i64) = buckets_1 with [0] = c_1
          in (buckets_2)
        else
          in (buckets_1)
      let (mapped_3 : [n]i64) = mapped_2 with [i_1] = x_1
      in (buckets_3, mapped_3)
  let (v : i64) = s[0]
  in (v)

entry neutral [n] (xs : [n]i64) -> (r : i64) =
  let (zeros : [2]i64) = scratch [2]i64
  let (some : bool) = n > 0
  let (start : [2]i64) =
    if some then
      let (own : [2]i64) = replicate [2] 0
      in (own)
    else
      in (zeros)
  let (acc_2 : [2]i64) =
    loop (acc_1 : [2]i64) = start for i_2 < n do
      let (x_2 : i64) = xs[i_2]
      let (y_1 : [2]i64) = replicate [2] x_2
      let (c_2 : [2]i64) =
        kernel j_1 < 2 do
          let (d_1 : i64) = acc_1[j_1]
          let (e_1 : i64) = y_1[j_1]
          let (f_1 : i64) = d_1 + e_1
          in (f_1)
      in (c_2)
  let (s : [2]i64) = copy acc_2
  let (q : i64) =
    if some then
      let (v : i64) = s[1]
      in (v)
    else
      in (0)
  in (q)

entry last [n] (xs : [n]i64) -> (r : i64) =
  let (zeros : [2]i64) = scratch [2]i64
  let (some : bool) = n > 0
  let (start : [2]i64) =
    if some then
      let (own : [2]i64) = replicate [2] 0
      in (own)
    else
      in (zeros)
  let (scanned_1 : [n][2]i64) = scratch [n][2]i64
  let (s : [n][2]i64) (acc_4 : [2]i64) =
    loop (scanned_2 : *[n][2]i64) = scanned_1, (acc_3 : [2]i64) = start for i_3 < n do
      let (x_3 : i64) = xs[i_3]
      let (y_2 : [2]i64) = replicate [2] x_3
      let (c_3 : [2]i64) =
        kernel j_2 < 2 do
          let (d_2 : i64) = acc_3[j_2]
          let (e_2 : i64) = y_2[j_2]
          let (f_2 : i64) = d_2 + e_2
          in (f_2)
      let (scanned_3 : [n][2]i64) = scanned_2 with [i_3, 0 : 2] = c_3
      in (scanned_3, c_3)
  let (q : i64) =
    if some then
      let (v : i64) = s[n - 1, 1]
      in (v)
    else
      in (0)
  in (q)

entry counted [n] [w] (h : *[w][2]i64) (xs : [n]i64) -> (r : [w][2]i64) =
  let (zeros : [2]i64) = scratch [2]i64
  let (s : [w][2]i64) =
    loop (buckets_4 : *[w][2]i64) = h for i_4 < n do
      let (x_4 : i64) = xs[i_4]
      let (y_3 : [2]i64) = replicate [2] x_4
      let (inside_2 : bool) = 0 <= x_4 && x_4 < w
      let (buckets_6 : [w][2]i64) =
        if inside_2 then
          let (old_2 : [2]i64) = buckets_4[x_4, 0 : 2]
          let (old_3 : [2]i64) = copy old_2
          let (c_4 : [2]i64) =
            kernel j_3 < 2 do
              let (d_3 : i64) = old_3[j_3]
              let (e_3 : i64) = y_3[j_3]
              let (f_3 : i64) = d_3 + e_3
              in (f_3)
          let (buckets_5 : [w][2]i64) = buckets_4 with [x_4, 0 : 2] = c_4
          in (buckets_5)
        else
          in (buckets_4)
      in (buckets_6)
  in (s)
