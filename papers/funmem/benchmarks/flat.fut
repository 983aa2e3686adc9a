-- Strided slices of a flat array, with the sizes of the result stated in their types.  The type
-- checker does not know the sizes of the results of Futhark's intrinsics.

def flat_index_2d [k] 't (xs: [k]t) (at: i64) (n: i64) (s: i64) (m: i64) (r: i64) : [n][m]t =
  intrinsics.flat_index_2d xs at n s m r :> [n][m]t

def flat_index_3d [k] 't (xs: [k]t) (at: i64)
    (n: i64) (s: i64) (m: i64) (r: i64) (l: i64) (q: i64) : [n][m][l]t =
  intrinsics.flat_index_3d xs at n s m r l q :> [n][m][l]t

def flat_index_4d [k] 't (xs: [k]t) (at: i64)
    (n: i64) (s: i64) (m: i64) (r: i64) (l: i64) (q: i64) (o: i64) (p: i64) : [n][m][l][o]t =
  intrinsics.flat_index_4d xs at n s m r l q o p :> [n][m][l][o]t

def flat_update_2d [k][n][m] 't (xs: *[k]t) (at: i64) (s: i64) (r: i64) (ys: [n][m]t) : *[k]t =
  intrinsics.flat_update_2d xs at s r ys

def flat_update_3d [k][n][m][l] 't (xs: *[k]t) (at: i64) (s: i64) (r: i64) (q: i64)
    (ys: [n][m][l]t) : *[k]t =
  intrinsics.flat_update_3d xs at s r q ys

def flat_update_4d [k][n][m][l][o] 't (xs: *[k]t) (at: i64) (s: i64) (r: i64) (q: i64) (p: i64)
    (ys: [n][m][l][o]t) : *[k]t =
  intrinsics.flat_update_4d xs at s r q p ys
