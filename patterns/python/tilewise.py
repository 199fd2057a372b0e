"""Where GPUs put the texels of images: the C functions of c_api.h for Python, by ctypes and numpy.

    image = tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256))
    image.addresses(x, y)                     # arrays of texels -> byte offsets
    image.layout().elements(offsets)          # and back
    memory = image.tile(rows)                 # an array (256, 256, 4) of uint8 -> the image's memory
    image.detile(memory)                      # and back

Extents and positions are (x, y, z), arrays of images are [z,] y, x as numpy has them. Offsets are bytes. What the
library or the program refuses is a TilewiseError, an argument that never reaches them a ValueError or TypeError; each
says why in one line.

This file stands beside the C functions because it is them in another language; only Image.ask runs the program. It is
installed beside the library (by pip) or below the library and the program, and finds them there. Needs Python 3.8 and
numpy 1.17. The examples are run by the test builds/python.
"""

import ctypes
import json
import math
import operator
import shutil
import subprocess
import warnings
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import NamedTuple

try:
    import numpy as np
except ImportError:
    raise ImportError("tilewise: numpy is missing: install it (pip install numpy; Debian: apt install python3-numpy)"
                      ) from None

ASPECTS = ("color", "depth", "stencil", "plane0", "plane1", "plane2")


class TilewiseError(Exception):
    """What the library or the program says went wrong, in one line.

    >>> try: tilewise.Layout("{}")
    ... except tilewise.TilewiseError as error: print(error)
    layout: "element" is missing
    """


# ---- The C functions

_Sides = c_uint32 * 3


class _Handle(c_void_p):
    """What a C function made. It is freed with this object, so there must not be two of them."""

    def __del__(self):
        self.free(self)

    def __reduce_ex__(self, protocol):
        raise TypeError("layouts and images are neither pickled nor copied deeply; keep the JSON that made them")


class _LayoutHandle(_Handle):
    pass


class _ImageHandle(_Handle):
    pass


class _LayoutInfo(ctypes.Structure):
    _fields_ = [("element_bytes", c_uint32), ("element_width", c_uint32), ("element_height", c_uint32),
                ("tile", _Sides), ("tile_bytes", c_uint64), ("stride", c_uint64 * 3), ("base", c_uint64),
                ("constant", c_uint64)]


class _ImageInfo(ctypes.Structure):
    _fields_ = [("extent", _Sides), ("levels", c_uint32), ("layers", c_uint32), ("samples", c_uint32),
                ("aspects", c_uint32), ("bytes", c_uint64), ("alignment", c_uint64)]


class _Box(ctypes.Structure):
    _fields_ = [("from_", _Sides), ("extent", _Sides)]


class _Workgroup(ctypes.Structure):
    _fields_ = [("shape", _Sides), ("bits", c_uint32), ("column", _Sides * 12)]


# The columns of an array of tilewise_texel.
_TEXEL = ("aspect", "level", "layer", "x", "y", "z", "sample")


def _above(name):
    """The nearest file of that name beside this module or above it, or None."""
    return next((str(folder / name) for folder in Path(__file__).resolve().parents if (folder / name).is_file()), None)


def _load():
    name = "libtilewise.so"
    path = _above(name) or name
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"tilewise: {name} is missing ({error}): install Tilewise (pip install . in a checkout, or "
                          "cmake --install build/release), or put this module's folder below the library's") from None
    layout, image, array = _LayoutHandle, _ImageHandle, c_void_p  # arrays are checked before they get here
    functions = {
        "error": (c_char_p, []),
        "layout_from_json": (layout, [c_char_p, c_size_t]),
        "layout_dense": (layout, [layout, _Sides]),
        "layout_free": (None, [layout]),
        "pattern_id": (c_int, [layout, c_char_p]),
        "layout_describe": (c_int, [layout, POINTER(_LayoutInfo)]),
        "offsets_of": (c_int, [layout, array, c_size_t, array]),
        "elements_of": (c_int, [layout, _Sides, array, c_size_t, array]),
        "tiled_bytes": (c_int, [layout, POINTER(_Box), POINTER(c_uint64)]),
        "detile": (c_int, [layout, POINTER(_Box), array, c_uint64, array, c_uint64, c_void_p]),
        "tile": (c_int, [layout, POINTER(_Box), array, c_uint64, c_void_p, array, c_uint64]),
        "image_from_json": (image, [c_char_p, c_size_t]),
        "image_to_json": (c_void_p, [image]),
        "text_free": (None, [c_void_p]),
        "image_free": (None, [image]),
        "image_describe": (c_int, [image, POINTER(_ImageInfo)]),
        "image_addresses": (c_int, [image, array, c_size_t, array]),
        "image_layout": (layout, [image, c_int, c_uint32, c_uint32, _Sides]),
        "derive_workgroup": (c_int, [layout, c_uint32, c_uint32, c_uint32, POINTER(_Workgroup)]),
        "workgroup_texel": (None, [POINTER(_Workgroup), c_uint32, _Sides]),
    }
    for name, (result, arguments) in functions.items():
        try:
            function = getattr(library, "tilewise_" + name)
        except AttributeError:
            raise ImportError(f"tilewise: {path} has no tilewise_{name}: it is of another version than this module; "
                              "install both anew") from None
        function.restype, function.argtypes = result, arguments
    _LayoutHandle.free, _ImageHandle.free = library.tilewise_layout_free, library.tilewise_image_free
    return library


