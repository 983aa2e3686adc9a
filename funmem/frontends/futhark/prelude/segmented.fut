-- Segmented operations and flattening by expansion (paper 004, section 3.1).

-- | A scan that restarts at every flag.
def segmented_scan [n] 't (op: t -> t -> t) (ne: t) (flags: [n]bool) (as: [n]t) : *[n]t =
  let (_, sums) =
    intrinsics.unzip2 (intrinsics.scan (\(x_flag, x) (y_flag, y) ->
                                          (x_flag || y_flag, if y_flag then y else op x y))
                                       (false, ne)
                                       (intrinsics.zip2 flags as))
  in intrinsics.copy sums

-- | The reduction of each segment; each flag starts a segment.
def segmented_reduce [n] 't (op: t -> t -> t) (ne: t) (flags: [n]bool) (as: [n]t) : *[]t =
  let sums = segmented_scan op ne flags as
  let ends = intrinsics.map (\i -> if i == n - 1 then true else flags[i + 1]) (intrinsics.iota n)
  let places = intrinsics.scan (+) 0 (intrinsics.map i64.bool ends)
  let k = if n == 0 then 0 else places[n - 1]
  in intrinsics.scatter (intrinsics.replicate k ne)
                        (intrinsics.map2 (\end place -> if end then place - 1 else -1) ends places)
                        sums

-- | Each index i in order, `reps[i]` times; a negative number counts as 0.  The sum is guarded: if
-- it exceeds an i64, it stays negative, and making the array traps.
def replicated_iota [n] (reps: [n]i64) : *[]i64 =
  let counts = intrinsics.map (i64.max 0) reps
  let ends = intrinsics.scan (\x y -> let s = x + y in s | ((x | y | s) >> 63)) 0 counts
  let total = if n == 0 then 0 else ends[n - 1]
  let starts = intrinsics.map2 (\end k -> if k > 0 then end - k else -1) ends counts
  in intrinsics.scan i64.max 0
                     (intrinsics.scatter (intrinsics.replicate total 0) starts (intrinsics.iota n))

-- | 0, 1, 2, …, restarting from 0 at every flag.
def segmented_iota [n] (flags: [n]bool) : *[n]i64 =
  intrinsics.map (\x -> x - 1)
                 (segmented_scan (+) 0 flags (intrinsics.replicate n 1i64))

-- | The `sz a` elements `get a 0`, `get a 1`, … of each a, concatenated.
def expand 'a 'b [n] (sz: a -> i64) (get: a -> i64 -> b) (as: [n]a) : *[]b =
  let sizes = intrinsics.map (\a -> i64.max 0 (sz a)) as
  let starts = intrinsics.map2 (-) (intrinsics.scan (+) 0 sizes) sizes
  let [total] (owners: [total]i64) = replicated_iota sizes
  in intrinsics.map2 (\owner i -> get as[owner] (i - starts[owner])) owners (intrinsics.iota total)

-- | `expand`, with the elements of each a reduced; an a without elements is left out.
def expand_reduce 'a 'b [n] (sz: a -> i64) (get: a -> i64 -> b) (op: b -> b -> b) (ne: b) (as: [n]a) : *[]b =
  let sizes = intrinsics.map (\a -> i64.max 0 (sz a)) as
  let starts = intrinsics.map2 (-) (intrinsics.scan (+) 0 sizes) sizes
  let [total] (owners: [total]i64) = replicated_iota sizes
  let flags = intrinsics.map2 (\owner i -> i == starts[owner]) owners (intrinsics.iota total)
  let vs = intrinsics.map2 (\owner i -> get as[owner] (i - starts[owner])) owners (intrinsics.iota total)
  in segmented_reduce op ne flags vs

-- | `expand`, with the elements of each a reduced, to `ne` if there are none.  As parallel as
-- `expand`: an a without elements gets the element `ne`, so that every a has a segment.
def expand_outer_reduce 'a 'b [n] (sz: a -> i64) (get: a -> i64 -> b) (op: b -> b -> b) (ne: b) (as: [n]a) : *[n]b =
  let counts = intrinsics.map sz as
  let sizes = intrinsics.map (i64.max 1) counts
  let ends = intrinsics.scan (+) 0 sizes
  let starts = intrinsics.map2 (-) ends sizes
  let [total] (owners: [total]i64) = replicated_iota sizes
  let flags = intrinsics.map2 (\owner i -> i == starts[owner]) owners (intrinsics.iota total)
  let vs = intrinsics.map2 (\owner i -> if counts[owner] > 0 then get as[owner] (i - starts[owner]) else ne)
                           owners (intrinsics.iota total)
  let sums = segmented_scan op ne flags vs
  in intrinsics.map (\end -> sums[end - 1]) ends

-- | Applies `f` to each element and concatenates the results, which may differ in length.
def flatmap 'a 'b [n] (f: a -> ?[k].[k]b) (as: [n]a) : *[]b =
  loop acc = [] for a in as do intrinsics.concat acc (f a)
