"""Where funmem keeps things for later."""

import os
import sys
from pathlib import Path


def cache_root() -> Path:
    """The folder that holds everything funmem keeps for later: ``FUNMEM_CACHE``, or the one for
    caches of this system, where nothing may be there yet.
    """
    if given := os.environ.get("FUNMEM_CACHE"):
        return Path(given)
    if sys.platform == "linux" and "ANDROID_DATA" not in os.environ:
        # As platformdirs has it, which takes as long to load as a small program to compile.
        place = os.environ.get("XDG_CACHE_HOME", "").strip()
        return Path(place or os.path.expanduser("~/.cache")) / "funmem"
    from platformdirs import user_cache_path

    return user_cache_path("funmem", appauthor=False)
