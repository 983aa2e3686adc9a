-- What does not fit on a line of 100 columns.
entry a_long_name_for_an_entry_point [rows] [columns] [channels] (image : *[rows][columns][channels]f32) (kernel_weights : [rows][columns]f32) (threshold : f32) -> [selected] (selection : [selected][channels]f32) (places : [selected]i64) (sum : f32) =
  let (first_result_with_a_long_name : [rows][columns]f32) (second_result_with_a_long_name : [rows]f32) (third : f32) = if threshold then in (first_result_with_a_long_name, second_result_with_a_long_name, threshold, 1.0) else in (1)
  let (an_array_whose_name_is_long : [rows][columns][channels]f32) = image[0 : rows : 1, 0 : columns : -1, channels - 1]
  let (table : [40]i64) = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181, 6765, 10946, 17711, 28657, 46368, 75025, 121393, 196418, 317811, 514229, 832040, 1346269, 2178309, 3524578, 5702887, 9227465, 14930352, 24157817, 39088169, 63245986] : i64
  let (all : [rows]f32) = concat 0 an_array_whose_name_is_long an_array_whose_name_is_long an_array_whose_name_is_long
  let (polynomial : f64) = threshold * threshold * threshold * threshold + threshold * threshold * threshold - threshold
  let (x : [rows]f32) = kernel thread_index_of_rows < rows * columns, thread_index_of_columns < columns, channel < channels
    reduce comm (\ (left_operand_of_the_sum : f32) (right_operand_of_the_sum : f32) (the_other_left : f32) (the_other_right : f32) -> in (left_operand_of_the_sum, right_operand_of_the_sum)) (0.0f32, -f32.inf) do
    in (threshold)
  let (y : [rows]f32) = loop (left_operand_of_the_sum : f32) = threshold, (right_operand_of_the_sum : *[rows]f32) = x, (k : i64) = 0 for iteration < rows*columns do in (1)
  in (first_result_with_a_long_name, second_result_with_a_long_name, third, an_array_whose_name_is_long, places)
