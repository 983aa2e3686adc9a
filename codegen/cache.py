"""The cache of built kernels: content-addressed, private, and safe to delete.

Each build is one file, named by a hash of everything that it depends on.  A cached binary runs with
the rights of the user, so the folder must belong to the user and must not be writable by others.
Files are written under a temporary name and renamed.  A file begins with a hash of its key and
content, so a truncated or misplaced file counts as a cache miss.  Pickle is not used.

``FUNMEM_CACHE`` names another folder.  pyopencl's cache is switched off for these builds, since it
would store the same binaries again.  PoCL's cache stays on: it holds the machine code for each
work-group size.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from funmem.codegen.files import replacing
from funmem.codegen.folders import cache_root, private_folder, settle_home
from funmem.ir.record import frozen

LIMIT_BYTES = 1 << 28
"""Total size of the cache in bytes, beyond which the least recently used builds are removed."""

_DIGEST = 32


@frozen
class Cache:
    """A folder that maps keys to byte strings."""

    folder: Path

    @staticmethod
    def default() -> "Cache":
        """Return the user's cache of built kernels.  Raises UsageError if it cannot be used."""
        return Cache.of("kernels")

    @staticmethod
    def of(name: str) -> "Cache":
        """Return the user's cache called ``name``.  Raises UsageError if it cannot be used."""
        settle_home(("funmem",))
        root = private_folder(cache_root())
        return Cache(private_folder(root / name))

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.bin"

    def get(self, key: str) -> bytes | None:
        """Return the content stored under a key, or None."""
        path = self._file(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        with suppress(OSError):  # in a read-only folder nothing is pruned, so times do not matter
            os.utime(path)
        digest, content = data[:_DIGEST], data[_DIGEST:]
        return content if _hash(key, content) == digest else None

    def put(self, key: str, content: bytes) -> None:
        """Store content under a key; do nothing if the disk is full or read-only."""
        with suppress(OSError):
            with replacing(self._file(key), mode=0o600) as f:
                f.write(_hash(key, content) + content)
            self._prune()

    def stored(self) -> list[str]:
        """Return all keys, in no particular order."""
        return [f.stem for f in self.folder.glob("*.bin")]

    def remove(self, key: str) -> None:
        """Delete the content stored under a key, if there is any.  Raises OSError."""
        self._file(key).unlink(missing_ok=True)

    def _prune(self) -> None:
        files = sorted((f.stat().st_mtime, f.stat().st_size, f) for f in self.folder.glob("*.bin"))
        total = sum(size for _, size, _ in files)
        for _, size, file in files:
            if total <= LIMIT_BYTES:
                break
            file.unlink(missing_ok=True)
            total -= size


def _hash(key: str, content: bytes) -> bytes:
    return hashlib.sha256(f"{len(key)}:{key}:".encode() + content).digest()


def key_of(*parts: str) -> str:
    """Return the key of a build, given the texts that it depends on."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(f"{len(data)}:".encode() + data)
    return digest.hexdigest()
