"""Programs that people wrote, and mutants of them: the corpus of a campaign.

    paths  ->  samples   samples.py   entry points, each with small inputs
    sample ->  mutant    mutants.py   a few edits, which keep it well typed, cheap and valid
               edits     edits.py     of one statement; wraps.py: statements in loops, branches, …
               inputs    inputs.py    other sizes, other values
               joins     joins.py     two programs in one, the second one on the first one's results
               cost      cost.py      how much the value interpreter has to do

What a mutant means the value interpreter says, as of every program.
"""
