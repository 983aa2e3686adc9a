entry main [q] [r] [d] (k : i64) (queries : [q][d]f32) (refs : [r][d]f32) -> (best : [q][k]f32) =
  let (nearest : [q][k]f32) =
    kernel i < q do
      let (none : [k]f32) = replicate [k] f32.inf
      let (list : [k]f32) =
        loop (cand : *[k]f32) = none for j < r do
          let (dist : f32) =
            loop (acc : f32) = 0.0f32 for c < d do
              let (u : f32) = queries[i, c]
              let (v : f32) = refs[j, c]
              let (acc2 : f32) = acc + (u - v) * (u - v)
              in (acc2)
          let (cand2 : [k]f32) (rest : f32) =
            loop (ins : *[k]f32) = cand, (carry : f32) = dist for p < k do
              let (here : f32) = ins[p]
              let (small : f32) = min(here, carry)
              let (large : f32) = max(here, carry)
              let (ins2 : [k]f32) = ins with [p] = small
              in (ins2, large)
          in (cand2)
      in (list)
  in (nearest)
