"""Lists OpenCL devices, chooses one and opens it.

``--device`` or ``FUNMEM_DEVICE`` names a device: by its number in the list, or by a part of its own
name or of its platform's name.  Without a name the order of preference is: a GPU, PoCL, any other
device.  A simulator is used only if it is named: Oclgrind registers itself as a platform.
"""

import os
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import RLock

import numpy as np
import pyopencl as cl
from attrs import field

from funmem.codegen.buffers import Pool
from funmem.codegen.folders import refused, settle_home
from funmem.codegen.forks import Threads, claim
from funmem.codegen.memory_limits import Limit, host_limit, human
from funmem.codegen.processor import name_processor
from funmem.codegen.residence import Residence
from funmem.codegen.scalars_cl import build_options
from funmem.codegen.stats import Transfers
from funmem.codegen.vendors import register
from funmem.ir.diagnostics import NOWHERE, DeviceError, Diagnostic
from funmem.ir.record import define, evolve, frozen

POCL = "Portable Computing Language"
_SIMULATORS = ("oclgrind",)
_INSTALL = "`pip install pocl-binary-distribution` installs one that runs on the CPU"


@frozen
class DeviceInfo:
    """The properties of a device that ``funmem doctor`` shows and that a build depends on.

    ``units``: compute units; ``max_block``, ``max_total``: bytes of one block and of all blocks;
    ``rounds_division``: f32 division and square root are correctly rounded.  ``copies_below``: in
    bytes; the driver copies memory of the host whose address is not a multiple of it, but kernels
    may be given the address instead.  1 for a driver that copies none, or copies it in any case.
    """

    index: int
    platform: str
    name: str
    kind: str
    version: str
    driver: str
    units: int
    max_block: int
    max_total: int
    fp64: bool
    rounds_division: bool
    copies_below: int = 1

    @property
    def is_gpu(self) -> bool:
        return self.kind == "GPU"

    @property
    def shares_memory(self) -> bool:
        """True if device memory is host memory at the same addresses.

        A simulator counts as separate, since it checks accesses to its own buffers.
        """
        return self.kind == "CPU" and not self.is_simulator

    @property
    def is_pocl(self) -> bool:
        return self.platform == POCL

    @property
    def is_simulator(self) -> bool:
        return any(s in f"{self.platform} {self.name}".lower() for s in _SIMULATORS)

    @property
    def options(self) -> tuple[str, ...]:
        """Return the build options for this device; ``-w`` keeps PoCL from printing warnings."""
        return (*build_options(self.rounds_division), "-w")

    def __str__(self) -> str:
        memory = f"{human(self.max_total)}, blocks of at most {human(self.max_block)}"
        return f"{self.index}: {self.platform}: {self.name} ({self.kind}, {memory})"


def list_devices() -> tuple[DeviceInfo, ...]:
    """Return all OpenCL devices in the drivers' order, including simulators.

    Raises DeviceError in a fork of a process that has used OpenCL.
    """
    claim(Threads.OPENCL)
    return tuple(info for info, _ in _found())


@cache
def _found() -> tuple[tuple[DeviceInfo, cl.Device], ...]:
    settle_home()
    register()
    try:
        platforms = cl.get_platforms()
    except cl.Error:  # no driver is installed
        return ()
    devices = [d for p in platforms for d in _devices(p)]
    return tuple((_info(k, d), d) for k, d in enumerate(devices))


def _devices(platform: cl.Platform) -> Sequence[cl.Device]:
    try:
        return platform.get_devices()
    except cl.Error:  # a driver without a device
        return ()


def _info(index: int, d: cl.Device) -> DeviceInfo:
    kinds = cl.device_type
    kind = "GPU" if d.type & kinds.GPU and not d.type & kinds.CPU else "CPU"
    rounds = cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT
    return DeviceInfo(
        index=index,
        platform=d.platform.name.strip(),
        name=d.name.strip(),
        kind=kind,
        version=d.version.strip(),
        driver=d.driver_version.strip(),
        units=d.max_compute_units,
        max_block=d.max_mem_alloc_size,
        max_total=d.global_mem_size,
        fp64="cl_khr_fp64" in d.extensions.split(),
        rounds_division=bool(d.single_fp_config & rounds),
        copies_below=_copies_below(d),
    )


def _copies_below(d: cl.Device) -> int:
    """Return `DeviceInfo.copies_below`.  PoCL uses any address of the host."""
    if d.platform.name.strip() == POCL or cl.get_cl_header_version() < (2, 0):
        return 1
    try:
        anywhere = d.svm_capabilities & cl.device_svm_capabilities.FINE_GRAIN_SYSTEM
    except cl.Error:  # OpenCL 1.2
        return 1
    return int(d.mem_base_addr_align) // 8 if anywhere else 1


