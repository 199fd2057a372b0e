"""Builds the wheel of `pip install .` (PEP 517): the module and, beside it, the library that it loads.

It needs nothing but Python and what builds the library alone: CMake, Ninja or make, a C++20 compiler, fmt,
nlohmann-json, xxhash and highway (tools/deps installs them). So pip builds it without a network.
"""

import base64
import hashlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

root = Path(__file__).resolve().parents[2]
version = re.search(r"^project\(tilewise VERSION (\S+)", (root / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
info = f"tilewise-{version}.dist-info"
metadata = f"""Metadata-Version: 2.1
Name: tilewise
Version: {version}
Summary: Where GPUs put the texels of images
Requires-Python: >=3.8
Requires-Dist: numpy>=1.17
"""


def _run(*command):
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if ended.returncode != 0:
        said = re.findall(r"(?:error: |Could not find |Could NOT find |No CMAKE_CXX_COMPILER).*", ended.stdout)
        sys.exit(f"tilewise: {command[0]} cannot build the library: {(said or [ended.stdout[-300:]])[0].strip()} "
                 "(tools/deps installs what is needed)")


def _library(folder):
    """Built in a folder of its own, without the program, its database and the tests."""
    try:
        _run("cmake", "-S", root, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DTILEWISE_PROGRAM=OFF",
             "-DTILEWISE_TESTS=OFF")
        _run("cmake", "--build", folder, "--target", "tilewise_c", "--parallel")
    except FileNotFoundError:
        sys.exit("tilewise: cmake is missing, which builds the library (tools/deps installs it)")
    return (Path(folder) / "patterns/libtilewise.so").read_bytes()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    tag = f"py3-none-{re.sub('[-.]', '_', sysconfig.get_platform())}"
    # --config-settings library=FILE takes one that is built already.
    built = (config_settings or {}).get("library")
    with tempfile.TemporaryDirectory() as scratch:
        library = Path(built).read_bytes() if built else _library(scratch)
    files = {
        "tilewise/__init__.py": (root / "patterns/python/tilewise.py").read_bytes(),
        "tilewise/libtilewise.so": library,
        f"{info}/METADATA": metadata.encode(),
        f"{info}/LICENSE": (root / "LICENSE").read_bytes(),
        f"{info}/WHEEL": (f"Wheel-Version: 1.0\nGenerator: tilewise {version}\nRoot-Is-Purelib: false\n"
                          f"Tag: {tag}\n").encode(),
    }
    record = ""
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    name = f"tilewise-{version}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            wheel.writestr(path, content)
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = Path(metadata_directory) / info
    folder.mkdir()
    (folder / "METADATA").write_text(metadata)
    return info
