"""The passes: from language to language, and within one."""
