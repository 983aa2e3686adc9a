-- The type of a module is the one that is substituted.
-- ==
-- error: i64

module type shape = { type t val area : t }
module square : shape with t = i64 = { type t = f64 def area = 4.0 }

def main : f64 = square.area
