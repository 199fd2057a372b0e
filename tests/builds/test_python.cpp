// The Python module of an installed Tilewise. Its answers are compared with tables of other programs.
#include "tests/builds/installed.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include "tests/support/soak.h"
#include <doctest/doctest.h>
#include <filesystem>
#include <optional>

using namespace tilewise;

namespace {

/// Debian's Python, whose numpy tools/deps installs; none, and the test says so: it cannot run here.
std::optional<Command> python() {
    Command command = {"env", "-u", "TILEWISE_DB", "XDG_DATA_HOME=/nonexistent",
                       "PYTHONPATH=" + installed() + "/lib/tilewise/python"};
#if defined(__SANITIZE_THREAD__)
    MESSAGE("SKIPPED: Python is not built for the thread sanitizer");
    return std::nullopt;
#elif defined(__SANITIZE_ADDRESS__)
    // Python does not bring what the library was built with.
    const Ended found =
        run({"sh", "-c", "echo $(g++ -print-file-name=libasan.so):$(g++ -print-file-name=libstdc++.so)"});
    command =
        command + Command{"ASAN_OPTIONS=detect_leaks=0", "LD_PRELOAD=" + found.out.substr(0, found.out.find('\n'))};
#endif
    if (run({"/usr/bin/python3", "-c", "import numpy"}).code != 0) {
        MESSAGE("SKIPPED: this needs numpy (Debian: python3-numpy)");
        return std::nullopt;
    }
    return command + Command{"/usr/bin/python3", "-c"};
}

/// What the script prints. `table` is an array of the columns of that file of tests/data/layouts; `navi21` asks for the
/// image that the table of Navi 21 is of.
std::string printed(const std::string& script, const std::string& table = "amd_gfx103-navi21_64KB-R-X_32bpp") {
    static const std::optional<Command> command = python();
    if (!command) return {};
    const std::string prelude = R"(
import sys, numpy as np, tilewise
lines = [line for line in sys.stdin if line[0].isdigit()]
table = np.array([line.split(",") for line in lines], np.int64).T
def navi21(**more):
    return tilewise.Image.ask(**{"gpu": "RX 6800", "format": "RGBA8", "extent": (256, 256), **more})
def refused(ask, *arguments, **options):
    try: print("not refused:", ask(*arguments, **options))
    except Exception as error: print(f"{type(error).__name__}: {error}")
)";
    const Ended ended = run(*command + Command{prelude + script}, layout_table(table));
    INFO(ended.err);
    REQUIRE(ended.code == 0);
    return ended.out;
}

/// Equal, or there is no Python to ask.
void check_prints(const std::string& script, const std::string& expected) {
    const std::string out = printed(script);
    if (!out.empty()) CHECK(out == expected);
}

}  // namespace

TEST_CASE("Python: the image of a GPU has the addresses of another program's table, both ways") {
    check_prints(R"(
x, y, offset = table
image = navi21()
print(len(x), (image.addresses(x, y) == offset).all(), image.addresses(77, 133))
print((image.layout().elements(offset + 3) == np.stack([x, y, 0 * x], -1)).all())
print(image.layout().elements([[0, 262144]]).tolist())
print(image.extent, image.levels, image.aspects, image.bytes, image.json()["source"])
)",
                 "65536 True 170196\nTrue\n[[[0, 0, 0], [-1, -1, -1]]]\n(256, 256, 1) 1 ('color',) 262144 probed\n");
}

TEST_CASE("Python: a layout out of JSON has the addresses of another program's table") {
    const std::string csv = layout_table("nvidia_turing-ada_bl16_128bpp");
    const Folder folder;
    write_text(folder / "table.csv", csv);
    const Ended solved = run(tilewise::tilewise({"solve", folder / "table.csv", "--json"}));
    REQUIRE(solved.code == 0);
    write_text(folder / "layout.json", solved.out);
    const std::string out = printed("layout = tilewise.Layout(open('" + folder / "layout.json" + R"(').read())
x, y, offset = table
print((layout.offsets(x, y) == offset).all(), layout.element_bytes, layout.tile_extent, layout.tile_bytes, layout.pattern_id)
dense = layout.dense((256, 256))
print(dense.extent, (dense.elements(dense.offsets(x, y))[:, :2] == np.stack([x, y], -1)).all())
)",
                                    "nvidia_turing-ada_bl16_128bpp");
    if (!out.empty()) CHECK(out == "True 16 (4, 128, 1) 8192 5740640a32ec7c62\n(256, 256, 1) True\n");
}

