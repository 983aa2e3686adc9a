-- A top-level name may be defined only once.
-- ==
-- error: [Dd]uplicate.*scale

def scale (x: i32) = x * 10

def scale (x: i32) = x * 100

def main (x: i32) = scale x
