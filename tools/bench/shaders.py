#!/usr/bin/env python3
"""`tilewise try` against a search over all legal variants, for every shader in tests/shaders.

    tools/bench/shaders.py --out docs/results/my-gpu/shaders.json [--size 3840x2160] [SHADER...]

Each shader is tried as a user would try it. Then all variants that the rules allow (every workgroup size in powers of
two, every order of invocations, every order of workgroups) are timed; then the chosen one, the best one and the shader
as it is, once more. The result says how far the choice is from the best. It takes an hour on a slow device; with
--minutes, no shader is begun after that time.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HALF, BYTES = "R16G16B16A16_SFLOAT", "R8G8B8A8_UNORM"


def scenes(width, height):
    """The options for each shader, as in tests/tools/test_try.cpp, at the requested size."""
    half_size = f"{width // 2}x{height // 2}"
    count = width * height // 256 * 256
    return {
        "gather.comp": [],
        "blur_shared.comp": ["--format", "source=" + BYTES, "--push", "width,height"],
        "reproject.comp": ["--format", "now=" + HALF, "--format", "history=" + HALF, "--format", "motion=R16G16_SFLOAT",
                           "--buffer", "camera=values:1/width,1/height,0.9"],
        "bloom_down.comp": ["--format", "source=" + HALF, "--format", "small=" + HALF, "--image", "small=poison@" + half_size,
                            "--over", "small"],
        "bloom_up.comp": ["--format", "small=" + HALF, "--image", "small=noise@" + half_size],
        "mip.comp": ["--format", "below=" + BYTES, "--image", "below=poison@" + half_size, "--over", "below"],
        "histogram.comp": [],
        "transpose.comp": ["--format", "result=R32_SFLOAT", "--image", f"result=poison@{height}x{width}"],
        "prefix_sum.comp": ["--size", f"{count}x1", "--buffer", f"Numbers={4 * count}:noise", "--buffer",
                            f"Prefixes={4 * count}", "--buffer", "Sums=1M"],
        "bilateral.comp": ["--format", "source=" + BYTES],
        "subgroups.comp": ["--buffer", "Sums=262144"],
        "sharpen.hlsl": ["--format", "source=" + HALF, "--format", "result=" + HALF, "--buffer",
                         "Settings=values:width,height,0.5"],
        "tonemap.hlsl": ["--format", "source=" + HALF, "--format", "result=" + BYTES, "--buffer", "exposure=4:noise"],
    }


def tried(program, shader, options, more):
    command = [program, "--json", "--quiet", "try", str(ROOT / "tests/shaders" / shader)] + options + more
    began = time.time()
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode:
        sys.exit(f"{shader}: {ended.stderr.strip()}")
    return json.loads(ended.stdout), time.time() - began


def row(variant):
    return {key: variant[key] for key in ("name", "ms", "speedup", "verdict")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--size", default="3840x2160")
    parser.add_argument("--program", default=str(ROOT / "build/release/tilewise"))
    parser.add_argument("--device", help="as try's; its first GPU without it")
    parser.add_argument("--time", type=float, default=10, help="seconds of timing of the choice")
    parser.add_argument("--all-time", type=float, default=60, help="seconds of timing of all variants")
    parser.add_argument("--candidates", type=int, default=4000, help="of the search, at most")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("shaders", nargs="*")
    asked = parser.parse_args()
    width, height = map(int, asked.size.split("x"))
    known = scenes(width, height)
    began = time.time()
    results = json.loads(asked.out.read_text()) if asked.out.exists() else {"shaders": {}}
    for shader in asked.shaders or known:
        found = results["shaders"].setdefault(shader, {})
        if "choice" in found and "search" in found or time.time() - began > 60 * asked.minutes:
            continue
        options = (["--device", asked.device] if asked.device else []) + (
            known[shader] if "--size" in known[shader] else ["--size", asked.size] + known[shader])
        if "choice" not in found:
            choice, seconds = tried(asked.program, shader, options, ["--time", str(asked.time)])
            results.update(tool_version=choice["tool_version"], device=choice["device"], driver=choice["driver"],
                           size=asked.size, time=time.strftime("%Y-%m-%d", time.gmtime()))
            found.update(options=options, forbidden=choice["forbidden"], choice={
                "name": choice["best"], "verdict": choice["verdict"], "reason": choice["reason"],
                "seconds": round(seconds, 1), "variants": [row(variant) for variant in choice["variants"]]})
            write(asked.out, results)
        if "search" not in found:
            every, seconds = tried(asked.program, shader, options,
                                   ["--candidates", str(asked.candidates), "--time", str(asked.all_time)])
            timed = sorted((variant for variant in every["variants"] if variant["ms"]), key=lambda v: v["ms"]["value"])
            found["search"] = {
                "variants": len(every["variants"]), "seconds": round(seconds, 1), "best": row(timed[0]),
                "wrong": [variant["name"] for variant in every["variants"] if variant["failure"]],
                "as_it_is": row(every["variants"][0]), "worst": row(timed[-1]),
                "median_ms": {variant["name"]: variant["ms"]["value"] for variant in timed}}
            write(asked.out, results)
        print(line(shader, found), flush=True)


def over_best(found):
    """The time of the choice over that of the search's best, each relative to the shader as it is in the same run."""
    choice = next(v for v in found["choice"]["variants"] if v["name"] == found["choice"]["name"])
    here = choice["ms"]["value"] / found["choice"]["variants"][0]["ms"]["value"]
    return here / (found["search"]["best"]["ms"]["value"] / found["search"]["as_it_is"]["ms"]["value"])


def line(shader, found):
    search = found["search"]
    return (f"{shader:18} {found['choice']['verdict']}; best of {search['variants']}: {search['best']['name']} "
            f"{search['best']['ms']['value']:.4f} of {search['as_it_is']['ms']['value']:.4f} ms; choice over best "
            f"{over_best(found):.3f}; {found['choice']['seconds']:.0f} s")


def write(path, results):
    part = path.with_name(path.name + ".part")
    lines = [f"{json.dumps(shader)}: {json.dumps(found)}" for shader, found in results["shaders"].items()]
    head = json.dumps({key: value for key, value in results.items() if key != "shaders"}, indent=1)
    part.write_text(head.removesuffix("\n}") + ',\n "shaders": {\n' + ",\n".join(lines) + "\n}}\n")
    os.replace(part, path)


if __name__ == "__main__":
    main()
