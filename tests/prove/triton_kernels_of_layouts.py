"""Gluon kernels in which layouts show themselves: for triton_run.py. (Triton reads a kernel's source from its file.)"""

from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def threads(out, layout: gl.constexpr, height: gl.constexpr, width: gl.constexpr):
    """out[y, x]: the thread that holds the element of a tensor with that layout."""
    y = gl.arange(0, height, layout=gl.SliceLayout(1, layout))[:, None]
    x = gl.arange(0, width, layout=gl.SliceLayout(0, layout))[None, :]
    place = y * width + x
    thread = gl.inline_asm_elementwise("mov.u32 $0, %tid.x;", "=r,r", [place], dtype=gl.int32, is_pure=True, pack=1)
    gl.store(out + place, thread)


@gluon.jit
def memory_order(out, layout: gl.constexpr, height: gl.constexpr, width: gl.constexpr):
    """out[i]: the number y * width + x of the element that lies at place i of shared memory with that layout."""
    rows: gl.constexpr = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
    line: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    plain: gl.constexpr = gl.SwizzledSharedLayout(vec=1, per_phase=1, max_phase=1, order=[0])
    y = gl.arange(0, height, layout=gl.SliceLayout(1, rows))[:, None]
    x = gl.arange(0, width, layout=gl.SliceLayout(0, rows))[None, :]
    memory = gl.allocate_shared_memory(gl.int32, [height, width], layout)
    memory.store(y * width + x)
    in_order = memory._reinterpret(gl.int32, [height * width], plain)
    gl.store(out + gl.arange(0, height * width, layout=line), in_order.load(line))
