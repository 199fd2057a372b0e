#!/usr/bin/env python3
"""Runs the layouts that the test prove/triton emitted, and compares every element with what is expected.

    triton_run.py [--stand-in] triton_proof.json

Needs Triton 3.6 or later, PyTorch and an NVIDIA GPU: layouts are evaluated by Triton's own LinearLayout; a remap is the layout of a
tensor in a Gluon kernel, each element of which says what thread holds it; a pattern is the layout of shared memory, which is
then read in the order of its bytes. --stand-in: no Triton, layouts are evaluated by tests/prove/stand_in/triton_layouts.py."""

import itertools
import json
import pathlib
import sys
import types

MAX_SHARED_ELEMENTS = 32768  # of 4 bytes


def use_stand_in():
    sys.path.insert(0, str(pathlib.Path(__file__).parent / "stand_in"))
    import triton_layouts
    modules = {name: types.ModuleType(name) for name in ("triton", "triton.tools", "triton.experimental",
                                                         "triton.experimental.gluon",
                                                         "triton.experimental.gluon.language")}
    modules["triton.tools"].LinearLayout = triton_layouts.LinearLayout
    modules["triton.experimental.gluon.language"].DistributedLinearLayout = triton_layouts.DistributedLinearLayout
    modules["triton.experimental.gluon"].language = modules["triton.experimental.gluon.language"]
    sys.modules.update(modules)


def defined(code):
    """What a snippet defines."""
    names = {}
    exec(compile(code, "snippet", "exec"), names)
    return names


def applied(layout, inputs):
    """Triton's binding takes pairs; later ones a dict."""
    try:
        return dict(layout.apply(inputs))
    except TypeError:
        return dict(layout.apply(list(inputs.items())))


def places(case):
    """Elements: all of an image, x fastest, or those that are listed. Axes are x, y, z, s."""
    if "places" in case:
        return case["places"]
    return [list(reversed(at)) for at in itertools.product(*(range(n) for n in reversed(case["extent"])))]


def inputs_of(layout, values):
    """Of the inputs that the layout has, the bits that it looks at."""
    return {name: values[name] & ((1 << len(bases)) - 1) for name, bases in layout.bases}


