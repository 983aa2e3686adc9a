-- A type name that nothing defines is reported with its spelling.
-- ==
-- error: [Uu]nknown.*quaternion

type point = (f32, f32)

def rotate (p: point) (q: quaternion) : point = p

def main (x: f32) (y: f32) = (x, y)