TEST_CASE("Python: arrays are tiled as the table says, and detiled again, in any type as large as an element") {
    check_prints(R"(
x, y, offset = table
image = navi21()
rows = np.random.default_rng(1).integers(0, 256, (256, 256, 4), np.uint8)
memory = image.tile(rows)
print(memory.dtype, memory.shape, (memory.reshape(-1, 4)[offset // 4] == rows[y, x]).all())
print((image.detile(memory, np.uint8) == rows).all(), (image.detile(bytes(memory)) == rows.view(np.uint32)[..., 0]).all())
print(image.detile(memory, np.float16).shape, (image.tile(image.detile(memory, np.float32)) == memory).all())
print((image.tile(np.asfortranarray(rows)[:, ::-1][:, ::-1]) == memory).all())
)",
                 "uint8 (262144,) True\nTrue True\n(256, 256, 2) True\nTrue\n");
}

TEST_CASE("Python: levels and layers share one memory, where the program says they lie") {
    const std::string out = printed(R"(
image = tilewise.Image.ask(gpu="Adreno 630", format="R16_UNORM", extent=(300, 200), levels=3, layers=2)
parts = {(level, layer): np.full((200 >> level, 300 >> level), 10 * level + layer + 1, np.uint16)
         for level in range(3) for layer in range(2)}
memory = np.zeros(image.bytes, np.uint8)
for (level, layer), rows in parts.items():
    image.tile(rows, memory, level, layer)
print(all((image.detile(memory, level=level, layer=layer) == rows).all() for (level, layer), rows in parts.items()))
print(image.addresses(3, 5, level=[0, 1, 2], layer=1).tolist())
)");
    if (out.empty()) return;
    std::string said = "True\n[";
    for (const char* level : {"0", "1", "2"}) {
        const Ended asked = run(
            Command{"env", "XDG_DATA_HOME=/nonexistent"} +
            tilewise::tilewise({"layout", "--gpu", "Adreno 630", "--format", "R16_UNORM", "--extent", "300x200",
                                "--levels", "3", "--layers", "2", "--at", "3,5", "--level", level, "--layer", "1"}));
        said += asked.out.substr(0, asked.out.find('\n')) + (level == std::string("2") ? "]\n" : ", ");
    }
    CHECK(out == said);
}

TEST_CASE("Python: a workgroup takes each of its texels once, in the order of memory") {
    check_prints(R"(
group = navi21().layout().workgroup(invocations=64)
offsets = navi21().layout().offsets(*group.texels.T)
print(group.shape, len({tuple(texel) for texel in group.texels.tolist()}), (np.sort(offsets) == offsets).all())
)",
                 "(8, 8, 1) 64 True\n");
}

TEST_CASE("Python: what does not fit is refused before it reaches the library, in one line") {
    check_prints(R"(
image = navi21()
layout = image.layout()
rows, memory = np.zeros((256, 256), np.uint32), np.zeros(262144, np.uint8)
refused(image.tile, rows[:100])
refused(image.tile, rows.astype(np.float64))
refused(image.tile, rows.astype(object))
refused(image.tile, rows, bytes(262144))
refused(image.tile, rows, memory[::2])
refused(image.detile, np.zeros(32768, object))
refused(image.detile, memory, np.float64)
refused(image.detile, memory, object)
refused(image.addresses, -1)
refused(image.addresses, 1 << 32)
refused(image.addresses, 0.5)
refused(image.layout, level=1 << 32)
refused(image.layout, aspect="depth")
refused(layout.elements, [0], extent=(0, 256))
refused(layout.workgroup, invocations=-1)
)",
                 "ValueError: the rows must be (256, 256) of elements of 4 bytes, not (100, 256) of uint32\n"
                 "ValueError: the rows must be (256, 256) of elements of 4 bytes, not (256, 256) of float64\n"
                 "ValueError: the rows must be (256, 256) of elements of 4 bytes, not (256, 256) of object\n"
                 "ValueError: the memory cannot be written\n"
                 "ValueError: the memory must be one piece of plain numbers: an array without gaps, bytes, ..\n"
                 "ValueError: the memory must be one piece of plain numbers: an array without gaps, bytes, ..\n"
                 "ValueError: elements of 4 bytes are no float64\n"
                 "ValueError: elements of 4 bytes are no object\n"
                 "ValueError: x must be from 0 to 4294967295, but there is -1\n"
                 "ValueError: x must be from 0 to 4294967295, but there is 4294967296\n"
                 "ValueError: x must be integers, not float64\n"
                 "ValueError: level must be from 0 to 4294967295, not 4294967296\n"
                 "ValueError: which aspect? the image has: color\n"
                 "ValueError: the extent (0, 256) is not (x,), (x, y) or (x, y, z), each 1 or more\n"
                 "ValueError: invocations must be from 0 to 4294967295, not -1\n");
}