_c = _load()


def _failure():
    return TilewiseError(_c.tilewise_error().decode(errors="replace"))


def _check(result):
    if result != 0:
        raise _failure()


def _json_text(json_or_text):
    if isinstance(json_or_text, dict):
        json_or_text = json.dumps(json_or_text)
    return json_or_text.encode() if isinstance(json_or_text, str) else bytes(memoryview(json_or_text))


# ---- What comes from outside, checked: ctypes would cut numbers to 32 bits, and C reads what it is told to


def _uint32(name, value):
    value = operator.index(value)
    if not 0 <= value < 1 << 32:
        raise ValueError(f"{name} must be from 0 to {(1 << 32) - 1}, not {value}")
    return value


def _extent(extent):
    sides = tuple(_uint32("a side of an extent", side) for side in extent)
    if not 1 <= len(sides) <= 3 or 0 in sides:
        raise ValueError(f"the extent {sides} is not (x,), (x, y) or (x, y, z), each 1 or more")
    return sides + (1,) * (3 - len(sides))


def _integers(name, values, dtype):
    """The values as an array of that unsigned type; none is changed."""
    values = np.asarray(values)
    if values.size == 0:
        return values.astype(dtype)
    if values.dtype.kind not in "iu":
        raise ValueError(f"{name} must be integers, not {values.dtype}")
    low, high, most = int(values.min()), int(values.max()), int(np.iinfo(dtype).max)
    if low < 0 or high > most:
        raise ValueError(f"{name} must be from 0 to {most}, but there is {low if low < 0 else high}")
    return values.astype(dtype)


def _columns(arrays):
    """Named arrays, made as long as one another, as the columns of one; and the shape that they have."""
    columns = np.broadcast_arrays(*(_integers(name, values, np.uint32) for name, values in arrays.items()))
    return np.ascontiguousarray(np.stack(columns, axis=-1)).reshape(-1, len(columns)), columns[0].shape


def _bytes_of(memory):
    """Its bytes as an array that shares them."""
    view = memoryview(memory)
    if "O" in view.format or not view.c_contiguous:
        raise ValueError("the memory must be one piece of plain numbers: an array without gaps, bytes, ..")
    return np.frombuffer(view, np.uint8)


def _rows_shape(extent):
    """As numpy has it: an image without depth has two axes."""
    x, y, z = extent
    return (y, x) if z == 1 else (z, y, x)


# ---- Layouts


class Workgroup(NamedTuple):
    """Which texel each invocation takes: texels[index] is its (x, y, z) in a workgroup of that shape.

    >>> image = tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256))
    >>> image.layout().workgroup(invocations=64).shape
    (8, 8, 1)
    """

    shape: tuple
    texels: np.ndarray


