-- Imported by other programs: functions over vectors; it is a program with tests of its own as well.
-- ==
-- entry: test_dot
-- input { [1.0, 2.0] [3.0, 4.0] } output { 11.0 }
-- input { empty([0]f64) empty([0]f64) } output { 0.0 }

type vector [n] = [n]f64

def dot [n] (x: vector [n]) (y: vector [n]) : f64 = f64.sum (map2 (*) x y)

def norm [n] (x: vector [n]) : f64 = f64.sqrt (dot x x)

def scale [n] (k: f64) (x: vector [n]) : vector [n] = map (* k) x

entry test_dot [n] (x: [n]f64) (y: [n]f64) : f64 = dot x y