TEST_CASE("Python: what the library or the program refuses is an error with its one line") {
    check_prints(
        R"(
image = navi21()
refused(image.detile, bytes(100))
refused(image.tile, np.zeros((256, 256), np.uint32), np.zeros(100, np.uint8))
refused(image.layout().detile, bytes(262144), extent=(300, 300))
refused(image.addresses, [0, 256], 0)
refused(image.layout, level=1)
refused(image.layout().workgroup, invocations=100)
refused(tilewise.Layout, "{}")
refused(tilewise.Image, {"extent": []})
)",
        "TilewiseError: the tiled side has 100 bytes, and the image needs 262144; check extent, element size and "
        "strides\n"
        "TilewiseError: the tiled side has 100 bytes, and the image needs 262144; check extent, element size and "
        "strides\n"
        "TilewiseError: the tiled side has 262144 bytes, and the image needs 360000; check extent, element size "
        "and strides\n"
        "TilewiseError: (256,0,0) is outside of level 0, which has 256x256x1 texels\n"
        "TilewiseError: the image has no such aspect, level or layer\n"
        "TilewiseError: a workgroup of 100 invocations: give a power of two up to 4096\n"
        "TilewiseError: layout: \"element\" is missing\n"
        "TilewiseError: image layout: \"format\" is missing\n");
    const std::string out = printed("refused(navi21, gpu='Frobnicator 9')");
    if (!out.empty()) CHECK(out.starts_with("TilewiseError: no GPU is known by the name \"Frobnicator 9\", "));
}

TEST_CASE("Python: a copied layout outlives the first, and a deep copy is refused rather than freed twice") {
    check_prints(R"(
import copy, gc, pickle
layout = navi21().layout()
refused(copy.deepcopy, layout)
refused(pickle.dumps, layout)
other = copy.copy(layout)
del layout
gc.collect()
print(other.offsets(77, 133))
)",
                 "TypeError: layouts and images are neither pickled nor copied deeply; keep the JSON that made them\n"
                 "TypeError: layouts and images are neither pickled nor copied deeply; keep the JSON that made them\n"
                 "170196\n");
}

TEST_CASE("Python: each class and function has an example, and prints what that says") {
    check_prints(R"(
import doctest, inspect
ended = doctest.testmod(tilewise, extraglobs={"tilewise": tilewise, "np": np})
public = [tilewise.TilewiseError, tilewise.Workgroup, tilewise.Layout, tilewise.Image]
for of in (tilewise.Layout, tilewise.Image):
    public += [member for name, member in inspect.getmembers(of) if not name.startswith("_") and callable(member) or isinstance(member, property)]
print(ended.failed, ended.attempted > 40, len(public), [str(of) for of in public if ">>> " not in (of.__doc__ or "")])
)",
                 "0 True 18 []\n");
}

