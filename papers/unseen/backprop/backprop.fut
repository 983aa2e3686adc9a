-- One training step of a network with one hidden layer and one output (Rodinia backprop).
-- ==
-- input { 0.5f32 [1f32, 0.5f32, -1f32] [[0.1f32, 0.2f32], [0.3f32, -0.4f32], [0.5f32, 0.6f32]] [0.7f32, -0.8f32] [[0f32, 0.1f32], [0f32, 0f32], [0.2f32, 0f32]] }
-- output { [[0.09992571f32, 0.23007892f32], [0.29996288f32, -0.39996055f32], [0.56007427f32, 0.5999211f32]] [0.6998112f32, -0.8001528f32] -0.0014373398f32 }
-- input { 1f32 [1f32] [[2f32]] [3f32] [[0f32]] }
-- output { [[2.0003896f32]] [3.0010896f32] 0.004123327f32 }

def squash (x: f32) : f32 = 1 / (1 + f32.exp (-x))

entry main [n] [h]
    (target: f32) (x: [n]f32) (w: [n][h]f32) (output_weights: [h]f32) (momentum: [n][h]f32)
    : ([n][h]f32, [h]f32, f32) =
  let rate = 0.3
  let hidden = map (\column -> squash (f32.sum (map2 (*) column x))) (transpose w)
  let output = squash (f32.sum (map2 (*) hidden output_weights))
  let error = output * (1 - output) * (target - output)
  let errors = map2 (\y v -> y * (1 - y) * v * error) hidden output_weights
  let change = map2 (\xi old -> map2 (\d o -> rate * d * xi + rate * o) errors old) x momentum
  let new_w = map2 (map2 (+)) w change
  let new_output = map2 (\v y -> v + rate * error * y) output_weights hidden
  in (new_w, new_output, error)
