"""Map the top-level folders to the packages funmem.<folder>; pyproject.toml has all other metadata.

Sub-packages, such as passes/mem/, are found and need not be listed.
"""

import atexit
import shutil
import tempfile

from setuptools import find_packages, setup

package_dir = {
    "funmem": "funmem",
    "funmem.ir": "ir",
    "funmem.passes": "passes",
    "funmem.interp": "interp",
    "funmem.codegen": "codegen",
}

packages = [
    package
    for name, folder in package_dir.items()
    for package in (name, *(f"{name}.{inner}" for inner in find_packages(folder)))
]

# setuptools does not remove old files from ./build, so a deleted module would stay in the wheel.
scratch = tempfile.mkdtemp(prefix="funmem-build-")
atexit.register(shutil.rmtree, scratch, ignore_errors=True)

setup(
    packages=packages,
    package_dir=package_dir,
    options={"build": {"build_base": scratch}, "egg_info": {"egg_base": scratch}},
)
