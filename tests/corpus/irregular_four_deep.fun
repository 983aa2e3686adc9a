-- Sizes that differ from iteration to iteration, four kernels deep: an index function of degree 9.
entry main [n_1] [n_2] (a_2 : [n_1][n_1][n_1]i8) (a_4 : [n_1][n_2][n_2]u16)
    -> (r_1 : [n_2][n_2 + 1][2]i64) =
  let (s_7 : i64) = max(1, 0)
  let (x_12 : [n_2][n_2 + 1][2]i64) = replicate [n_2][n_2 + 1][2] 1
  let (z_10 : [n_2][n_2 + 1][2]i64) =
    kernel i_3 < n_2, i_4 < n_2 + 1, i_5 < s_7 hist (x_12)
      (\(a_7 : i64) (b_3 : i64) ->
        in (1)) (0)
    do
      let (z_9 : [1][i_5]i64) =
        kernel i_6 < 1, i_7 < i_5 do
          let (z_8 : [i_4][i_6]i64) =
            kernel i_8 < i_4, i_9 < i_6 do
              let (z_7 : [n_1][n_1][n_1]i8) =
                if false then
                  let (x_17 : [2][n_1][n_1][n_1]i8) = replicate [2][n_1][n_1][n_1] 1i8
                  let (v_5 : [n_1][n_1][n_1]i8) = x_17[1, 0 : n_1, 0 : n_1, 0 : n_1]
                  in (v_5)
                else
                  in (a_2)
              in (i_9)
          in (i_7)
      in (1, i_4)
  in (z_10)
