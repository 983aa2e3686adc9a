-- A record literal lacks a field that its type demands.
-- ==
-- error: y

type point = {x: i32, y: i32}

def norm (p: point) : i32 = p.x * p.x + p.y * p.y

def main (x: i32) : i32 = norm {x}