def check_pattern(case):
    address = defined(case["address"])["tilewise_address"]
    texel = defined(case["texel"])["tilewise_texel"]
    known = {}  # LinearLayouts repeat from tile to tile
    for at, offset in zip(places(case), case["offsets"]):
        named = dict(zip("xyzs", at))
        tile = {axis: value // size for (axis, value), size in zip(named.items(), case["tile"])}
        start = case["base"] + sum(tile[axis] * stride for axis, stride in zip(named, case["stride"]))
        expected = (offset - start) // case["element_bytes"]
        inputs = inputs_of(address, named)
        key = tuple(inputs.values())
        if key not in known:
            known[key] = applied(address, inputs)["offset"]
        if known[key] != expected:
            return f"address of {named}: {known[key]}, expected {expected}"
        inputs = inputs_of(texel, {"offset": expected, **{f"tile_{axis}": n for axis, n in tile.items()}})
        within = {axis: value % size for (axis, value), size in zip(named.items(), case["tile"])}
        key = tuple(inputs.values())
        if (found := known.get((key, "texel"))) is None:
            found = known[key, "texel"] = applied(texel, inputs)
        if any(found.get(axis, 0) != value for axis, value in within.items()):
            return f"texel at {expected} of tile {tile}: {found}, expected {within}"
    return None


def check_remap(case):
    """By the bases alone: of each register, lane and warp."""
    layout = defined(case["code"])["tilewise_remap"]
    parts = [layout.lane_bases, layout.warp_bases, layout.reg_bases]
    if [len(part) for part in parts] != [case["lane_bits"], case["warp_bits"], case["reg_bits"]]:
        return f"{[len(part) for part in parts]} bits of lanes, warps and registers"
    if list(layout.shape) != case["shape"] or layout.block_bases:
        return f"shape {layout.shape}"
    bases = [basis for part in parts for basis in part]
    for index, expected in enumerate(case["texels"]):
        found = [0] * len(case["shape"])
        for bit, basis in enumerate(bases):
            if index >> bit & 1:
                found = [a ^ b for a, b in zip(found, basis)]
        if found != expected:
            return f"index {index}: {found}, expected {expected}"
    return None


def gpu_checks():
    """Two functions of a case that give what is wrong, None, or a string that begins with "skipped"."""
    try:
        import torch
        import triton
        from triton.experimental import gluon
        from triton.experimental.gluon import language as gl
    except ImportError as error:
        sys.exit(f"triton_run: {error}: needs PyTorch and Triton 3.6 or later with Gluon; --stand-in needs neither")
    if not torch.cuda.is_available():
        sys.exit("triton_run: no GPU here; --stand-in needs none")
    print(f"Triton {triton.__version__}, PyTorch {torch.__version__}, {torch.cuda.get_device_name()}")
    import triton_kernels_of_layouts as kernels

    def remap(case):
        if len(case["shape"]) != 2:
            return "skipped: not 2D"
        if case["lane_bits"] != 5:
            return "skipped: not 32 lanes"
        height, width = case["shape"]
        layout = defined(case["code"])["tilewise_remap"]
        out = torch.full((height, width), -1, dtype=torch.int32, device="cuda")
        kernels.threads[(1, )](out, layout, height, width, num_warps=1 << case["warp_bits"])
        expected = torch.full((height, width), -1, dtype=torch.int32)
        threads = 1 << case["lane_bits"] + case["warp_bits"]
        for index, (y, x) in enumerate(case["texels"]):
            expected[y, x] = index % threads
        return None if torch.equal(out.cpu(), expected) else "a texel is held by another thread"

    def shared(case):
        texel = dict(defined(case["texel"])["tilewise_texel"].bases)
        width, height, *deeper = case["tile"]
        if any(size > 1 for size in deeper) or list(texel) != ["offset"]:
            return "skipped: not 2D, or G"
        bases = [list(basis)[-2:] for basis in texel["offset"]]
        if width * height != 1 << len(bases) or width * height > MAX_SHARED_ELEMENTS or width * height < 128:
            return "skipped: unused bits, or too large or small for this kernel"
        if not hasattr(gl, "SharedLinearLayout"):
            return "skipped: this Triton has no SharedLinearLayout"
        out = torch.full((height * width, ), -1, dtype=torch.int32, device="cuda")
        kernels.memory_order[(1, )](out, gl.SharedLinearLayout(bases), height, width, num_warps=4)
        expected = torch.full((height * width, ), -1, dtype=torch.int32)
        for at, offset in zip(places(case), case["offsets"]):
            x, y = at[:2]
            if x < width and y < height and not any(at[2:]):
                expected[(offset - case["base"]) // case["element_bytes"]] = y * width + x
        known = expected >= 0  # a table need not fill the tile
        return None if torch.equal(out.cpu()[known], expected[known]) and known.any() else "shared memory lies otherwise"

    return remap, shared


def main():
    arguments = sys.argv[1:]
    stand_in = "--stand-in" in arguments
    files = [argument for argument in arguments if argument != "--stand-in"]
    if len(files) != 1:
        sys.exit(__doc__)
    remap_on_gpu = shared_on_gpu = None
    if stand_in:
        use_stand_in()
    else:
        remap_on_gpu, shared_on_gpu = gpu_checks()
    proof = json.loads(pathlib.Path(files[0]).read_text())
    checks = [(check_pattern, "patterns", "by LinearLayout"), (check_remap, "remaps", "by their bases")]
    if not stand_in:
        checks += [(shared_on_gpu, "patterns", "in shared memory"), (remap_on_gpu, "remaps", "by the threads of a kernel")]
    failed = False
    for check, kind, how in checks:
        wrong = skipped = 0
        for case in proof[kind]:
            said = check(case)
            if said and said.startswith("skipped"):
                skipped += 1
            elif said:
                wrong += 1
                print(f"{case['name']}: {said}")
        count = len(proof[kind]) - skipped
        failed = failed or wrong > 0 or count == 0
        print(f"Triton: {count} {kind} {how}, {wrong} wrong" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
