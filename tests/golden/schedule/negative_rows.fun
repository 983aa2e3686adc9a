entry within (m : i64) (p : i64) (z : i64) -> (r : [3]i64) =
  let (s : [3]i64) =
    kernel i < 3 do
      let (t : i64) (w : [m][p]i64) =
        kernel j < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (d : i64) = j / z
          let (q : [p]i64) = replicate [p] d
          in (d, q)
      let (last : [m][p]i64) = reverse 0 w
      let (flat1 : [m*p]i64) = reshape [m*p] last
      let (u : i64) =
        kernel l < m*p reduce
          (\(a1 : i64) (b1 : i64) ->
            let (c1 : i64) = 3 * a1 + b1
            in (c1)) (0)
        do
          let (v : i64) = flat1[l]
          in (v)
      let (x : i64) = 100 * t + u
      in (x)
  in (s)

entry outer [n] (xs : [n]i64) (p : i64) (z : i64) -> [k] (r : [n][3]i64) (w : [n][3][k]i64) =
  let (s : [n][3]i64) (t : [n][3][p]i64) =
    kernel i < n, j < 3 scan
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (x : i64) = xs[i]
      let (d : i64) = (x + j) / z
      let (q : [p]i64) = replicate [p] d
      in (x, q)
  in (p, s, t)

entry counted [n] (xs : [n]i64) (p : i64) (z : i64) -> [k] (r : [n][2]i64) (w : [n][3][k]i64) =
  let (h : [n][2]i64) = replicate [n][2] 7
  let (s : [n][2]i64) (t : [n][3][p]i64) =
    kernel i < n, j < 3 hist (h)
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (x : i64) = xs[i]
      let (d : i64) = (x + j) / z
      let (q : [p]i64) = replicate [p] d
      in (d, x, q)
  in (p, s, t)

-- schedule{threads=4} -->

entry within (m : i64) (p : i64) (z : i64) -> (r : [3]i64) =
  let (s : [3]i64) =
    kernel i < 3 do
      let =
        kernel guard_1 < m, none_1 < 0 do
          in ()
      let (value_1 : [m]i64) (w : [m][p]i64) =
        kernel j < m do
          let (d : i64) = j / z
          let (q : [p]i64) = replicate [p] d
          in (d, q)
      let (t : i64) =
        loop (acc_1 : i64) = 0 for j_2 < m do
          let (v_2 : i64) = value_1[j_2]
          let (c_1 : i64) = acc_1 + v_2
          in (c_1)
      let (last : [m][p]i64) = reverse 0 w
      let (flat1 : [m*p]i64) = reshape [m*p] last
      let =
        kernel guard_2 < m*p, none_2 < 0 do
          in ()
      let (u : i64) =
        loop (acc_2 : i64) = 0 for l_1 < m*p do
          let (v_3 : i64) = flat1[l_1]
          let (c1_1 : i64) = 3 * acc_2 + v_3
          in (c1_1)
      let (x : i64) = 100 * t + u
      in (x)
  in (s)

entry outer [n] (xs : [n]i64) (p : i64) (z : i64) -> [k] (r : [n][3]i64) (w : [n][3][k]i64) =
  let (s : [n][3]i64) (t : [n][3][p]i64) =
    kernel i < n do
      let (value_2 : [3]i64) (mapped_2 : [3][p]i64) =
        kernel j < 3 do
          let (x : i64) = xs[i]
          let (d : i64) = (x + j) / z
          let (q : [p]i64) = replicate [p] d
          in (x, q)
      let (scanned_1 : [3]i64) = scratch [3]i64
      let (scanned_4 : [3]i64) (acc_4 : i64) =
        loop (scanned_2 : *[3]i64) = scanned_1, (acc_3 : i64) = 0 for j_4 < 3 do
          let (v_5 : i64) = value_2[j_4]
          let (c_2 : i64) = acc_3 + v_5
          let (scanned_3 : [3]i64) = scanned_2 with [j_4] = c_2
          in (scanned_3, c_2)
      in (scanned_4, mapped_2)
  in (p, s, t)

entry counted [n] (xs : [n]i64) (p : i64) (z : i64) -> [k] (r : [n][2]i64) (w : [n][3][k]i64) =
  let (h : [n][2]i64) = replicate [n][2] 7
  let (s : [n][2]i64) (t : [n][3][p]i64) =
    kernel i < n do
      let (h_1 : [2]i64) = h[i, 0 : 2]
      let (h_2 : [2]i64) = copy h_1
      let (value_3 : [3]i64) (value_4 : [3]i64) (mapped_3 : [3][p]i64) =
        kernel j < 3 do
          let (x : i64) = xs[i]
          let (d : i64) = (x + j) / z
          let (q : [p]i64) = replicate [p] d
          in (d, x, q)
      let (buckets_4 : [2]i64) =
        loop (buckets_1 : *[2]i64) = h_2 for j_6 < 3 do
          let (v_8 : i64) = value_3[j_6]
          let (v_9 : i64) = value_4[j_6]
          let (inside_1 : bool) = 0 <= v_8 && v_8 < 2
          let (buckets_3 : [2]i64) =
            if inside_1 then
              let (old_1 : i64) = buckets_1[v_8]
              let (c_3 : i64) = old_1 + v_9
              let (buckets_2 : [2]i64) = buckets_1 with [v_8] = c_3
              in (buckets_2)
            else
              in (buckets_1)
          in (buckets_3)
      in (buckets_4, mapped_3)
  in (p, s, t)
