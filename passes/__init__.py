"""The passes: translations between the languages, and transformations within one."""
