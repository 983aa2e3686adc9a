"""The corpus of a campaign: hand-written programs, and mutants of them.

    paths  ->  samples           samples.py            entry points, each with small inputs
    sample ->  mutant            mutants.py            a few edits that keep it well typed and cheap
               sites             sites.py              the statements that may be edited
               statement edits   statement_edits.py    changes of one statement
               wrapping edits    wrapping_edits.py     statements in loops, branches, kernels
               trap edits        trap_edits.py         new statements that may trap
               inputs            inputs.py             other sizes, other values
               composition       composition.py        two programs in one
               cost              cost.py               the budget of the value interpreter
               operators         operators.py          associativity of operators
    mutant ->  further inputs    further_inputs.py     inputs on which it is also checked
               huge inputs       huge_inputs.py        those whose arithmetic wraps around

The value interpreter defines the meaning of a mutant, as of every program.
"""