def choose(spec: str | None = None) -> DeviceInfo:
    """Return the device named by ``spec`` or ``FUNMEM_DEVICE``, or the default device.

    Raises DeviceError, with the list of devices, if there is no such device.
    """
    spec = spec or os.environ.get("FUNMEM_DEVICE") or None
    devices = sorted(list_devices(), key=_preference)
    if not devices:
        raise _none("no OpenCL device was found", _remedy())
    if spec is None:
        if devices[0].is_simulator:
            raise _none("the only OpenCL device found is a simulator", _remedy())
        return devices[0]
    for d in devices:
        named = spec.lower() in f"{d.platform} {d.name}".lower()
        if spec == str(d.index) if spec.isdigit() else named:
            return d
    known = "; ".join(str(d) for d in list_devices())
    hint = _unusable_pocl_cache() or f"the devices are: {known}"
    raise _none(f"no OpenCL device is called `{spec}`", hint)


def _unusable_pocl_cache() -> str:
    """Return a hint if POCL_CACHE_DIR is unusable, since PoCL then offers no device; else ""."""
    given = os.environ.get("POCL_CACHE_DIR")
    if not given or (wrong := refused(Path(given))) is None:
        return ""
    return f"PoCL offers no device without its cache, POCL_CACHE_DIR: {wrong}"


def _remedy() -> str:
    """Return a hint for a machine without a device."""
    if wrong := _unusable_pocl_cache():
        return wrong
    if find_spec("pocl_binary_distribution") is None:
        return _INSTALL
    return "pocl-binary-distribution is installed but offers no device; install it again"


def _preference(d: DeviceInfo) -> tuple[bool, bool, bool, int]:
    return (d.is_simulator, not d.is_gpu, not d.is_pocl, d.index)


def _none(message: str, hint: str) -> DeviceError:
    return DeviceError(Diagnostic(NOWHERE, "device", message, hint))


@define(eq=False)
class Device:
    """An open device: its context, its in-order queue and its buffers.

    ``processor``: the processor name that was given to its compiler, or empty (processor.py).
    ``stays_in_place``: the host may read a buffer at its address whenever no kernel runs.  OpenCL
    requires a mapping for each access.  PoCL's processor devices compute in the memory that a
    mapping returns, and mapping takes as long as running a small kernel.  ``transfers`` counts the
    arrays that moved.
    """

    info: DeviceInfo
    handle: cl.Device
    context: cl.Context = field(init=False)
    queue: cl.CommandQueue = field(init=False)
    pool: Pool = field(init=False)
    processor: str = field(init=False, default="")
    lock: RLock = field(factory=RLock)
    stays_in_place: bool = field(init=False, default=False)
    transfers: Transfers = field(init=False, factory=Transfers)

    def __attrs_post_init__(self) -> None:
        self.stays_in_place = self.info.is_pocl and self.info.shares_memory
        if self.info.is_pocl:
            self.processor = name_processor(self.handle)
        try:
            self.context = cl.Context([self.handle])
            self.queue = cl.CommandQueue(self.context, self.handle)
        except cl.Error as error:
            raise _none(f"{self.info.name} cannot be used: {error}", "") from None
        self.pool = Pool(self.context, self.info.max_block, self.info.max_total)
        if self.info.shares_memory:
            self.pool.copies_below = self.info.copies_below

    def keep_within(self, budget: int) -> None:
        """Keep at most so many bytes on the device; what does not fit lies on the host."""
        self.pool.flush()
        self.pool.residence = Residence(self.context, self.queue, self.transfers, budget)

    @property
    def limit(self) -> Limit:
        """Return the memory available to a program; on a CPU the process's limits apply as well.

        With a budget for the device, it is the memory of the host, and the budget for one block.
        """
        if self.pool.residence is not None:
            block = min(self.info.max_block, self.pool.residence.budget)
            return evolve(host_limit(), block=block)
        own = Limit(self.info.max_total, "the device", self.info.max_block)
        host = host_limit() if self.info.shares_memory else own
        return own if own.bytes <= host.bytes else evolve(host, block=own.block)


def address_of(device: Device, buffer: cl.Buffer) -> int:
    """Return the address of a buffer on the host, for a device whose memory stays in place."""
    flags = cl.map_flags.READ
    data, _ = cl.enqueue_map_buffer(device.queue, buffer, flags, 0, (1,), np.dtype(np.uint8))
    return int(data.__array_interface__["data"][0])


def failed(device: Device, error: cl.Error) -> DeviceError:
    """Turn an error of a driver into a DeviceError."""
    memory = isinstance(error, cl.MemoryError)
    message = (
        f"{device.info.name} is out of memory; {human(device.pool.live)} are in use"
        if memory
        else f"{device.info.name} failed: {error}"
    )
    return DeviceError(Diagnostic(NOWHERE, "memory" if memory else "device", message))


def open_device(spec: str | None = None) -> Device:
    """Return the chosen device, opened once per process.  Raises DeviceError."""
    return _open(choose(spec).index)


@cache
def _open(index: int) -> Device:
    return Device(*_found()[index])
