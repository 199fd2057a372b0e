#include "tests/prove/wgsl.h"
#include "tests/support/paths.h"
#include "tests/support/program.h"
#include <doctest/doctest.h>
#include <filesystem>

namespace tilewise::prove {

namespace {

std::string runtime() { return source_dir() + "/build/wgsl"; }

}  // namespace

bool has_wgsl_runtime() {
    if (run({"node", "--version"}).code == 0 && std::filesystem::exists(runtime() + "/dawn/.contents")) return true;
    MESSAGE("SKIPPED: no Dawn and SwiftShader in build/wgsl (tools/wgsl-runtime makes them)");
    return false;
}

WgslAnswer run_wgsl(const nlohmann::json& jobs, const std::string& in) {
    const Folder folder;
    write_text(folder / "jobs.json",
               nlohmann::json{{"dawn", runtime() + "/dawn/node_modules/webgpu"}, {"jobs", jobs}}.dump());
    write_text(folder / "in.bin", in);
    const std::string driver = runtime() + "/swiftshader/usr/lib/chromium/vk_swiftshader_icd.json";
    const Ended ended = run({"env", "VK_ICD_FILENAMES=" + driver, "VK_DRIVER_FILES=" + driver, "node",
                             source_dir() + "/tests/prove/wgsl_run.mjs", folder.path.string()});
    INFO(ended.err);
    REQUIRE(ended.code == 0);
    const nlohmann::json result = nlohmann::json::parse(ended.out);
    return {result["adapter"], result["errors"], read_text(folder / "out.bin")};
}

}  // namespace tilewise::prove
