-- The electrostatic potential on a lattice; atoms beyond a cutoff do not count (Parboil cutcp).
-- Atoms come in cubic cells as wide as the cutoff; a cell has space for `c` atoms (x, y, z, charge).
-- ==
-- input { 1f32 0.5f32 [[[1i64]], [[2i64]]] [[[[[0.2f32, 0.3f32, 0.4f32, 1f32], [0f32, 0f32, 0f32, 0f32]]]], [[[[1.1f32, 0.1f32, 0.1f32, -2f32], [1.9f32, 0.9f32, 0.6f32, 3f32]]]]] }
-- output { [[[0.93609005f32, 1.976664f32], [1.179021f32, 2.7603335f32]], [[-0.5001104f32, 0.89833766f32], [0.32923153f32, 1.7283078f32]], [[-10.851749f32, -3.0911405f32], [-3.141792f32, -1.4459659f32]], [[-3.1697237f32, -1.5616571f32], [-1.1903346f32, 1.5637269f32]]] }
-- input { 1f32 1f32 [[[0i64]]] [[[[[1f32, 1f32, 1f32, 1f32]]]]] }
-- output { [[[0.0f32, 0.0f32], [0.0f32, 0.0f32]], [[0.0f32, 0.0f32], [0.0f32, 0.0f32]]] }

entry main [bx] [by] [bz] [c]
    (cutoff: f32) (spacing: f32) (counts: [bx][by][bz]i64) (atoms: [bx][by][bz][c][4]f32)
    : [2 * bx][2 * by][2 * bz]f32 =
  let potential i j k =
    let (x, y, z) = (spacing * f32.i64 i, spacing * f32.i64 j, spacing * f32.i64 k)
    in loop sum = 0 for p in i64.max 0 (i / 2 - 1)..<i64.min bx (i / 2 + 2) do
         loop sum for q in i64.max 0 (j / 2 - 1)..<i64.min by (j / 2 + 2) do
           loop sum for r in i64.max 0 (k / 2 - 1)..<i64.min bz (k / 2 + 2) do
             loop sum for a < counts[p, q, r] do
               let atom = atoms[p, q, r, a]
               let (dx, dy, dz) = (atom[0] - x, atom[1] - y, atom[2] - z)
               let r2 = dx * dx + dy * dy + dz * dz
               let s = 1 - r2 / (cutoff * cutoff)
               in if r2 < cutoff * cutoff && r2 > 0
                  then sum + atom[3] / f32.sqrt r2 * s * s
                  else sum
  in tabulate_3d (2 * bx) (2 * by) (2 * bz) potential
