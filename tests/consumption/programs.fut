-- Small programs and what the uniqueness checker says about them: `ok`, or the code of the error.
--
-- Futhark 0.25.32 accepts the same ones, but where a heading says otherwise.  A heading begins with
-- three dashes; the table is read by tests/frontends/futhark/test_consume.py.

--- arraylit: ok
def f [n] (xs: *[n]i32) = let ys = [xs,xs] let zs = xs with [0] = 1 in (ys,zs)

--- proj1: use-after-consume
def f [n] (a: *[n]i32) (b: *[n]i32) = let p = (a, b) let a' = a with [0] = 1 in (a', p.1)

--- proj2: use-after-consume
def f [n] (a: *[n]i32) (b: *[n]i32) = let p = (a, b) let a' = p.0 with [0] = 1 in (a', p.1)

--- proj3: use-after-consume
def f [n] (p: *([n]i32, [n]i32)) = let a' = p.0 with [0] = 1 in (a', p.1)

--- patdestruct: use-after-consume
def f [n] (p: *([n]i32, [n]i32)) = let (a,b) = p let a' = a with [0] = 1 in (a', b)

--- partstar: use-after-consume
def f [n] (p: (*[n]i32, [n]i32)) = let (a,b) = p let a' = a with [0] = 1 in (a', b)

--- partstar2: ok
def f [n] ((a,b): (*[n]i32, [n]i32)) = let a' = a with [0] = 1 in (a', b)

--- partstar3: not-consumable
def f [n] ((a,b): (*[n]i32, [n]i32)) = let a' = b with [0] = 1 in (a', b)

--- partstarcall: not-consumable
def f [n] ((a,b): (*[n]i32, [n]i32)) = a with [0] = b[0]
def g [n] (a: *[n]i32) (b: [n]i32) = f (a,b)

--- partstarcall2: use-after-consume
def f [n] ((a,b): (*[n]i32, [n]i32)) = a with [0] = b[0]
def g [n] (a: *[n]i32) (b: *[n]i32) = let c = f (a,b) in (c,b)

--- argorder: ok
def f [n] (a: *[n]i32) (b: i32) = a with [0] = b
def g [n] (a: *[n]i32) = f a a[0]

--- argorder2: use-after-consume
def f [n] (b: i32) (a: *[n]i32)  = a with [0] = b
def g [n] (a: *[n]i32) = f a[0] a

--- argalias: argument-alias
def f [n] (a: *[n]i32) (b: [n]i32) = a with [0] = b[0]
def g [n] (a: *[n]i32) = f a a

--- argalias2: use-after-consume
def f [n] (b: [n]i32) (a: *[n]i32)  = a with [0] = b[0]
def g [n] (a: *[n]i32) = f a a

--- selfalias: self-alias
def f [n] (p: *([n]i32, [n]i32)) = p.0 with [0] = 1
def g [n] (a: *[n]i32) = f (a, a)

--- lambdaconsume: not-consumable
def f [n] (xs: *[n]i32) = map (\i -> xs with [0] = i) (iota 3 |> map i32.i64)

--- lambdalocal: ok
def f (n: i64) = map (\i -> let xs = replicate n i in xs with [0] = 1) (iota 3)

--- lambdaparam: not-consumable
def f [n] (xss: *[n][3]i32) = map (\xs -> xs with [0] = 1) xss

--- lambdaparamstar: consuming-function
def f [n] (xss: *[n][3]i32) = map (\(xs: *[3]i32) -> xs with [0] = 1) xss

--- closureused: use-after-consume
def f [n] (xs: *[n]i32) = let g i = xs[i] let ys = xs with [0] = 1 in (g 0, ys)

--- closurepartial: use-after-consume
def h [n] (xs: [n]i32) (i: i64) = xs[i]
def f [n] (xs: *[n]i32) = let g = h xs let ys = xs with [0] = 1 in (g 0, ys)

--- globalconsume: not-consumable
def g : [3]i32 = [1,2,3]
def f (i: i32) = g with [0] = i

--- globalreturn: global-alias
def g : [3]i32 = [1,2,3]
def f (_: i32) = g

--- globalreturnstar: global-alias
def g : [3]i32 = [1,2,3]
def f (_: i32) : *[3]i32 = g

--- globalalias: not-consumable
def g : [3]i32 = [1,2,3]
def f (i: i32) = let h = g in h with [0] = i

--- globalconst2: ok
def g : [3]i32 = [1,2,3]
def h = g

--- globalfnresult: ok
def g = let xs = replicate 3 1i32 in \(i: i64) -> xs
def f = let ys = g 0 in ys with [0] = 1i32

--- nonuniqueparam: not-consumable
def f [n] (xs: [n]i32) = xs with [0] = 1

--- returnstarparam: result-alias
def f [n] (xs: [n]i32) : *[n]i32 = xs

--- returnstarparam2: ok
def f [n] (xs: *[n]i32) : *[n]i32 = xs

--- returnstardup: result-alias
def f [n] (xs: *[n]i32) : (*[n]i32, *[n]i32) = (xs, xs)

--- returnstardup2: result-alias
def f [n] (xs: *[n]i32) : (*[n]i32, [n]i32) = (xs, xs)

--- returndup: use-after-consume
def f [n] (xs: *[n]i32) = (xs, xs)
def g [n] (xs: *[n]i32) = let (a,b) = f xs in (a with [0] = 1, b)

--- inferret: ok
def f [n] (xs: [n]i32) = map (+1) xs
def g [n] (xs: [n]i32) = f xs with [0] = 1

--- inferret2: not-consumable
def f [n] (xs: [n]i32) = id xs
def g [n] (xs: [n]i32) = f xs with [0] = 1

--- inferretpair: ok
def f [n] (xs: [n]i32) = (xs, copy xs)
def g [n] (xs: [n]i32) = let (a,b) = f xs in b with [0] = 1

--- declretpair: not-consumable
def f [n] (xs: [n]i32) : ([n]i32,[n]i32) = (xs, copy xs)
def g [n] (xs: [n]i32) = let (a,b) = f xs in b with [0] = 1

--- ifalias: use-after-consume
def f [n] (c: bool) (xs: *[n]i32) (ys: *[n]i32) = let zs = if c then xs else ys let ws = zs with [0] = 1 in (ws, xs)

--- ifconsume: ok
def f [n] (c: bool) (xs: *[n]i32) = let zs = if c then xs with [0] = 1 else xs in (zs, 1)

--- ifconsume2: use-after-consume
def f [n] (c: bool) (xs: *[n]i32) = let zs = if c then xs with [0] = 1 else xs in (zs, xs)

--- ifconsume3: ok
def f [n] (c: bool) (xs: *[n]i32) = let zs = if c then xs with [0] = 1 else xs in zs with [1] = 2

--- slice: use-after-consume
def f [n] (xs: *[n]i32) = let ys = xs[1:] let zs = xs with [0] = 1 in (ys, zs)

--- updalias: update-alias
def f [n] (xss: *[n][n]i32) = xss with [0] = xss[1]

--- updalias2: update-alias
def f [n] (xss: *[n][n]i32) = let r = xss[1] let xss[0] = r in xss

--- updaliascopy: ok
def f [n] (xss: *[n][n]i32) = xss with [0] = copy xss[1]

--- updscalar: ok
def f [n] (xs: *[n]i32) = xs with [0] = xs[1]

--- updindex: ok
def f [n] (xs: *[n]i64) = xs with [xs[0]] = xs[1]

--- letwithglobal: update-global
def g : [3]i32 = [1,2,3]
def f (i: i32) = let g[0] = i in g

--- letwithparam: not-consumable
def f [n] (xs: [n]i32) = let xs[0] = 1 in xs

