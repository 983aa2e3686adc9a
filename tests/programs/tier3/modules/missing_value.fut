-- A module must have what its type names.
-- ==
-- error: does not define a value named "area"

module type shape = { val area : f64 }
module square : shape = { def side = 1.0 }

def main : f64 = square.area
