-- What the type of a module does not name is not seen outside.
-- ==
-- error: Unknown name "square\.side"

module type shape = { val area : f64 }
module square : shape = { def side = 2.0 def area = side * side }

def main : f64 = square.side