--- loop1: ok
def f [n] (xs: *[n]i32) = loop xs for i < 3 do xs with [i] = 1

--- loop2: not-consumable
def f [n] (xs: [n]i32) = loop ys = xs for i < 3 do ys with [i] = 1

--- loop3: use-after-consume
def f [n] (xs: *[n]i32) = let ys = loop ys = xs for i < 3 do ys with [i] = 1 in (ys, xs)

--- loopnocons: ok
def f [n] (xs: [n]i32) = loop ys = xs for i < 3 do map (+1) ys

--- loopnocons2: not-consumable
def f [n] (xs: [n]i32) = let zs = loop ys = xs for i < 3 do map (+1) ys in zs with [0] = 1

--- loopfree: loop-alias
def f [n] (xs: *[n]i32) (b: *[n]i32) = loop ys = xs for i < 3 do let zs = ys with [i] = 1 in b

--- loopfree2: not-consumable
def f [n] (xs: *[n]i32) (b: *[n]i32) = loop ys = xs for i < 3 do let zs = b with [i] = 1 in ys

--- loopuse: loop-use
def f [n] (xs: *[n]i32) = loop ys = xs for i < 3 do ys with [i] = xs[0]

--- loopuse2: ok
def f [n] (xs: *[n]i32) = loop ys = copy xs for i < 3 do ys with [i] = xs[0]

--- loopswap: ok
def f [n] (a: *[n]i32) (b: *[n]i32) = loop (x, y) = (a, b) for i < 3 do (y, x with [i] = 1)

--- loopdup: loop-alias
def f [n] (a: *[n]i32) (b: *[n]i32) = loop (x, y) = (a, b) for i < 3 do let z = x with [i] = 1 in (z, z)

--- loopdup2: ok
def f [n] (a: *[n]i32) (b: *[n]i32) = loop (x, y) = (a, b) for i < 3 do let z = x with [i] = 1 in (z, copy z)

--- loopdup3: self-alias
def f [n] (a: *[n]i32) = loop (x, y) = (a, a) for i < 3 do (x with [i] = 1, y)

--- loopstarann: ok
def f [n] (a: *[n]i32) = loop (x: *[n]i32) = a for i < 3 do map (+1) x

--- loopann: not-consumable
def f [n] (a: *[n]i32) = loop (x: [n]i32) = a for i < 3 do x with [i] = 1

--- loopstarfresh: ok
def f [n] (a: *[n]i32) = let r = loop (x: *[n]i32) = a for i < 3 do map (+1) x in r with [0] = 1

--- loopwhile: ok
def f [n] (a: *[n]i32) = loop x = a while x[0] < 3 do x with [0] = x[0] + 1

--- loopwhilecons: not-consumable
def f [n] (a: *[n]i32) = loop x = a while (let y = x with [0] = 1 in y[0] < 3) do x

--- forin: ok
def f [n] (a: *[n]i32) (b: [n]i64) = loop x = a for i in b do x with [i] = 1

--- forincons: not-consumable
def f [n] (b: *[n][n]i32) = loop x = 0 for r in b do (r with [0] = x)[1]

--- forinself: ok
def f [n] (a: *[n]i64) = loop x = a for i in a do x with [i] = 1

--- loopres: ok
def f [n] (xs: *[n]i32) = let (a,b) = loop (a,b) = (xs, 0) for i < 3 do (a with [i] = b, b+1) in (a with [0] = b)

--- loopres2: ok
def f [n] (a: *[n]i32) (b: *[n]i32) = let (x,y) = loop (x,y) = (a, b) for i < 3 do (x with [i] = 1, y with [i] = 2) let z = x with [0] = 1 in (z,y)

--- loopres3: ok
def f [n] (a: [n]i32) (b: [n]i32) = let (x,y) = loop (x,y) = (copy a, b) for i < 3 do (x with [i] = 1, y) let z = x with [0] = 1 in (z,y)

--- looprecord: ok
def f [n] (a: *[n]i32) = loop s = {a, b = 0} for i < 3 do s with a = (s.a with [i] = 1)

--- looprecord2: ok
def f [n] (a: *[n]i32) (b: *[n]i32) = loop s = {a, b} for i < 3 do s with a = (copy s.a with [i] = 1)

--- looprecord3: ok
def f [n] (a: *[n]i32) (b: *[n]i32) = loop {a, b} = {a, b} for i < 3 do {a=a with [i] = 1, b}

--- looptuplevar: use-after-consume
def f [n] (a: *[n]i32) = loop s = (a, 0) for i < 3 do (s.0 with [i] = 1, s.1 + 1)

--- loopbodyglobal: loop-alias
def g : [3]i32 = [1,2,3]
def f (a: *[3]i32) = loop x = a for i < 3 do let y = x with [i] = 1 in g

--- loopinnerlam: ok
def f [n] (a: *[n]i32) = loop x = a for i < 3 do let ys = map (\j -> x[j]) (iota n) in (x with [i] = ys[0])

--- loopglobalinit: not-consumable
def g : [3]i32 = [1,2,3]
def f (_: i32) = loop x = g for i < 3 do x with [i] = 1

--- match1: ok
type t [n] = #a ([n]i32) | #b ([n]i32) i32
def f [n] (x: *t [n]) = match x case #a xs -> xs with [0] = 1 case #b xs i -> xs with [0] = i

--- match2: not-consumable
type t [n] = #a ([n]i32) | #b ([n]i32) i32
def f [n] (x: t [n]) = match x case #a xs -> xs with [0] = 1 case #b xs i -> xs with [0] = i

--- match3: ok
type t [n] = #a ([n]i32) | #b ([n]i32) i32
def f [n] (x: *[n]i32) : t [n] = #a x
def g [n] (x: *[n]i32) = let y = f x in match y case #a xs -> xs with [0] = 1 case #b xs i -> xs with [0] = i

--- match4: use-after-consume
type t [n] = #a ([n]i32) | #b ([n]i32) i32
def g [n] (x: *[n]i32) (y: *[n]i32) = let s : t[n] = #a x let y = x with [0] = 1 in match s case #a z -> z case #b z _ -> z

--- match5: ok
def g [n] (x: *[n]i32) (c: i32) = let y = match c case 0 -> x case _ -> x with [0] = 1 in y with [1] = 1

--- match6: use-after-consume
def g [n] (x: *[n]i32) (c: i32) = let y = match c case 0 -> x case _ -> x with [0] = 1 in (y with [1] = 1, x)

--- recupd: use-after-consume
def f [n] (a: *[n]i32) (b: *[n]i32) = let r = {a, b} let s = r with a = replicate n 0 let t = s.b with [0] = 1 in (t, r.a)

--- recupd2: ok
def f [n] (a: *[n]i32) (b: *[n]i32) = let r = {a, b} let s = r with a = replicate n 0 in s.a with [0] = 1

--- recupd3: ok
def f [n] (a: *[n]i32) (b: *[n]i32) = let r = {a, b} let s = r with a = replicate n 0 let t = s.a with [0] = 1 in (t, a)

--- poly1: use-after-consume
def f 'a (x: a) : a = x
def g [n] (xs: *[n]i32) = let ys = f xs let zs = ys with [0] = 1 in (xs, zs)

--- poly2: ok
def f 'a (x: a) : *a = copy x
def g [n] (xs: [n]i32) = let ys = f xs let zs = ys with [0] = 1 in (xs, zs)

--- poly3: ok
def f 'a (x: *a) : *a = x
def g [n] (xs: *[n]i32) = let ys = f xs let zs = ys with [0] = 1 in zs

--- poly4: result-alias
def f 'a (x: a) : *a = x

