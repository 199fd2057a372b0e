"""Shared by tests/windows/run and tests/arm64/run: compares a program for another system with this system's own."""
import json
import pathlib
import random
import re
import sqlite3
import subprocess
import time
import xml.etree.ElementTree

# The units that call the program.
COMMAND_UNITS = [f"tools/{unit}" for unit in (
    "cli", "cli_advise", "cli_ask", "cli_convert", "cli_db", "cli_help", "cli_layout", "cli_modes", "cli_rules", "cli_snippet",
    "cli_textures", "files", "gpu", "hostile_text", "kept_image", "progress", "ranking", "report", "schemas", "table", "versions",
    "width", "cli_probe", "cli_measure", "cli_validate", "devices")]
checks = failures = 0
started = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime())


def check(what, holds, told=""):
    global checks, failures
    checks += 1
    if not holds:
        failures += 1
        print(f"FAILED: {what}{': ' + str(told)[:600] if told else ''}", flush=True)


class Program:
    def __init__(self, command, environment):
        self.command, self.environment = command, environment

    def start(self, *arguments, folder):
        return subprocess.Popen([*self.command, *map(str, arguments)], env=self.environment, cwd=folder, start_new_session=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run(self, *arguments, folder, timeout=600):
        running = self.start(*arguments, folder=folder)
        try:
            out, err = running.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            running.kill()
            return -1, "", "it never ended"
        return running.returncode, out.decode(errors="replace"), err.decode(errors="replace")

    def json(self, *arguments, folder, timeout=600):
        code, out, err = self.run("--json", "--quiet", *arguments, folder=folder, timeout=timeout)
        check(f"{' '.join(map(str, arguments))} works", code == 0, err)
        return json.loads(out) if out else {}


def chosen_points(parser, words, points, with_units):
    """[(point, regular expression)] from words such as `images` and `through=cli_db`; all points if there are none."""
    chosen = [word.partition("=")[::2] for word in words] or [(point, "") for point in points]
    for point, which in chosen:
        if point not in points or (which and point not in with_units):
            parser.error(f"there is no point {point}{'=' if which else ''}{which}; there are {' '.join(points)}")
    return chosen


def observations(database, route):
    """{subresource: (result, pattern)} for what this run read; a new database has the catalog's readings as well."""
    with sqlite3.connect(database) as connection:
        rows = connection.execute(
            "SELECT format, usage, width, height, depth, levels, layers, samples, level, layer, aspect, result, pattern "
            "FROM observation WHERE route = ? AND time >= ?", (route, started)).fetchall()
    return {row[:-2]: row[-2:] for row in rows}


def same_patterns(other, here, folder, name, route, *more):
    """Both probe the common formats by a route: each must find the other's patterns."""
    arguments = ["probe", "--formats", "common", "--route", route, "--no-lanes", *more]
    databases = {}
    for program, of in ((here, "here"), (other, name)):
        databases[of] = f"{of}-{route}.db".replace(":", "-")
        code, _, err = program.run("--db", databases[of], *arguments, folder=folder, timeout=3000)
        check(f"{of} probes by {route}", code == 0, err)
    expected, found = (observations(folder / databases[of], route) for of in ("here", name))
    exact = sum(result == "exact" for result, _ in expected.values())
    same = sum(found.get(image) == of_image for image, of_image in expected.items())
    check(f"{route}: patterns are read", exact > 0)
    check(f"{route}: {name} finds the patterns that are found here", found == expected,
          [(image, of, found.get(image)) for image, of in expected.items() if found.get(image) != of][:5])
    print(f"{route}: {len(expected)} images here, {exact} exact; the same with {name}: {same} of {len(found)}", flush=True)


def same_texts(other, here, folder, name):
    """What needs no device prints the same on both."""
    for arguments in [
        ["--version"],
        ["help", "snippet"],
        ["layout", "--gpu", "RTX 4090", "--format", "RGBA8", "--extent", "300x200"],
        ["show", "--gpu", "RX 6800 XT", "--format", "BC7_UNORM_BLOCK", "--extent", "512x512"],
        ["advise", "--gpu", "H100", "--kernel", "box", "--radius", "4", "--format", "RGBA8", "--extent", "1920x1080"],
        ["query", "--gpu", "H100", "--format", "R8_UNORM"],
        ["report", "--gpu", "H100"],
        *[["snippet", "--gpu", "H100", "--format", "R8G8B8A8_UNORM", "--extent", "1000x700", "--lang", language]
          for language in ("glsl", "hlsl", "c", "cuda", "wgsl")],
    ]:
        a = here.run("--wide", *arguments, folder=folder)
        b = other.run("--wide", *arguments, folder=folder)
        check(f"{' '.join(arguments)} prints with {name} what it prints here", a[:2] == b[:2], (a[2], b[2], a[1][:200], b[1][:200]))


def same_conversion(other, here, folder, name, image, rows_bytes):
    """Both tile the same rows alike, byte for byte, and the other program turns them back into the rows."""
    rows = random.Random(str(image)).randbytes(rows_bytes)
    (folder / "rows.raw").write_bytes(rows)
    for program, tiled in ((here, "here.bin"), (other, "other.bin")):
        code, _, err = program.run("tile", "rows.raw", tiled, *image, folder=folder)
        check(f"tile {' '.join(image)} writes {tiled}", code == 0, err)
    code, _, err = other.run("detile", "other.bin", "back.raw", *image, folder=folder)
    check(f"detile {' '.join(image)}", code == 0, err)
    texts = [(folder / file).read_bytes() if (folder / file).exists() else b"" for file in ("here.bin", "other.bin", "back.raw")]
    check(f"{name} tiles {' '.join(image)} as it is done here", texts[0] and texts[0] == texts[1])
    check(f"{name} detiles {' '.join(image)}", texts[2] == rows)
    for file in ("here.bin", "other.bin", "back.raw"):
        (folder / file).unlink(missing_ok=True)


def suite_through(program, environment, build, units, cannot, folder):
    """The suite's tests of commands, built for this system, run with another program: only those in `cannot`,
    {case: reason}, may fail. A reason that no longer holds is reported."""
    passed, skipped, failed = [], [], []
    longest = 3 * 3600  # seconds of a unit: "files" starts the program thousands of times
    for unit in units:
        begun = time.time()
        results = folder / "results.xml"
        results.unlink(missing_ok=True)
        try:
            told = subprocess.run([build / "tilewise_tests", f"--source-file=*tests/{unit.replace('/', '/test_')}.cpp", "--reporters=xml",
                                   f"--out={results}"], env=dict(environment, TILEWISE_TEST_PROGRAM=str(program)), cwd=folder,
                                  capture_output=True, text=True, errors="replace", timeout=longest).stderr
            # doctest writes bytes unchanged, even bytes that XML does not allow.
            text = re.sub(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", results.read_text(errors="replace"))
            cases = xml.etree.ElementTree.fromstring(text).iter("TestCase")
        except (subprocess.TimeoutExpired, FileNotFoundError, xml.etree.ElementTree.ParseError) as error:
            check(f"{unit} ends", False, error)
            continue
        count = 0
        for case in cases:
            end = case.find("OverallResultsAsserts")
            if case.get("skipped") or end is None:
                continue
            count += 1
            texts = " ".join(text for text in case.itertext())
            if end.get("test_case_success") != "true":
                failed.append(case.get("name"))
                check(f"through {program}: {failed[-1]}", failed[-1] in cannot, " ".join(texts.split()))
            elif "SKIPPED" in texts:
                skipped.append(case.get("name"))
            else:
                passed.append(case.get("name"))
        check(f"{unit} has tests", count, told)
        print(f"{unit}: {count} tests, {time.time() - begun:.0f} s", flush=True)
    for case, why in cannot.items():
        note = " (but it passes now)" if case in passed else ""
        print(f"cannot: {case}: {why}{note}", flush=True)
    print(f"tests of commands: {len(passed)} pass, {len(failed)} fail, {len(skipped)} are skipped", flush=True)
