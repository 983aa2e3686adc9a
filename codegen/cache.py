"""The cache of built kernels: content-addressed, private, safe to lose.

One file per build, named by a hash of all it depends on.  What is loaded from here runs on the
device with the rights of the user, so the folder must belong to the user and be writable by nobody
else; files are written under another name and renamed, and begin with a hash of their key and
content, so a file that was cut short, or that is another one's, is a miss.  No pickle.

``FUNMEM_CACHE`` names another folder.  pyopencl's own cache is switched off for our builds (it
would hold the same binaries again); PoCL's stays: it holds the machine code per work-group size.
"""

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from funmem.codegen.files import replacing
from funmem.codegen.folders import cache_root, private_folder, settle_home
from funmem.ir.record import frozen

LIMIT_BYTES = 1 << 28
"""Beyond this the least recently used builds are removed."""

_DIGEST = 32


@frozen
class Cache:
    """Byte strings by key, in one folder."""

    folder: Path

    @staticmethod
    def default() -> "Cache":
        """The user's cache of built kernels."""
        return Cache.of("kernels")

    @staticmethod
    def of(name: str) -> "Cache":
        """The user's cache of something else.  Raises UsageError if it cannot be used."""
        settle_home(("funmem",))
        root = private_folder(cache_root())
        return Cache(private_folder(root / name))

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.bin"

    def get(self, key: str) -> bytes | None:
        """What was stored under a key, or None."""
        path = self._file(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        with suppress(OSError):  # of a read-only folder nothing is removed either
            os.utime(path)
        digest, content = data[:_DIGEST], data[_DIGEST:]
        return content if _hash(key, content) == digest else None

    def put(self, key: str, content: bytes) -> None:
        """Stores content; a full or read-only disk only means that it is not stored."""
        with suppress(OSError):
            with replacing(self._file(key), mode=0o600) as f:
                f.write(_hash(key, content) + content)
            self._prune()

    def stored(self) -> list[str]:
        """Everything under which something is stored, in no order."""
        return [f.stem for f in self.folder.glob("*.bin")]

    def remove(self, key: str) -> None:
        """Forgets what was stored under a key, if something was.  Raises OSError."""
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
    """A key for everything that a build depends on."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(f"{len(data)}:".encode() + data)
    return digest.hexdigest()
