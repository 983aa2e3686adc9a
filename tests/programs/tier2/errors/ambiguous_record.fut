-- A projection from a parameter whose type is not known at that point.
-- ==
-- error: f

def get r = r.f + 1i32

def main (x: i32) : i32 = get {g = x}
