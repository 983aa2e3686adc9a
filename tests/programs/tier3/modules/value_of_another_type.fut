-- The value of a module has the type that the module's type says.
-- ==
-- error: Module type specifies

module type shape = { type t val area : t }
module square : shape = { type t = f64 def area = 4i32 }

def main : f64 = square.area