--- poly5: argument-alias
def f 'a [n] (x: *[n]a) (y: a) : *[n]a = x with [0] = y
def g [n] (x: *[n][n]i32) = f x x[0]

--- poly6: ok
def f 'a [n] (x: *[n]a) (y: a) : *[n]a = x with [0] = y
def g [n] (x: *[n][n]i32) (y: *[n]i32)= let z = f x y let w = y with [0] = 1 in (z,w)

--- polypair: use-after-consume
def f 'a 'b (p: (a,b)) : (b,a) = (p.1,p.0)
def g [n] (x: *[n]i32) (y: *[n]i32)= let (a,b) = f (x,y) let z = a with [0] = 1 in (z,b)

--- partialcons: functional-consumption
def f [n] (x: *[n]i32) (i: i64) = x with [i] = 1
def g [n] (x: *[n]i32) = let h = f x in (h 0, h 1)

--- partialcons1: functional-consumption
def f [n] (x: *[n]i32) (i: i64) = x with [i] = 1
def g [n] (x: *[n]i32) = let h = f x in h 0

--- partialconsmap: functional-consumption
def f [n] (x: *[n]i32) (i: i64) = x with [i] = 1
def g [n] (x: *[n]i32) = map (f x) (iota 3)

--- pipe: consuming-function
def f [n] (x: *[n]i32) : *[n]i32 = x with [0] = 1
def g [n] (x: *[n]i32) = x |> f

--- pipe2: consuming-function
def f [n] (x: *[n]i32) : *[n]i32 = x with [0] = 1
def g [n] (x: *[n]i32) = f <| x

--- pipe3: ok
def g [n] (x: *[n]i32) = (x |> id) with [0] = 1

--- pipe4: not-consumable
def g [n] (x: [n]i32) = (x |> map (+1)) with [0] = 1

--- hof1: ok
def k [n] (h: *[n]i32 -> *[n]i32) (xs: *[n]i32) = h xs
def f [n] (x: *[n]i32) : *[n]i32 = x with [0] = 1
def g [n] (x: *[n]i32) = k f x

--- hof2: sharing-function
def k [n] (h: *[n]i32 -> *[n]i32) (xs: *[n]i32) = h xs
def f [n] (x: [n]i32) : [n]i32 = x
def g [n] (x: *[n]i32) = k f x

--- hof3: ok
def k [n] (h: *[n]i32 -> *[n]i32) (xs: *[n]i32) = h xs
def f [n] (x: [n]i32) : *[n]i32 = copy x
def g [n] (x: *[n]i32) = k f x

--- hof4: consuming-function
def k [n] (h: [n]i32 -> [n]i32) (xs: *[n]i32) = h xs
def f [n] (x: *[n]i32) : *[n]i32 = x
def g [n] (x: *[n]i32) = k f x

--- hof5: not-consumable
def k [n] (h: *[n]i32 -> *[n]i32) (xs: *[n]i32) = h xs
def g [n] (x: *[n]i32) = k (\x -> x with [0] = 1) x

--- hof6: sharing-function
def k [n] (h: *[n]i32 -> *[n]i32) (xs: *[n]i32) = h xs
def g [n] (x: *[n]i32) = k (\(x: *[n]i32) -> x with [0] = 1) x

--- hof7: ok
def k [n] (h: *[n]i32 -> *[n]i32) (xs: *[n]i32) = h xs
def g [n] (x: *[n]i32) = k (\(x: *[n]i32) : *[n]i32 -> x with [0] = 1) x

--- hof8: ok
def k [n] (h: *[n]i32 -> [n]i32) (xs: *[n]i32) = h xs
def g [n] (x: *[n]i32) = k (\(x: *[n]i32) -> x with [0] = 1) x

--- hof9: sharing-function
def k [n] (h: *[n]i32 -> *[n]i32) (xs: *[n]i32) = h xs
def g [n] (x: *[n]i32) = k (\(x: *[n]i32) -> x) x

--- hof10: ok
def k [n] (h: *[n]i32 -> *[n]i32) (xs: *[n]i32) = h xs
def g [n] (x: *[n]i32) = k (map (+1)) x

--- hof11: ok
def k [n] (h: [n]i32 -> *[n]i32) (xs: *[n]i32) = h xs
def g [n] (x: *[n]i32) = k (map (+1)) x

--- hof12: sharing-function
def k [n] (h: [n]i32 -> *[n]i32) (xs: *[n]i32) = h xs
def g [n] (x: *[n]i32) = k (\x -> map (+1) x) x

--- hof13: sharing-function
def k [n] (h: [n]i32 -> *[n]i32) (xs: *[n]i32) = h xs
def g [n] (x: *[n]i32) = k (\x -> x) x

--- hof14: sharing-function
def k [n] (h: [n]i32 -> *[n]i32) (xs: *[n]i32) = h xs
def g [n] (x: *[n]i32) = k id x

--- hof15: ok
def k [n] (h: [n]i32 -> *[n]i32) (xs: *[n]i32) = h xs
def g [n] (x: *[n]i32) = k copy x

--- hofres: ok
def k [n] (h: [n]i32 -> [n]i32) (xs: *[n]i32) = h xs
def g [n] (x: *[n]i32) = let y = k copy x in y with [0] = 1

--- hofres2: use-after-consume
def k [n] (h: [n]i32 -> [n]i32) (xs: *[n]i32) = h xs
def g [n] (x: *[n]i32) (z: *[n]i32) = let y = k (\_ -> z) x let w = z with [0] = 1 in (w,y)

--- letfun1: ok
def g [n] (x: *[n]i32) = let f (y: *[n]i32) = y with [0] = 1 in f x

--- letfun2: use-after-consume
def g [n] (x: *[n]i32) = let f (y: *[n]i32) : *[n]i32 = y with [0] = 1 let z = f x in (z,x)

--- letfun3: not-consumable
def g [n] (x: *[n]i32) = let f (i: i64) = x with [i] = 1 in f 0

--- letfun4: ok
def g [n] (x: *[n]i32) = let f (i: i64) = x in f 0

--- letfun5: use-after-consume
def g [n] (x: *[n]i32) = let f (i: i64) = x let y = f 0 let z = x with [0] = 1 in (y,z)

--- letfun6: ok
def g [n] (x: *[n]i32) = let f (i: i64) : *[n]i32 = x in f 0

--- letfun7: ok
def g [n] (x: *[n]i32) = let f (i: i64) = x let y = f 0 let z = y with [0] = 1 in z

--- lam1: ok
def g [n] (x: *[n]i32) = let f = \(y: *[n]i32) -> y with [0] = 1 in f x

--- lam2: ok
def g [n] (x: *[n]i32) = let f = \i -> x[i] in (f 0, x with [0] = 1)

--- lam3: use-after-consume
def g [n] (x: *[n]i32) = let y = x with [0] = 1 let f = \i -> x[i] in f 0

--- asc1: not-consumable
def g [n] (x: [n]i32) = (x : *[n]i32) with [0] = 1

--- asc2: ok
def g [n] (x: *[n]i32) = let (y: *[n]i32) = x in y with [0] = 1

--- asc3: ok
def g [n] (x: [n]i32) = let (y: *[n]i32) = x in y[0]

--- asc4: ok
def g [n] (x: *[n]i32) = let (y: [n]i32) = x in y with [0] = 1

--- asc5: consuming-function
def f [n] (x: *[n]i32) : *[n]i32 = x
def g [n] (x: *[n]i32) = (f : [n]i32 -> [n]i32) x

--- asc6: sharing-function
def f [n] (x: [n]i32) : [n]i32 = x
def g [n] (x: *[n]i32) = let (h : [n]i32 -> *[n]i32) = f in h x

