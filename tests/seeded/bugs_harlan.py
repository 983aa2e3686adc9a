"""Bugs of Harlan's front end: macros, inference, regions, effects, assignment, order."""

from tests.seeded.harlan import HarlanBug, Noticed

BUGS: tuple[HarlanBug, ...] = (
    # ------------------------------------------------------------------ macros
    HarlanBug(
        name="macro-captures-the-users-name",
        what="a symbol that a template inserts has no mark",
        module="macros",
        old="return Atom(template.text, self.at, self.mark)",
        new="return Atom(template.text, self.at, 0)",
        program="""(module
          (define-macro swap! () ((_ a b) (let ((tmp a)) (set! a b) (set! b tmp))))
          (define (main) (let ((tmp 1) (y 2)) (swap! tmp y) (println* tmp " " y))))""",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="macro-sees-the-users-name",
        what="a free symbol of a template means what the user has bound",
        module="scope",
        old="found = scope.variables.get((atom.text, atom.mark))",
        new="found = scope.variables.get((atom.text, 0))",
        program="""(module
          (define (step x) (+ x 1))
          (define-macro next () ((_ e) (step e)))
          (define (main) (let ((step (lambda (x) (* x 10)))) (println (next (step 4))))))""",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="macro-literal-by-its-letters",
        what="`else` is a literal of `cond` even if the user binds it",
        module="macros",
        old="return isinstance(datum, Atom) and is_symbol(datum) and means(datum, name)",
        new="return isinstance(datum, Atom) and datum.text == name",
        program="(let ((else #f)) (cond (else (println 1))) (println 2))",
        noticed=Noticed.VALUES,
    ),
    # ------------------------------------------------------------------ inference, regions, effects
    HarlanBug(
        name="instances-share-their-types",
        what="a definition has one type at all its uses",
        module="context",
        old="copy, types = self.solver.instance(bundle, scheme.generic, e.at)",
        new="copy, types = self.solver.instance(bundle, scheme.generic[:0], e.at)",
        program="""(module (define (same v) v)
          (define (main) (println (same 1)) (println (same #t))))""",
        noticed=Noticed.REFUSAL,
    ),
    HarlanBug(
        name="large-number-is-an-int",
        what="a number from 2^32 on may be an int",
        module="infer",
        old="value >= 1 << 32",
        new="value >= 1 << 40",
        program="(println (+ 4294967296 5))",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="captured-regions-are-forgotten",
        what="what a closure captures does not lie in the closure's region",
        module="context",
        old="for r in list(self.declared.regions_in(t)):",
        new="for r in list(self.declared.regions_in(t))[:0]:",
        program="""(let ((f (let-region (r)
          (let ((v (vector-r r 1 2))) (lambda (x) (vector-ref v x)))))) (println (f 0)))""",
        noticed=Noticed.REFUSAL,
        refused="harlan-region",
    ),
    HarlanBug(
        name="region-ends-before-its-value",
        what="the value of `let-region` may lie in its region",
        module="context",
        old='outside = [(t, "the value of the body")]',
        new='outside = [(t, "the value of the body")][:0]',
        program="(println (let-region (r) (vector-r r 1 2)))",
        noticed=Noticed.REFUSAL,
        refused="harlan-region",
    ),
    HarlanBug(
        name="applied-closure-has-no-effect",
        what="a call of a closure that prints is pure",
        module="infer",
        old="""    _arguments(cx, e.args, types, _called(e.fn))
    cx.happens(effect)""",
        new="    _arguments(cx, e.args, types, _called(e.fn))",
        program="""(let ((f (lambda (x) (print x) x)))
          (println (kernel ((x (iota 3))) (f x))))""",
        noticed=Noticed.CRASH,
        refused="harlan-kernel",
    ),
    # ------------------------------------------------------------------ assignment
    HarlanBug(
        name="second-branch-assigns-nothing",
        what="only what the first branch assigns is bound after an `if`",
        module="elaborate.control",
        old="if any(s.env[x] is not old for s in states)]",
        new="if states[0].env[x] is not old]",
        program='(let ((x 1)) (if (= x 2) (print "two") (set! x 5)) (println x))',
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="loop-begins-anew",
        what="each iteration of a loop sees the variables as they were before it",
        module="elaborate.control",
        old="given += [inner.env[x] for x in changed]",
        new="given += [st.env[x] for x in changed]",
        program="(let ((x 1)) (for (i 0 4) (set! x (+ x x))) (println x))",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="lambda-assigns-outside",
        what="what an applied lambda assigns is assigned outside of it",
        module="elaborate.code",
        old="        yield\n        st.env = before",
        new="        yield\n        return\n        st.env = before",
        program="(let ((n 1)) (println ((lambda (x) (set! n x) n) 5)) (println n))",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="shared-vector-is-read-after-a-change",
        what="a variable that may hold a changed vector may be read",
        module="elaborate.assign",
        old="if x not in chain and shared:",
        new="if False:",
        program="""(let ((v (vector 1 2))) (let ((m (vector v)))
          (set! (vector-ref v 0) 7) (println m)))""",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="equal-rows-are-apart",
        what="rows of a kernel are new vectors even if its body makes none",
        module="elaborate.sharing",
        old="return not self.holds_vectors(body) or self.new(body)",
        new="return True",
        program="""(let ((m (make-vector 2 (vector 0 0))))
          (set! (vector-ref (vector-ref m 0) 1) 5) (println m))""",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="view-of-a-row-that-was-replaced",
        what="a variable is a view of a row although the row is replaced",
        module="elaborate.places",
        old="if len(view.indices) < depths.get(view.root, _NEVER):",
        new="if True:",
        program="""(let ((m (vector (vector 1 2) (vector 3 4))))
          (let ((row (vector-ref m 0)))
            (set! (vector-ref m 0) (vector 9 9)) (set! (vector-ref row 0) 5)) (println m))""",
        noticed=Noticed.VALUES,
    ),
    # ------------------------------------------------------------------ stores
    HarlanBug(
        name="cells-of-the-whole-store",
        what="an element is set at its index in the store, not in the vector",
        module="elaborate.stores",
        old='here = c.Bin(BinOp.ADD, c.Project(v, "0", at), i, at)',
        new="here = i",
        program="""(let* ((u (vector 1 2)) (v (vector 3 4)) (m (vector u v u)))
          (set! (vector-ref v 0) 9) (println m))""",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="set-beyond-the-vector",
        what="an element that a shared vector does not have is set in the next vector",
        module="elaborate.stores",
        old="inside = c.Bin(BinOp.LAND, low, c.Bin(BinOp.LT, i, n, at), at)",
        new="inside = low",
        program="""(let* ((u (vector 1)) (v (vector 5)) (m (vector u v u)))
          (set! (vector-ref u 1) 9) (println m))""",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="loop-forgets-the-stores",
        what="changes of shared vectors in a loop are not seen after it",
        module="elaborate.code",
        old="found.locals.update(dict.fromkeys(self.program.store_types))",
        new="pass",
        program="""(let* ((v (vector 1 2 3)) (m (vector v v)))
          (for (i 0 3) (set! (vector-ref v i) i)) (println m))""",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="applied-lambda-forgets-the-stores",
        what="changes of shared vectors in an applied lambda are not seen after it",
        module="elaborate.code",
        old="before | {x: st.env[x] for x in self.program.store_types if x in st.env}",
        new="before",
        program="""(let* ((v (vector 1 2)) (m (vector v v)))
          ((lambda (i) (set! (vector-ref v i) 9) i) 0) (println m))""",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="closure-changes-nothing",
        what="code that applies a closure over shared vectors does not change them",
        module="elaborate.shared",
        old="return self._may_be_shared(types[fn])  # it threads the stores (grounds.py)",
        new="return False",
        program="""(let* ((v (vector 1 2)) (f (lambda (i) (set! (vector-ref v i) 9) i)))
          (for (i 0 2) (print (f i))) (println v))""",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="closure-that-is-given-vectors-has-old-stores",
        what="a closure threads the stores only if it captures shared vectors",
        module="elaborate.grounds",
        old="any(u == SHARED or mentions_store(u) for u in t.args)",
        new="any(u == SHARED for u in t.args[-1:])",
        program="""(let* ((v (vector 1 2)) (m (vector v v)) (f (lambda (w) (vector-ref w 0))))
          (set! (vector-ref v 0) 9) (println (f v)))""",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="full-store-is-not-grown",
        what="a store keeps its cells although they do not suffice",
        module="elaborate.stores",
        old="c.Concat((cells, added), at)",
        new="cells",
        program="(let* ((v (vector 1 2)) (m (vector v v))) (set! (vector-ref v 0) 9) (println m))",
        noticed=Noticed.VALUES,
    ),
    # ------------------------------------------------------------------ order
    HarlanBug(
        name="operand-waits-for-a-later-effect",
        what="an operand is evaluated after the effects of a later one",
        module="elaborate.parts",
        old="for n in range(bound, j):",
        new="for n in range(j, j):",
        program="""(let ((v (vector 1 2)))
          (println (+ (vector-ref v 9) (begin (print "late") 1))))""",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="unused-value-is-not-computed",
        what="an expression whose value nobody uses is dropped, although it traps",
        module="elaborate.parts",
        old="if not isinstance(value, c.Var | c.Const | c.Lambda) and value != unit(e.at):",
        new="if False:",
        program='(/ 1 (length (iota 0))) (println "after")',
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="longer-vector-in-a-kernel",
        what="the second vector of a kernel is taken whole",
        module="elaborate.vectors",
        old="arrays[1:] = [c.Index(a, (whole,), at) for a in arrays[1:]]",
        new="arrays[1:] = list(arrays[1:])",
        program="(println (kernel ((x (iota 2)) (y (iota 3))) (+ x y)))",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="for-includes-its-bound",
        what="a loop with a step runs once more",
        module="elaborate.control",
        old="below = c.Bin(BinOp.LT, c.Var(own.name, at), stop, at)",
        new="below = c.Bin(BinOp.LE, c.Var(own.name, at), stop, at)",
        program="(for (i 0 4 2) (println i))",
        noticed=Noticed.VALUES,
    ),
    HarlanBug(
        name="printed-without-its-first-field",
        what="the fields of a datatype's value are printed from the second one on",
        module="elaborate.output",
        old="for b, u in zip(binders, fields, strict=True):",
        new="for b, u in zip(binders[1:], fields[1:], strict=True):",
        program="""(module (define-datatype P (P int bool))
          (define (main) (println (P 3 #t))))""",
        noticed=Noticed.VALUES,
    ),
)