TEST_CASE("Python: pip installs the module and its library from a checkout, without a network") {
    if (!python()) return;
    if (run({"/usr/bin/python3", "-m", "pip", "--version"}).code != 0) {
        MESSAGE("SKIPPED: this needs pip (Debian: python3-pip)");
        return;
    }
    const Folder folder;
    // The library is built in some minutes; other runs take the one that is there.
    Command command = {"/usr/bin/python3",
                       "-m",
                       "pip",
                       "install",
                       "--no-index",
                       "--no-deps",
                       "--quiet",
                       "--disable-pip-version-check",
                       "--root-user-action=ignore",
                       "--target",
                       folder / "site",
                       source_dir()};
    if (!soaking()) command = command + Command{"--config-settings", "library=" + installed() + "/lib/libtilewise.so"};
    const Ended ended =
        run(Command{"env", "HTTPS_PROXY=http://localhost:1", "HTTP_PROXY=http://localhost:1"} + command);
    REQUIRE_MESSAGE(ended.code == 0, ended.out << ended.err);
    CHECK(std::filesystem::exists(folder / "site/tilewise/libtilewise.so"));
    const Ended used = run({"env", "PYTHONPATH=" + folder / "site", "/usr/bin/python3", "-c", R"(
import importlib.metadata, tilewise
rows = {"element": {"bytes": 4, "width": 1, "height": 1}, "equation": ["0", "0"], "outer_xor": {}, "constant": 0,
        "base": 0, "tile": {"width": 1, "height": 1, "depth": 1, "bytes": 4}, "stride": {"x": 4, "y": 1024, "z": 0, "xor": {}}}
print(tilewise.Layout(rows).offsets(3, 2), importlib.metadata.version("tilewise"))
)"});
    CAPTURE(used.err);
    CHECK(used.out == "2060 " TILEWISE_VERSION "\n");
}

TEST_CASE("Python: without numpy, or with a library of another version, the module says what is missing, in one line") {
    if (!python()) return;
    const Folder folder;
    const std::string module = read_text(source_dir() + "/patterns/python/tilewise.py");
    const auto complaint = [&](const std::string& before) {
        return run({"env", "PYTHONPATH=" + folder.path.string(), "/usr/bin/python3", "-c",
                    before + "\ntry: import tilewise\nexcept ImportError as error: print(error, error.__cause__, "
                             "error.__suppress_context__)"})
            .out;
    };
    write_text(folder / "tilewise.py", module);
    CHECK(complaint("import sys; sys.modules['numpy'] = None") ==
          "tilewise: numpy is missing: install it (pip install numpy; Debian: apt install python3-numpy) None True\n");
    write_text(folder / "other.c", "int tilewise_error(void) { return 0; }\n");
    REQUIRE(run({"cc", "-shared", "-fPIC", folder / "other.c", "-o", folder / "libtilewise.so"}).code == 0);
    CHECK(complaint("").find(
              "libtilewise.so has no tilewise_layout_from_json: it is of another version than this module; "
              "install both anew") != std::string::npos);
}

TEST_CASE("Python: the module without its library says what is missing, in one line") {
    const Folder folder;
    write_text(folder / "tilewise.py", read_text(source_dir() + "/patterns/python/tilewise.py"));
    if (run({"/usr/bin/python3", "-c", "import numpy"}).code != 0) {
        MESSAGE("SKIPPED: this needs numpy (Debian: python3-numpy)");
        return;
    }
    const Ended ended = run({"env", "PYTHONPATH=" + folder.path.string(), "/usr/bin/python3", "-c",
                             "try: import tilewise\nexcept ImportError as error: print(error)"});
    CHECK(ended.err == "");
    CHECK(ended.out.starts_with("tilewise: libtilewise.so is missing ("));
    CHECK(ended.out.find("): install Tilewise (pip install . in a checkout, or cmake --install build/release)") !=
          std::string::npos);
}