--- coerce: use-after-consume
def g [n] (x: *[n]i32) = let y = x :> [3]i32 let z = x with [0] = 1 in (y,z)

--- abbr: not-consumable
type t = *[3]i32
def g (x: t) = x with [0] = 1

--- abbr2: not-consumable
type t = (*[3]i32, i32)
def g (x: t) = x.0 with [0] = 1

--- abbr3: ok
type^ t = *[3]i32 -> *[3]i32
def g (f: t) (x: *[3]i32) = f x

--- abbr4: use-after-consume
type^ t = *[3]i32 -> *[3]i32
def g (f: t) (x: *[3]i32) = (f x, x)

--- starscalar: ok
def g (x: *i32) : *i32 = x + 1

--- starrecord: ok
def g [n] (r: *{a: [n]i32, b: i32}) = r.a with [0] = 1

--- starrecord2: ok
def g [n] (r: {a: *[n]i32, b: [n]i32}) = r.b with [0] = 1

--- recpat: not-consumable
def g [n] ({a, b}: {a: *[n]i32, b: [n]i32}) = b with [0] = 1

--- recpat2: ok
def g [n] ({a, b}: {a: *[n]i32, b: [n]i32}) = a with [0] = b[0]

--- arrtuple: use-after-consume
def g [n] (x: *[n](i32,i32)) = let (a,b) = unzip x let y = x with [0] = (1,2) in (a, y)

--- arrtuple2: use-after-consume
def g [n] (x: *[n](i32,i32)) = let (a,b) = unzip x let c = a with [0] = 1 in (c, b)

--- ziptuple: ok
def g [n] (x: *[n]i32) (y: *[n]i32) = let z = zip x y let c = x with [0] = 1 in (c, z)

--- scatter: ok
def g [n] (x: *[n]i32) = scatter x [0] [1]

--- scatter2: not-consumable
def g [n] (x: [n]i32) = scatter x [0] [1]

--- scatter3: use-after-consume
def g [n] (x: *[n]i32) = let y = scatter x [0] [1] in (x, y)

--- scatter4: argument-alias
def g [n] (x: *[n]i32) = scatter x (iota n) x

--- hist: use-after-consume
def g [n] (x: *[n]i32) = let y = reduce_by_index x (+) 0 [0] [1] in (x[0], y)

--- flatten: use-after-consume
def g [n] (x: *[n][n]i32) = let y = flatten x let z = x with [0,0] = 1 in (y,z)

--- transpose: ok
def g [n] (x: *[n][n]i32) = let y = transpose x let z = y with [0,0] = 1 in z

--- reduce: use-after-consume
def g [n] (x: *[n][3]i32) = let y = reduce (map2 (+)) [0,0,0] x let z = y with [0] = 1 in (z, x)

--- reduce2: ok
def g [n] (x: *[n][3]i32) = let y = reduce (map2 (+)) [0,0,0] x let z = y with [0] = 1 in z

--- loopacc: not-consumable
def g [n] (x: [n]i32) = let ys = foldl (\a b -> map (+b) a) (replicate n 0) x in ys with [0] = 1

--- foldlx: not-consumable
def g [n] (x: [n]i32) = foldl (\a b -> a with [0] = b) (replicate n 0) x

--- assertalias: use-after-consume
def g [n] (x: *[n]i32) = let y = assert true x let z = x with [0] = 1 in (y,z)

--- replic: ok
def g [n] (x: *[n]i32) = let y = replicate 3 x let z = x with [0] = 1 in (y,z)

--- head: use-after-consume
def g [n] (x: *[n][n]i32) = let y = head x let z = x with [0,0] = 1 in (y,z)

--- uncurried: ok
def f [n] (x: *[n]i32, i: i64) = x with [i] = 1
def g [n] (x: *[n]i32) = f (x, 0)

--- mapfcons: consuming-function
def f [n] (x: *[n]i32) = x with [0] = 1
def g [n] (x: *[n][n]i32) = map f x

--- compose: consuming-function
def f [n] (x: *[n]i32) = x with [0] = 1
def g = f >-> f

--- copystar: ok
def f [n] (x: [n]i32) : *[n]i32 = copy x with [0] = 1

--- entrynonuniq: ok
entry f [n] (x: [n]i32) : [n]i32 = x

--- flip: consuming-function
def f [n] (i: i32) (x: *[n]i32) = x with [0] = i
def g [n] (x: *[n]i32) = flip f x 1

--- iflambda: ok
def g [n] (x: *[n]i32) (c: bool) = let (a,b) = if c then (x, x) else (x, copy x) in b with [0] = 1

--- consumecond: ok
def g [n] (x: *[n]i32) = if (x with [0] = 1)[0] > 0 then 1 else 2

--- consumecond2: use-after-consume
def g [n] (x: *[n]i32) = if (x with [0] = 1)[0] > 0 then x[0] else 2

--- tupleorder: use-after-consume (not in Futhark)
def f [n] (xs: *[n]i32) = (xs, xs with [0] = 1)

--- tupleorder2: use-after-consume
def f [n] (xs: *[n]i32) = (xs with [0] = 1, xs)

--- hof16: sharing-function
def k [n] (h: *[n]i32 -> *[n]i32) (xs: *[n]i32) = h xs
def g [n] (x: *[n]i32) = let f (x: *[n]i32) = x with [0] = 1 in k f x

--- hof17: ok
def k [n] (h: *[n]i32 -> *[n]i32) (xs: *[n]i32) = h xs
def f [n] (x: *[n]i32) = x with [0] = 1
def g [n] (x: *[n]i32) = k f x

--- loopres4: not-consumable (not in Futhark)
def f [n] (a: [n]i32) (b: [n]i32) = let (x,y) = loop (x,y) = (copy a, b) for i < 3 do (x with [i] = 1, y) let z = y with [0] = 1 in (x,z)

--- loopfree3: use-after-consume
def f [n] (xs: [n]i32) (b: *[n]i32) = let r = loop ys = xs for i < 3 do b let z = b with [0] = 1 in (r,z)

--- forinself2: ok
def f [n] (a: *[n][n]i64) = loop x = a for r in a do x with [0] = copy r

--- forinself3: ok
def f [n] (a: *[n][n]i64) = loop x = a for r in a do x with [0] = r

--- lamglobal: global-alias
def g : [3]i32 = [1,2,3]
def f = \(i:i32) -> g

--- lamglobal2: global-alias
def g : [3]i32 = [1,2,3]
def f (x: i32) = map (\i -> g) (iota 3)

--- lamglobal3: global-alias
def g : [3]i32 = [1,2,3]
def f (x: i32) = let h = \(i: i32) -> g in (h 0)[0]

--- pairglobal: global-alias
def g : [3]i32 = [1,2,3]
def f (x: i32) = (x, g)

--- sumglobal: global-alias
def g : [3]i32 = [1,2,3]
def f (x: i32) : #a ([3]i32) | #b = #a g

--- globalslice: global-alias
def g : [3]i32 = [1,2,3]
def f (x: i32) = g[1:]

--- globalmap: ok
def g : [3]i32 = [1,2,3]
def f (x: i32) = map (+x) g

--- closureconsume: ok
def f [n] (x: *[n]i32) = let h = (\(y: *[n]i32) (i: i64) -> y with [i] = 1) in h x 0

--- closureconsume2: functional-consumption
def f [n] (x: *[n]i32) = let h = (\(y: *[n]i32) (i: i64) -> y with [i] = 1) let k = h x in k 0

--- lamunann: not-consumable
def f [n] (x: *[n]i32) = let h = \y -> y with [0] = 1i32 in h x