class Layout:
    """A pattern, and where its tiles lie in one image. Made of the layout object that `tilewise solve --json` and
    `tilewise query --json` print, by dense or by Image.layout, and only the last two know the image's extent. Elements
    are texels, or blocks of a compressed format.

    >>> rows = {"element": {"bytes": 4, "width": 1, "height": 1}, "equation": ["0", "0"], "outer_xor": {},
    ...         "tile": {"width": 1, "height": 1, "depth": 1, "bytes": 4},
    ...         "stride": {"x": 4, "y": 1024, "z": 0, "xor": {}}, "constant": 0, "base": 0}
    >>> layout = tilewise.Layout(rows)
    >>> layout.element_bytes, layout.tile_extent, layout.stride
    (4, (1, 1, 1), (4, 1024, 0))
    """

    def __init__(self, json_or_text):
        text = _json_text(json_or_text)
        self._take(_c.tilewise_layout_from_json(text, len(text)), None)

    @classmethod
    def _of(cls, handle, extent):
        layout = cls.__new__(cls)
        layout._take(handle, extent)
        return layout

    def _take(self, handle, extent):
        if not handle:
            raise _failure()
        self._handle = handle
        info = _LayoutInfo()
        _check(_c.tilewise_layout_describe(self._handle, info))
        self.extent = extent
        self.element_bytes = info.element_bytes
        self.element = (info.element_width, info.element_height)  # texels
        self.tile_extent, self.tile_bytes = tuple(info.tile), info.tile_bytes
        self.stride, self.base, self.constant = tuple(info.stride), info.base, info.constant

    def dense(self, extent):
        """The same pattern, with the same constant, in an image of that extent in elements, its tiles without gaps.

        >>> image = tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256))
        >>> image.layout().dense((512, 512)).tiled_bytes()
        1048576
        """
        extent = _extent(extent)
        return Layout._of(_c.tilewise_layout_dense(self._handle, _Sides(*extent)), extent)

    @property
    def pattern_id(self):
        """16 hexadecimal digits, as `tilewise query` lists them: equal for equal patterns, whatever the image.

        >>> tilewise.Image.ask(gpu="RTX 4090", format="RGBA8", extent=(256, 256)).layout().pattern_id
        '23ed76f96e845e2b'
        """
        text = ctypes.create_string_buffer(17)
        _check(_c.tilewise_pattern_id(self._handle, text))
        return text.value.decode()

    def offsets(self, x, y=0, z=0):
        """Where elements lie, of numbers or arrays, which are broadcast. Elements beyond the image are not detected.

        >>> image = tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256))
        >>> image.layout().offsets([77, 78], 133).tolist()
        [170196, 170200]
        """
        elements, shape = _columns({"x": x, "y": y, "z": z})
        offsets = np.empty(len(elements), np.uint64)
        _check(_c.tilewise_offsets_of(self._handle, elements.ctypes.data, len(elements), offsets.ctypes.data))
        return offsets.reshape(shape)[()]

    def elements(self, offsets, extent=None):
        """Whose bytes lie at these offsets: an array of one more axis, (x, y, z), of -1 where nothing lies.

        >>> image = tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256))
        >>> image.layout().elements([170196, 170199, 262144]).tolist()
        [[77, 133, 0], [77, 133, 0], [-1, -1, -1]]
        >>> image.layout().elements(170196).tolist()
        [77, 133, 0]
        """
        offsets = np.asarray(_integers("offsets", offsets, np.uint64), order="C")
        elements = np.empty(offsets.shape + (3,), np.uint32)
        _check(_c.tilewise_elements_of(self._handle, _Sides(*self._extent(extent)), offsets.ctypes.data, offsets.size,
                                       elements.ctypes.data))
        return np.where(elements == 0xFFFFFFFF, -1, elements.astype(np.int64))

    def tiled_bytes(self, extent=None):
        """Bytes from the start of the memory to the end of the last element.

        >>> image = tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256))
        >>> image.layout().tiled_bytes()
        262144
        """
        size = c_uint64()
        _check(_c.tilewise_tiled_bytes(self._handle, self._box(extent), size))
        return size.value

    def tile(self, rows, memory=None, extent=None):
        """Writes the image into the memory, of zeros if none is given, and returns that as an array of uint8. Rows are
        an array (y, x) or (z, y, x) of elements, with further axes where several numbers make an element.

        >>> layout = tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256)).layout()
        >>> rows = np.zeros((256, 256), np.uint32)
        >>> rows[133, 77] = 5
        >>> memory = layout.tile(rows)
        >>> np.nonzero(memory)[0].tolist()
        [170196]
        """
        rows = np.asarray(rows)
        shape = _rows_shape(self._extent(extent))
        element_bytes = rows.dtype.itemsize * math.prod(rows.shape[len(shape):])
        if rows.shape[:len(shape)] != shape or element_bytes != self.element_bytes or rows.dtype.hasobject:
            raise ValueError(f"the rows must be {shape} of elements of {self.element_bytes} bytes, "
                             f"not {rows.shape} of {rows.dtype}")
        memory = np.zeros(self.tiled_bytes(extent), np.uint8) if memory is None else _bytes_of(memory)
        if not memory.flags.writeable:
            raise ValueError("the memory cannot be written")
        rows = rows.copy() if np.may_share_memory(rows, memory) else np.ascontiguousarray(rows)
        _check(_c.tilewise_tile(self._handle, self._box(extent), rows.ctypes.data, rows.nbytes, None,
                                memory.ctypes.data, memory.nbytes))
        return memory

    def detile(self, memory, dtype=None, extent=None):
        """The image that the memory holds, as an array (y, x) or (z, y, x); with one more axis where an element is
        several of dtype, which is by default as large as an element, or uint8.

        >>> layout = tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256)).layout()
        >>> memory = np.zeros(layout.tiled_bytes(), np.uint8)
        >>> memory[170196] = 5
        >>> rows = layout.detile(memory)
        >>> rows.shape, rows.dtype.name, int(rows[133, 77])
        ((256, 256), 'uint32', 5)
        """
        memory = _bytes_of(memory)
        if dtype is None:
            dtype = f"u{self.element_bytes}" if self.element_bytes in (1, 2, 4, 8) else np.uint8
        dtype = np.dtype(dtype)
        if dtype.hasobject or dtype.itemsize == 0 or self.element_bytes % dtype.itemsize != 0:
            raise ValueError(f"elements of {self.element_bytes} bytes are no {dtype}")
        each = self.element_bytes // dtype.itemsize
        rows = np.empty(_rows_shape(self._extent(extent)) + ((each,) if each > 1 else ()), dtype)
        _check(_c.tilewise_detile(self._handle, self._box(extent), memory.ctypes.data, memory.nbytes,
                                  rows.ctypes.data, rows.nbytes, None))
        return rows

    def workgroup(self, invocations=256, subgroup_size=32, radius=0):
        """The order of invocations that suits the pattern, for kernels that read `radius` texels beyond their own. By
        the pattern alone: `tilewise snippet` knows what was measured on a device, too.

        >>> layout = tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256)).layout()
        >>> group = layout.workgroup(invocations=64)
        >>> group.texels[:6, :2].tolist()
        [[0, 0], [1, 0], [2, 0], [3, 0], [0, 1], [1, 1]]
        """
        workgroup = _Workgroup()
        _check(_c.tilewise_derive_workgroup(self._handle, _uint32("invocations", invocations),
                                            _uint32("subgroup_size", subgroup_size), _uint32("radius", radius),
                                            workgroup))
        texels = np.empty((1 << workgroup.bits, 3), np.uint32)
        texel = _Sides()
        for index in range(len(texels)):
            _c.tilewise_workgroup_texel(workgroup, index, texel)
            texels[index] = texel
        return Workgroup(tuple(workgroup.shape), texels)

    def _extent(self, extent):
        if extent is None and self.extent is None:
            raise ValueError("this layout has no extent: give one, or make a layout of that extent by dense")
        return self.extent if extent is None else _extent(extent)

    def _box(self, extent):
        return byref(_Box(_Sides(0, 0, 0), _Sides(*self._extent(extent))))


