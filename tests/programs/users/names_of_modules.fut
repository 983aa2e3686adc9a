-- `m.(e)`, `open` inside of modules, and hiding.
-- ==
-- input { 4 } output { 15i32 15i32 2.000000f32 103i32 }
-- input { 9 } output { 30i32 30i32 3.000000f32 103i32 }

module consts = { def k : i32 = 3 def f (x: i32) : i32 = x * k }
module more = { open consts def g (x: i32) : i32 = f x + k local def hidden : i32 = 1 }
def k : i32 = 100
def main (x: i32) : (i32, i32, f32, i32) =
  (consts.(f x + k), more.g x, f32.(sqrt (i32 x) + pi - pi), let open_k = k in more.(k + open_k))
