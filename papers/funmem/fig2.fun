-- Figure 2 of the paper, completed: the free names of the figure are parameters, the second branch
-- returns the array that it makes (in the figure that name is unbound), and iota counts from 0.
entry main (x_size : i64) (y_size : i64) (z_cond : bool) -> [size] (array : [size]i64) =
  let (z_size : i64) (z_arr : [z_size]i64) =
    if z_cond
    then let (x : [x_size]i64) = iota [x_size] 0 1
         in (x_size, x)
    else let (y : [y_size]i64) = iota [y_size] 0 1
         in (y_size, y)
  in (z_size, z_arr)