--- letfununann: not-consumable
def f [n] (x: *[n]i32) = let h y = y with [0] = 1i32 in h x

--- defunann: not-consumable
def f x = x with [0] = 1i32

--- lamret: result-alias
def f [n] (x: [n]i32) = let h = \(y: [n]i32) : *[n]i32 -> y in h x

--- lamretcap: ok
def f [n] (x: [n]i32) = let h = \(i:i32) : *[n]i32 -> x in h 0

--- letfunret: result-alias
def f [n] (x: [n]i32) = let h (y: [n]i32) : *[n]i32 = y in h x

--- idfun: ok
def f [n] (x: *[n]i32) = x with [0] = 1
def g [n] (x: *[n]i32) = id f x

--- idfun2: use-after-consume
def f [n] (x: *[n]i32) = x with [0] = 1
def g [n] (x: *[n]i32) = let h = f in (h x, x)

--- recfun: ok (not in Futhark)
def f [n] (i: i32) (x: *[n]i32) : *[n]i32 = if i == 0 then x else f (i-1) (x with [0] = i)

--- recfun2: use-after-consume
def f [n] (i: i32) (x: *[n]i32) : *[n]i32 = if i == 0 then x else let y = f (i-1) x in x

--- funrecord: use-after-consume
def f [n] (x: *[n]i32) = let r = {h = \(i: i64) -> x[i]} let y = x with [0] = 1 in r.h 0

--- section: use-after-consume
def f [n] (x: *[n]i32) = let h = (x `zip`) let y = x with [0] = 1 in (h y, 0)

--- sectionr: use-after-consume
def f [n] (x: *[n]i32) = let h = (`zip` x) let y = x with [0] = 1 in (h y, 0)

--- backtick: use-after-consume
def (+++) [n] (x: *[n]i32) (y: i32) = x with [0] = y
def f [n] (x: *[n]i32) = x +++ x[0]

--- backtick2: use-after-consume
def (+++) [n] (x: *[n]i32) (y: i32) = x with [0] = y
def f [n] (x: *[n]i32) = let y = x +++ 1 in (x,y)

--- backtick3: ok
def (+++) [n] (y: i32) (x: *[n]i32)  = x with [0] = y
def f [n] (x: *[n]i32) = x[0] +++ x

--- neststar: ok
def f [n] (x: *([n]i32, ([n]i32, i32))) = let (a, (b, c)) = x in (copy a, b with [0] = c)

--- patstar: ok
def f [n] ((a, (b, c)): *([n]i32, ([n]i32, i32))) = (a, b with [0] = c)

--- patstar2: ok
def f [n] ((a: *[n]i32), (b: [n]i32)) = a with [0] = b[0]

--- patstar3: ok
def f [n] ((a: *[n]i32, b: [n]i32): ([n]i32, [n]i32)) = a with [0] = b[0]

--- loopnoinit: ok
def f [n] (x: *[n]i32) = loop x for i < 3 do x with [i] = 1

--- loopshadow: ok
def f [n] (x: *[n]i32) = let x = loop x for i < 3 do x with [i] = 1 in x with [0] = 2

--- ifbothcons: ok
def f [n] (c: bool) (x: *[n]i32) = if c then x with [0] = 1 else x with [0] = 2

--- matchrec: ok
def f [n] (x: *{a: [n]i32, b: [n]i32}) = match x case {a, b} -> a with [0] = b[0]

--- dupdata: ok
def f [n] (x: *[n]i32) (c: bool) = let y = if c then (x, 1) else (copy x, 2) let z = y.0 with [0] = 1 in z

--- unusedconsume: use-after-consume
def f [n] (x: *[n]i32) = let _ = x with [0] = 1 in x

--- updown: ok
def f [n] (x: *[n]i32) = let x = x with [0] = 1 let x = x with [1] = 2 in x

--- updself: use-after-consume
def f [n] (x: *[n]i32) = x with [0] = (x with [1] = 2)[0]

--- updself2: ok
def f [n] (x: *[n]i32) = (x with [0] = 1) with [1] = x[0]

--- updslice: update-alias
def f [n] (x: *[n]i32) = x with [0:2] = x[1:3]

--- nestedarr: use-after-consume
def f [n] (x: *[n][n]i32) = let r = x[0] let r[0] = 1 in (r, x)

--- nestedarr2: ok
def f [n] (x: *[n][n]i32) = let r = copy x[0] let r[0] = 1 in (r, x)

--- arroftup: ok
def f [n] (x: *[n](i32, [n]i32)) = let (a, b) = x[0] let b[0] = 1 in (a, b)

--- arroftup2: use-after-consume
def f [n] (x: *[n](i32, [n]i32)) = let (a, b) = x[0] let b[0] = 1 in x

--- polyarr: update-alias
def f 'a [n] (x: *[n]a) = x with [0] = x[1]

--- polyarr2: ok
def f 'a [n] (x: [n]a) = x[0]
def g [n] (x: *[n]i32) = let y = f x let x[0] = 1 in y

--- polyarr3: use-after-consume
def f 'a [n] (x: [n]a) = x[0]
def g [n] (x: *[n][n]i32) = let y = f x let x[0,0] = 1 in y

--- polycopy: use-after-consume
def g 'a (x: a) : a = copy x
def h [n] (x: *[n]i32) = let y = g x let x[0] = 1 in y

--- sumpoly: use-after-consume
type o 'a = #some a | #none
def g 'a [n] (x: [n]a) : o a = #some x[0]
def h [n] (x: *[n][n]i32) = let y = g x let x[0,0] = 1 in match y case #some z -> z case #none -> []

--- patstar4: not-consumable
def f [n] ((a: [n]i32, b): *([n]i32, [n]i32)) = a with [0] = 1

--- patstar5: self-alias
def f [n] ((a: *[n]i32, b: [n]i32): ([n]i32, [n]i32)) = a with [0] = b[0]
def g [n] (x: [n]i32) = f (x, x)

--- letfunglobal: global-alias
def g : [3]i32 = [1,2,3]
def f (x: i32) = let h (i: i32) = g in (h 0)[0] + x

--- letfunglobal2: global-alias
def g : [3]i32 = [1,2,3]
def f (x: i32) = let h (i: i32) : [3]i32 = g in (h 0)[0] + x

--- letret1: ok
def f [n] (x: *[n]i32) = let h (y: *[n]i32) (z: [n]i32): [n]i32 = z in let r = h x (copy x) in r

--- constlet: ok
def g : [3]i32 = let x = [1,2,3] in x with [0] = 2

--- constfn: not-consumable
def g = let x = [1,2,3i32] in \(i: i32) -> x with [0] = 2

--- lamnest: ok
def f [n] (x: *[n]i32) = map (\i -> map (\j -> x[j] + i) (iota 3)) (map i32.i64 (iota 3))

--- lamnestcons: ok
def f (n: i64) = map (\i -> let x = replicate n i let y = map (\j -> x[j]) (iota n) let x[0] = 2 in (x,y)) (iota 3)

--- lamcapcons: not-consumable
def f (n: i64) = let x = replicate n 0i32 in map (\i -> let x[i] = 2 in x) (iota 3)

--- loopcapcons: not-consumable
def f (n: i64) = let x = replicate n 0i32 in loop a = 0 for i < 3 do let y = x with [i] = 2 in a + y[0]

--- scatterloop: ok
def f [n] (x: *[n]i32) = loop x for i < 3 do scatter x [i] [2]

--- loopmulti: ok
def f [n] (x: *[n]i32) (y: *[n]i32) = loop (x, y, k) = (x, y, 0) for i < 3 do let x[i] = y[i] let y[i] = x[0] in (x, y, k + x[0])

