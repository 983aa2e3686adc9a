"""The memory plan of an entry point: its blocks, their lifetimes and the peak memory."""

from funmem.codegen.memory_plan.analysis import BlockPlan as BlockPlan
from funmem.codegen.memory_plan.analysis import MemoryPlan as MemoryPlan
from funmem.codegen.memory_plan.analysis import memory_plan as memory_plan
from funmem.codegen.memory_plan.formula import Formula as Formula
from funmem.codegen.memory_plan.replay import Answers as Answers
from funmem.codegen.memory_plan.replay import Measured as Measured
from funmem.codegen.memory_plan.replay import Unknown as Unknown
from funmem.codegen.memory_plan.replay import replay as replay
from funmem.codegen.memory_plan.traced import Traced as Traced
from funmem.codegen.memory_plan.traced import traced as traced
