-- A while loop over a record with several types.
-- ==
-- input { 2.0 } output { 1.414213562373095f64 true }
-- input { 9.0 } output { 3.000000000000000f64 true }

type state = {x: f64, n: i32, done: bool}
def newton (a: f64) (s: state) : state =
  let y = 0.5 * (s.x + a / s.x)
  in {x = y, n = s.n + 1, done = f64.abs (y - s.x) < 1e-9}
def main (a: f64) : (f64, bool) =
  let s = loop s = {x = a, n = 0i32, done = false} while !s.done && s.n < 50 do newton a s
  in (s.x, s.n < 20)