--- loopkeep: ok
def f [n] (x: *[n]i32) (y: [n]i32) = loop (x, y) = (x, y) for i < 3 do (x with [i] = y[0], y)

--- looprotate: ok
def f [n] (x: *[n]i32) (y: [n]i32) = loop (x, y) for i < 3 do (map (+1) y, x)

--- loopstarwrong: loop-alias
def f [n] (x: *[n]i32) (y: [n]i32) = loop (x: *[n]i32) = x for i < 3 do y

--- loopstarwrong2: not-consumable
def f [n] (x: [n]i32) = loop (x: *[n]i32) = x for i < 3 do map (+1) x

--- iota: ok
def f [n] (x: [n]i32) = (iota n) with [0] = 1

--- range: ok
def f (n: i64) = (0..<n) with [0] = 1

--- lit: ok
def f (n: i64) = [n, n+1] with [0] = 1

--- str: ok
def f (n: i64) = "abc" with [0] = 1

--- matchscalar: ok
def f (n: i64) (x: *[n]i32) = match n case 0 -> x case _ -> let x[0] = 1 in x

--- matchtup: ok
def f (n: i64) (x: *[n]i32) (y: *[n]i32) = match (x, y) case (a, b) -> let a[0] = 1 in (a, b)

--- matchtup2: use-after-consume
def f (n: i64) (x: *[n]i32) (y: *[n]i32) = match (x, y) case (a, b) -> let a[0] = 1 in (a, x)

--- tuprecons: use-after-consume
def f [n] (x: *[n]i32) (y: *[n]i32) = let t = (x,y) let (a,b) = t let a[0] = 1 in (a,b)

--- tuprecons2: use-after-consume
def f [n] (x: *[n]i32) (y: *[n]i32) = let t = (x,y) let (a,b) = t let a[0] = 1 in (a,t.1)

--- projparam: use-after-consume
def f [n] (x: *{a: [n]i32, n: i32}) = let a = x.a with [0] = x.n in (a, x.n)

--- recwithself: ok
def f [n] (x: *{a: [n]i32, n: i32}) = x with a = (x.a with [0] = 1)

--- recwithself2: ok
def f [n] (x: *{a: [n]i32, n: [n]i32}) = x with a = (x.a with [0] = 1)

--- vjp: ok
def f [n] (x: *[n]i32) = #[trace] (x with [0] = 1)

--- zipup: ok
def f [n] (x: *[n]i32) (y: *[n]i32) = zip x y with [0] = (1,2)

--- unzipup: ok
def f [n] (x: *[n](i32,i32)) = let (a,b) = unzip x in a with [0] = 1

--- unzipup2: not-consumable
def f [n] (x: [n](i32,i32)) = let (a,b) = unzip x in a with [0] = 1

--- mapid: ok
def f [n] (x: [n]i32) = map id x with [0] = 1

--- mapclosure: ok
def f [n] (x: [n][n]i32) (y: *[n]i32) = let z = map (\_ -> y) x let y[0] = 1 in (z,y)

--- reduceclosure: use-after-consume
def f [n] (x: [n][n]i32) (y: *[n]i32) = let z = reduce (\_ _ -> y) y x let y[0] = 1 in (z,y)

--- filterup: ok
def f [n] (x: [n]i32) = filter (>0) x with [0] = 1

--- partup: not-consumable
def f [n] (x: [n]i32) = let (a,b) = partition (>0) x in a with [0] = 1

--- concatup: ok
def f [n] (x: [n]i32) = (x ++ x) with [0] = 1

--- takeup: not-consumable
def f [n] (x: [n]i32) = take 3 x with [0] = 1

--- revup: not-consumable
def f [n] (x: [n]i32) = reverse x with [0] = 1

--- rotup: ok
def f [n] (x: [n]i32) = rotate 1 x with [0] = 1

--- unflatup: ok
def f [n] (x: *[n*n]i32) : [n][n]i32 = unflatten x with [0,0] = 1

--- splitup: use-after-consume
def f [n] (x: *[n+n]i32) = let (a,b) = split x let a[0] = 1 in (a,b)

--- sizedup: use-after-consume
def f [n] (x: *[n]i32) = let a = sized 3 x let a[0] = 1 in (a,x)

--- iterate: ok
def f [n] (x: *[n]i32) = iterate 3 (map (+1)) x with [0] = 1

--- iterate2: not-consumable
def f [n] (x: [n]i32) = iterate 3 (map (+1)) x with [0] = 1

--- tabulate: ok
def f (n: i64) (y: [n]i32) = tabulate n (\i -> y) with [0] = copy y

--- opaque: not-consumable
def f [n] (x: [n]i32) = opaque x with [0] = 1

--- headup: not-consumable
def f [n] (x: [n][n]i32) = head x with [0] = 1

--- scanup: ok
def f [n] (x: [n]i32) = scan (+) 0 x with [0] = 1

--- manifest: ok
def f [n] (x: [n]i32) = manifest (transpose [x]) with [0,0] = 1

--- indices: ok
def f [n] (x: [n]i32) = indices x with [0] = 1

--- transpup: not-consumable
def f [n] (x: [n][n]i32) = transpose x with [0,0] = 1

--- foldrup: not-consumable
def f [n] (x: [n]i32) (y: *[n]i32) = foldr (\a b -> map (+a) b) y x with [0] = 1

--- copyup: ok
def f [n] (x: [n]i32) = copy x with [0] = 1

--- curryup: not-consumable
def f [n] (x: [n]i32) = curry (\(a,b) -> a) x x with [0] = 1

--- spread: ok
def f [n] (x: [n]i32) = spread 10 0i32 [1] [2] with [0] = 1

--- repup: ok
def f : [3]i32 = let a : [3]i32 = rep 0 in a with [0] = 1

--- partition2: not-consumable
def f [n] (x: [n]i32) = let (a,b,c) = partition2 (>0) (<0) x in a with [0] = 1

--- unzip3up: not-consumable
def f [n] (x: [n](i32,i32,i32)) = let (a,b,c) = unzip3 x in a with [0] = 1

--- tailup: not-consumable
def f [n] (x: [n]i32) = tail x with [0] = 1

--- histup: ok
def f [n] (x: [n]i32) = hist (+) 0 10 [1] [2] with [0] = x[0]

--- rec1: use-after-consume (not in Futhark)
def f [n] (a: *[n]i32) = let r = {a, n = a} in r with a = (r.a with [0] = 1)

--- rec2: ok
def f [n] (a: *[n]i32) = let r = {a, n = copy a} in r with a = (r.a with [0] = 1)

--- rec3: ok
def h [n] (a: *[n]i32) : {a: [n]i32, n: [n]i32} = {a, n = copy a}
def f [n] (a: *[n]i32) = let r = h a in r with a = (r.a with [0] = 1)

--- fun1: functional-consumption
def f [n] (a: *[n]i32) = let g = (let y = copy a let z = y with [0] = 1 in \i -> z[i]) in g 0

--- fun2: functional-consumption
def f [n] (a: *[n]i32) = let g = (let z = a with [0] = 1 in \i -> z[i]) in g 0

--- fun3: functional-consumption
def f [n] (a: *[n]i32) = map (let z = copy a let y = z with [0] = 1 in \i -> y[i]) (iota 3)

--- fun4: functional-consumption
def f [n] (a: *[n]i32) = let (g,b) = ((\(i: i64) -> i), a with [0] = 1) in (g 0, b)

--- ifthree: ok
def f [n] (a: *[n]i32) (b: bool) (c: bool) = let z = if b then a with [0] = 1 else if c then a with [1] = 1 else a in z with [0] = 1

