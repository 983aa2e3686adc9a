def nothing -> =
  in ()

def five -> (r : i64) =
  in (5)

def a_long_name_for_a_function (first_parameter : f32) (second_parameter : i64)
    (third_parameter : bool)
    -> (first_result : f32) (second_result : i64) =
  let = call nothing ()
  let (k : i64) = call five ()
  in (first_parameter, k)

def partial (partial : i64) -> (r : i64) =
  let (call_it : i64) = call partial (partial) partial
  in (call_it)

entry main (x : f32) -> (r : f32) =
  let (y : f32) (k : i64) = call a_long_name_for_a_function (x, -5, true) partial
  let (z : f32) (another_name_that_is_longer : i64) =
    call a_long_name_for_a_function (3.1415927f32, 9223372036854775807, false) partial
  in (z)
