"""PoCL gets a name for the processor with which it builds kernels and inlines its builtins."""

import ctypes

import pytest

from funmem.codegen.device import open_device
from funmem.codegen.processor import SWITCH, name_processor
from funmem.codegen.this_processor import flags, level
from funmem.driver.processors import VARIABLE, class_of, this_processor
from tests.support.command_line import say

V2 = "cx16 lahf_lm popcnt pni sse4_1 sse4_2 ssse3"
V3 = f"{V2} abm avx avx2 bmi1 bmi2 f16c fma movbe xsave"
V4 = f"{V3} avx512f avx512bw avx512cd avx512dq avx512vl"


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        ("", "x86-64"),
        ("fpu sse2", "x86-64"),
        (V2, "x86-64-v2"),
        (V3, "haswell"),
        (f"{V4} amx", "skylake-avx512"),
        (V3.replace("movbe", ""), "x86-64-v2"),
        (f"{V2} {V4.removeprefix(V3)}", "x86-64-v2"),
    ],
)
def test_a_level_needs_each_flag_of_the_levels_below(flags: str, name: str) -> None:
    assert level(flags.split()) == name


def test_the_class_of_a_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """AVX2 without the other flags of its level is not enough: PoCL's library needs them."""
    classes = [class_of(some.split()).value for some in ("", V2, V3, V4, f"{V2} avx2")]
    assert classes == ["sse", "sse", "avx2", "avx512", "sse"]
    monkeypatch.setenv(VARIABLE, " AVX2 ")
    assert this_processor().value == "avx2"
    monkeypatch.delenv(VARIABLE)
    assert this_processor() is class_of(flags())


class Record(ctypes.Structure):
    """Part of a device's record: what PoCL keeps around the name."""

    _fields_ = (
        ("before", ctypes.c_size_t * 70),
        ("triple", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("after", ctypes.c_size_t * 70),
    )


class Handle:
    """What is asked of a pyopencl device."""

    def __init__(self, record: Record, driver: str) -> None:
        self.record, self.driver_version, self.int_ptr = record, driver, ctypes.addressof(record)


@pytest.mark.parametrize(
    ("driver", "triple", "name", "given"),
    [
        ("3.0-rc2", b"x86_64-unknown-linux-gnu", b"generic", True),
        ("3.0-rc2", b"x86_64-unknown-linux-gnu", b"znver3", True),
        ("6.0", b"x86_64-unknown-linux-gnu", b"generic", False),
        ("3.0-rc2", b"aarch64-unknown-linux-gnu", b"generic", False),
        ("3.0-rc2", b"x86_64-unknown-linux-gnu", b"", False),
    ],
)
@pytest.mark.skipif("sys.platform != 'linux'", reason="the record is looked at on Linux only")
def test_the_name_is_exchanged_in_a_record_that_is_as_expected(
    driver: str, triple: bytes, name: bytes, given: bool
) -> None:
    record = Record(triple=triple, name=name)
    found = name_processor(Handle(record, driver))  # type: ignore[arg-type]
    assert record.triple == triple
    assert record.name == (found.encode() if given else name)
    assert bool(found) is given


@pytest.mark.parametrize("switch", ["off", "0", " No "])
@pytest.mark.skipif("sys.platform != 'linux'", reason="the record is looked at on Linux only")
def test_the_exchange_can_be_switched_off(switch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    record = Record(triple=b"x86_64-unknown-linux-gnu", name=b"generic")
    handle = Handle(record, "3.0-rc2")
    monkeypatch.setenv(SWITCH, switch)
    assert name_processor(handle) == ""  # type: ignore[arg-type]
    assert record.name == b"generic"
    monkeypatch.setenv(SWITCH, "")
    assert name_processor(handle) == record.name.decode() != "generic"  # type: ignore[arg-type]


@pytest.mark.opencl
def test_doctor_shows_the_name() -> None:
    device = open_device()
    found = say("funmem doctor --json").json
    assert found["processor"] == device.processor
    shown = f"builds kernels for processor {device.processor}, named by funmem\n"
    assert (shown in say("funmem doctor").out) is bool(device.processor)