--- consinside: ok
def f [n] (a: *[n]i32) = (let y = copy a in y with [0] = 1) with [1] = 2

--- letfunnull: ok
def f [n] (a: *[n]i32) = let g = a in g with [0] = 1

--- usenothing: use-after-consume
def f [n] (a: *[n]i32) = let b = a with [0] = 1 let c = length a in (b, c)

--- sizeafter: ok
def f [n] (a: *[n]i32) = let b = a with [0] = 1 in (b, n)

--- lamincl: ok
def f [n] (a: *[n]i32) = let g = \(b: *[n]i32) -> (b with [0] = a[0]) in g (copy a)

--- lamincl2: ok
def f [n] (a: *[n]i32) = let g = \(b: *[n]i32) -> (b with [0] = a[0]) in g a

--- letfuncapt: ok
def f [n] (a: *[n]i32) = let g (b: *[n]i32) = (b with [0] = a[0]) in g a

--- dupcons: use-after-consume
def g [n] (a: *[n]i32) (b: *[n]i32) = (a with [0] = 1, b with [0] = 1)
def f [n] (a: *[n]i32) = g a a

--- dupcons2: ok
def g [n] (a: *[n]i32) (b: *[n]i32) = (a with [0] = 1, b with [0] = 1)
def f [n] (a: *[n]i32) = g a (copy a)

--- dupcons3: use-after-consume
def g [n] (a: *[n]i32) (b: *[n]i32) = (a with [0] = 1, b with [0] = 1)
def f [n] (a: *[n+n]i32) = g (take n a) (drop n a :> [n]i32)

--- resself: ok
def g [n] (a: *[n]i32) (b: *[n]i32) : *[n]i32 = if a[0] == 0 then a else b

--- resself2: result-alias
def g [n] (a: *[n]i32) (b: [n]i32) : *[n]i32 = if a[0] == 0 then a else b

--- resself3: ok
def g [n] (a: *[n]i32) (b: [n]i32) : *[n]i32 = if a[0] == 0 then a else copy b

