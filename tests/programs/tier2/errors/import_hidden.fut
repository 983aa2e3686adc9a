-- Names that an imported file imported itself are not visible.
-- ==
-- error: dot

import "../imports/lib/matrix"

def main [n] (x: [n]f64) : f64 = dot x x