# ---- Images


class Image:
    """The layouts of all aspects, levels and layers of one image. Made of what `tilewise layout --json` prints, or by
    ask.

    >>> asked = tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256), levels=9)
    >>> image = tilewise.Image(asked.json())
    >>> image.extent, image.levels, image.aspects
    ((256, 256, 1), 9, ('color',))
    """

    def __init__(self, json_or_text):
        text = _json_text(json_or_text)
        self._handle = _c.tilewise_image_from_json(text, len(text))
        if not self._handle:
            raise _failure()
        info = _ImageInfo()
        _check(_c.tilewise_image_describe(self._handle, info))
        self.extent = tuple(info.extent)  # texels of level 0
        self.levels, self.layers, self.samples = info.levels, info.layers, info.samples
        self.bytes, self.alignment = info.bytes, info.alignment  # of the image's memory; 0: not known
        self.aspects = tuple(name for bit, name in enumerate(ASPECTS) if info.aspects >> bit & 1)

    @classmethod
    def ask(cls, program=None, **options):
        """What `tilewise layout --json` answers. The options are its own: gpu="RTX 4090", format="RGBA8",
        extent=(1920, 1080), levels=11, usage="sampled,storage", db="lab.db". What it assumes becomes a warning.

        >>> tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256)).bytes
        262144
        """
        program = program or _above("bin/tilewise") or shutil.which("tilewise")
        if program is None:
            raise TilewiseError("the program tilewise is neither above this module nor in PATH: give it by program=")
        command = [program, "layout", "--json", "--quiet"]
        for name, value in options.items():
            option = "--" + name.replace("_", "-")
            if name == "extent" and not isinstance(value, str):
                value = "x".join(str(operator.index(side)) for side in value)
            command.append(option if value is True else f"{option}={value}")
        try:
            ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        except OSError as error:
            raise TilewiseError(f"{program} does not run: {error.strerror}") from None
        said = ended.stderr.decode(errors="replace").splitlines()
        if ended.returncode != 0:
            text = said[-1] if said else f"{program} ended with code {ended.returncode}"
            try:
                text = str(json.loads(text)["error"])
            except (ValueError, TypeError, KeyError):
                pass  # it died, and said what it could
            raise TilewiseError(text)
        for line in said:
            warnings.warn(line, stacklevel=2)
        return cls(ended.stdout)

    def json(self):
        """As `tilewise layout --json` prints it: format, source, evidence and all else.

        >>> tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256)).json()["source"]
        'probed'
        """
        text = _c.tilewise_image_to_json(self._handle)
        if not text:
            raise _failure()
        try:
            return json.loads(ctypes.string_at(text))
        finally:
            _c.tilewise_text_free(text)

    def addresses(self, x, y=0, z=0, level=0, layer=0, sample=0, aspect=None):
        """Where texels of a level lie in the image's memory, of numbers or arrays, which are broadcast. Refuses texels
        outside of the image.

        >>> image = tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256))
        >>> int(image.addresses(77, 133)), image.addresses([[0], [77]], [0, 133]).shape
        (170196, (2, 2))
        """
        texels, shape = _columns(dict(zip(_TEXEL, (self._aspect(aspect), level, layer, x, y, z, sample))))
        offsets = np.empty(len(texels), np.uint64)
        _check(_c.tilewise_image_addresses(self._handle, texels.ctypes.data, len(texels), offsets.ctypes.data))
        return offsets.reshape(shape)[()]

    def layout(self, level=0, layer=0, aspect=None):
        """One level of one layer, of an image with one sample; its offsets are those of the image's memory.

        >>> image = tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256))
        >>> image.layout(level=0).extent
        (256, 256, 1)
        """
        if self.samples > 1:
            raise TilewiseError(f"the image has {self.samples} samples; a layout is of one: use addresses")
        extent = _Sides()
        handle = _c.tilewise_image_layout(self._handle, self._aspect(aspect), _uint32("level", level),
                                          _uint32("layer", layer), extent)
        return Layout._of(handle, tuple(extent))

    def tile(self, rows, memory=None, level=0, layer=0, aspect=None):
        """Layout.tile of that level and layer. Without a memory the whole image's is made, for the others, too.

        >>> image = tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256))
        >>> image.tile(np.zeros((256, 256, 4), np.uint8)).shape
        (262144,)
        """
        layout = self.layout(level, layer, aspect)
        if memory is None:
            memory = np.zeros(max(self.bytes, layout.tiled_bytes()), np.uint8)
        return layout.tile(rows, memory)

    def detile(self, memory, dtype=None, level=0, layer=0, aspect=None):
        """Layout.detile of that level and layer.

        >>> image = tilewise.Image.ask(gpu="RX 6800", format="RGBA8", extent=(256, 256))
        >>> image.detile(bytes(image.bytes), np.uint8).shape
        (256, 256, 4)
        """
        return self.layout(level, layer, aspect).detile(memory, dtype)

    def _aspect(self, name):
        if name is None and len(self.aspects) == 1:
            name = self.aspects[0]
        if name not in self.aspects:
            raise ValueError(f"which aspect? the image has: {', '.join(self.aspects)}")
        return ASPECTS.index(name)