--- ressum: result-alias
def g [n] (a: [n]i32) : *(#x ([n]i32) | #y) = #x a

--- ressum2: ok
def g [n] (a: [n]i32) : *(#x ([n]i32) | #y) = #x (copy a)

--- resrec: ok
def g [n] (a: [n]i32) : {x: *[n]i32, y: [n]i32} = {x = copy a, y = a}

--- resrec2: result-alias
def g [n] (a: [n]i32) : {x: [n]i32, y: *[n]i32} = {x = copy a, y = a}

--- resrec3: ok
def g [n] (a: [n]i32) : {x: *[n]i32, y: [n]i32} = {x = copy a, y = a}
def h [n] (a: [n]i32) = (g a).x with [0] = 1

--- resrec4: not-consumable
def g [n] (a: [n]i32) : {x: *[n]i32, y: [n]i32} = {x = copy a, y = a}
def h [n] (a: [n]i32) = (g a).y with [0] = 1

--- resrec5: ok
def g [n] (a: [n]i32) : {x: *[n]i32, y: [n]i32} = {x = copy a, y = a}
def h [n] (a: [n]i32) = let {x, y} = g a in x with [0] = y[0]

--- typevararr: self-alias
def g 'a (x: *a) : *a = x
def f (x: *([3]i32, [3]i32)) = g x
def h (x: *[3]i32) = let y = g x in y with [0] = 1

--- typevararr2: ok
def g 'a (x: *a) : *a = x
def h (x: *[3]i32) = let y = g (x, copy x) let (a,b) = y let a[0] = 1 in a

--- typevararr3: use-after-consume
def g 'a (x: *a) : *a = x
def h (x: *[3]i32) = let y = g (x, copy x) in let a = y.0 with [0] = 1 in y.1

--- hofcap: use-after-consume
def app 'a 'b (f: a -> b) (x: a) = f x
def h (x: *[3]i32) = let y = app (\(i: i32) -> x) 2 let x[0] = 1 in y

--- hofcap2: ok
def app 'a 'b (f: a -> b) (x: a) : b = f x
def h (x: *[3]i32) = let y = app (\i -> x[i]) 2 let x[0] = 1 in y

--- shadow: ok
def f [n] (x: *[n]i32) = let y = x with [0] = 1 let x = copy y in (x, y)

--- ifuse: ok
def f [n] (x: *[n]i32) (c: bool) = if c then let y = x with [0] = 1 in y else map (+1) x

--- ifuse2: use-after-consume
def f [n] (x: *[n]i32) (c: bool) = let z = if c then let y = x with [0] = 1 in y[0] else 0 in if c then z else x[0]

--- whileloop: ok
def f [n] (x: *[n]i32) = loop (x, i) = (x, 0i64) while i < n do (x with [i] = 1, i + 1)

--- whileloop2: ok
def f [n] (x: *[n]i32) = loop (x, i) = (x, 0i64) while x[i] < 2 do (x with [i] = 1, i + 1)

--- loopnested: ok
def f [n] (x: *[n][n]i32) = loop x for i < n do loop x for j < n do x with [i,j] = 1

--- loopnested2: ok
def f [n] (x: *[n][n]i32) = loop x for i < n do let r = loop r = copy x[i] for j < n do r with [j] = 1 in x with [i] = r

--- loopnested3: use-after-consume
def f [n] (x: *[n][n]i32) = loop x for i < n do let r = loop r = x[i] for j < n do r with [j] = 1 in x with [i] = r

--- loopnoconsres: use-after-consume
def f [n] (x: *[n]i32) = let r = loop y = x for i < 3 do map (+1) y let x[0] = 1 in r

--- loopaccum: ok
def f [n] (x: [n]i32) = loop acc = replicate n 0 for v in x do acc with [v] = v

--- looptwo: ok
def f [n] (x: *[n]i32) (y: *[n]i32) = loop (x,y) for i < 3 do let (x', y') = (x with [0] = y[0], y with [0] = 2) in (y', x')

--- loopwildcard: ok
def f [n] (x: *[n]i32) = loop (x, _) = (x, 1) for i < 3 do (x with [0] = 1, 2)

--- loopunit: ok
def f [n] (x: *[n]i32) = let () = loop () = () for i < 3 do () in x with [0] = 1

--- recchain: use-after-consume
def f [n] (y: *[n]i32) = let r = {a = y, n = copy y} let s = r with a = (r.a with [0] = 1) in (s.a, s.n)

--- recchain2: use-after-consume
def f [n] (r: *{a: [n]i32, b: [n]i32}) = let s = r with a = (r.a with [0] = 1) let t = s with b = (s.b with [0] = 1) in t

--- recchain3: use-after-consume
def f [n] (a: *[n]i32) = loop s = {a, b = copy a} for i < 3 do let s = s with a = (s.a with [i] = 1) in s with b = (s.b with [i] = 1)

--- recchain4: use-after-consume
def f [n] (a: *[n]i32) = loop s = {a, b = copy a} for i < 3 do s with a = (s.a with [i] = 1) with b = (s.b with [i] = 1)

--- recloop: ok
def f [n] (a: *[n]i32) = loop s = {a, b = copy a} for i < 3 do s with a = (s.a with [i] = 1)

--- recloop2: use-after-consume
def f [n] (a: *[n]i32) = loop s = {a, b = copy a} for i < 3 do {a = s.a with [i] = 1, b = s.b}

--- recloop3: use-after-consume
def f [n] (a: *[n]i32) = loop s = {a, b = copy a} for i < 3 do let {a, b} = s in {a = a with [i] = 1, b}

--- recloop4: ok
def f [n] (a: *[n]i32) = loop {a, b} = {a, b = copy a} for i < 3 do {a = a with [i] = 1, b}

--- recnested: ok
def f [n] (r: *{p: {a: [n]i32, b: i32}, c: i32}) = r with p.a = (r.p.a with [0] = 1)

--- recread: ok
def f [n] (r: *{a: [n]i32, c: i32}) = r with a = (r.a with [0] = r.c)

--- recread2: ok
def f [n] (r: *{a: [n]i32, c: i32}) = let c = r.c in r with a = (r.a with [0] = c)

--- condlet: ok
def f [n] (r: *[n]i32) (c: bool) = let r = if c then r with [0] = 1 else r let r = if c then r with [1] = 1 else r in r

--- comprehension-reads: ok (not in Futhark)
def f [n] (a: *[n]i32) = let b = [ x + a[0] | x <- a ] let a[0] = 1 in (a, b)

--- comprehension-consumes: not-consumable (not in Futhark)
def f [n] (a: *[n]i32) = [ let a[0] = x in a[1] | x <- a ]

--- comprehension-consumes-its-own: ok (not in Futhark)
def f [n] (a: [n]i32) = [ let b = copy a let b[0] = x in b[1] | x <- a ]

--- comprehension-consumes-an-element: not-consumable (not in Futhark)
def f [n] (a: *[n][n]i32) = [ let r[0] = 1 in r | r <- a ]

--- comprehension-is-new: ok (not in Futhark)
def f [n] (a: [n][n]i32) = let b = [ r | r <- a ] let b[0] = a[1] in (a, b)

--- comprehension-captures: use-after-consume (not in Futhark)
def f [n] (a: *[n]i32) = let g i = [ x + a[i] | x <- [1, 2] ] let a[0] = 1 in g 0

--- comprehension-source-in-zip: not-consumable (not in Futhark)
def f [n] (a: *[n]i32) (b: *[n]i32) = [ x + y | x <- (a with [0] = 1) | y <- b ]

--- comprehension-group: ok (not in Futhark)
def f [n] (a: *[n]i32) = let b = [ (k, s) | x <- a, group by k = x % 3 into s = (+) 0 x ] let a[0] = 1 in (a, b)

--- operator-that-gives-a-function: ok
def g (x: i32) = x + 1
def f = g `id` 3

--- section-of-id-consuming: ok
def g (x: *[3]i32) (y: i32) = x with [0] = y
def f (x: *[3]i32) = (g `id` x) 3

--- pipe-function: use-after-consume
def f (x: *[3]i32) = let h = x |> (\y i -> y[i]) in let x[0] = 1 in h 0

--- flip-function: ok
def f (x: *[3]i32) = let h = flip (\y i -> y[i]) 0i32 in h x

--- compose-functions: not-consumable
def f (x: [3]i32) = (map (+1) >-> reverse >-> copy) x with [0] = 2

--- record-of-functions: ok
def f (x: *[3]i32) = let r = {g = \(y: *[3]i32) -> y with [0] = 1, k = 2i32} in r.g x

--- sum-of-polymorphic: ok
def g 'a (x: a) : (#s a | #n) = #s x
def f (x: *[3]i32) = match g x case #s y -> y with [0] = 1 case #n -> [1,2,3]

--- curried-map: ok
def f (xss: *[2][3]i32) = map (map (+1)) xss with [0] = [1,2,3]

--- uncurry: ok
def f (xs: *[3]i32) = map (uncurry (+)) (zip xs xs) with [0] = 1

--- const-array: use-after-consume
def f (xs: *[3]i32) = let c = const xs let xs[0] = 1 in c 2i32

--- loop-mixes-components: result-alias
def f [n] (x: *[n]i32) (y: [n]i32) : *[n]i32 = (loop (a, b) = (y, x) for i < 3 do (a, b)).1

--- spec-consumes: consuming-function
module m : {val f [n] : [n]i32 -> i32} = {def f [n] (xs: *[n]i32) : i32 = i32.i64 n}
def main (xs: []i32) = m.f xs

--- spec-fresh: sharing-function
module m : {val f [n] : [n]i32 -> *[n]i32} = {def f [n] (xs: [n]i32) : [n]i32 = xs}
def main (xs: []i32) = m.f xs

--- spec-says-consumes: not-consumable
module m : {val f [n] : *[n]i32 -> [n]i32} = {def f [n] (xs: [n]i32) : [n]i32 = xs}
def main (xs: []i32) = m.f xs

--- spec-does-not-say-fresh: not-consumable
module m : {val f [n] : [n]i32 -> [n]i32} = {def f [n] (xs: [n]i32) : *[n]i32 = copy xs}
def main (xs: [2]i32) = m.f xs with [0] = 1

--- spec-abstract: use-after-consume
module m : {type t val make : i32 -> *t val set : *t -> *t val get : t -> i32} = {
  type t = [2]i32
  def make (x: i32) : *t = replicate 2 x
  def set (x: *t) : *t = x with [0] = 1
  def get (x: t) = x[0]
}
def main (x: i32) = let a = m.make x let b = m.set a in m.get a + m.get b

--- spec-abstract-ok: ok
module m : {type t val make : i32 -> *t val set : *t -> *t val get : t -> i32} = {
  type t = [2]i32
  def make (x: i32) : *t = replicate 2 x
  def set (x: *t) : *t = x with [0] = 1
  def get (x: t) = x[0]
}
def main (x: i32) = let a = m.make x let b = m.set a in m.get b

--- functor-never-applied: not-consumable
module f (p: {type t val x : t val set : *t -> t}) = {def y (a: p.t) = p.set a}

--- abbreviated-step: ok
type^ step [n] = *[n]i32 -> [n]bool -> (*[n]i32, *[n]bool)
def run [n] (f: step [n]) (xs: *[n]i32) (bs: *[n]bool) : (*[n]i32, *[n]bool) =
  loop (ys, cs) = (xs, bs) for _i < 10 do f ys cs

--- abbreviated-twice: ok
type^ step [n] = *[n]i32 -> [n]bool -> (*[n]i32, *[n]bool)
def run [n] (f: step [n]) (xs: *[n]i32) (bs: [n]bool) : (*[n]i32, *[n]bool) =
  let (ys, cs) = f xs bs
  in f ys cs

--- abbreviated-parameter: ok
type^ act 's = *s -> (*s, i32)
def run 's (f: act s) (x: *s) : *s = let (y, _) = f x in (f y).0
def main (xs: *[3]i32) = run (\(ys: *[3]i32) : (*[3]i32, i32) -> (ys with [0] = 3, 1)) xs

--- abbreviated-star-outside: not-consumable
type row = [3]i32
type pair = (row, row)
def main (p: pair) = p.0 with [0] = 1

--- constant-with-star: not-consumable
def xs : *[2]i32 = [1, 2]
def main = xs

--- constant-with-star-in-tuple: not-consumable
def p : (*[2]i32, i32) = ([1, 2], 1)
def main = p

--- constant-function-with-star: ok
def f : *[2]i32 -> i32 = \xs -> xs[0]
def main (xs: *[2]i32) = f xs

--- star-of-a-scalar: sharing-function
def twice 'a (f: a -> *a) (x: a) = f (f x)
def main = twice (\x -> x + 1) 1i32

--- star-of-a-scalar-later: sharing-function
def times 'a (m: (a -> a) -> a -> *a) (f: a -> a) : a -> a = m f
def two 'a (f: a -> a) (x: a) : a = f (f x)
def main = times two (+ 1) 1i32

--- no-star-of-a-scalar: ok
def twice 'a (f: a -> a) (x: a) = f (f x)
def main = twice (\x -> x + 1) 1i32
