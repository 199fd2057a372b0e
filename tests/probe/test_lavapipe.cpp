// A real driver that runs everywhere: Mesa's lavapipe, whose optimal images are rows of whole 4 texels, whole 64 bytes.
#include "patterns/model/error.h"
#include "probe/probe.h"
#include "tests/support/lavapipe.h"
#include "tests/support/program.h"
#include <cstdlib>
#include <doctest/doctest.h>
#include <set>
#include <vulkan/vulkan_core.h>

using namespace tilewise;
using namespace tilewise::probe;

namespace {

std::vector<Reading> readings_of(Workers& workers, const DeviceInfo& device, const Request& request) {
    std::vector<Reading> readings;
    run(workers, plan(workers, device, request), 2, [&](Reading&& reading) { readings.push_back(std::move(reading)); });
    return readings;
}

bool lies_in_rows(const Table& table) {
    const uint64_t pitch = ((table.extent[axis_x] + 3) / 4 * 4 * uint64_t{table.element.bytes} + 63) / 64 * 64;
    for (uint64_t i = 0; i < table.offsets.size(); ++i) {
        const Coord at = element_at_index(table.extent, i);
        if (table.offsets[i] != at[axis_x] * table.element.bytes + at[axis_y] * pitch) return false;
    }
    return table.offsets.size() == element_count(table.extent);
}

/// An environment variable for the workers that start while this object lives.
struct Setting {
    const char* name;
    Setting(const char* variable, const std::string& value) : name(variable) { setenv(name, value.c_str(), 1); }
    ~Setting() { unsetenv(name); }
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;
};

}  // namespace

TEST_CASE("every common format at every default extent lies in rows on lavapipe, by every route") {
    Workers workers;
    const auto device = lavapipe(workers);
    if (!device) return;
    const auto readings = readings_of(workers, *device, {});
    CHECK(readings.size() >= 2 * common_formats().size() * default_extents().size());
    for (const Reading& reading : readings) {
        CAPTURE(case_name(reading.probed));
        CHECK(reading.outcome == Outcome::read);
        CHECK(reading.reason == "");
        CHECK(reading.foreign == 0);
        CHECK(lies_in_rows(reading.table));
        for (const Reading& other : readings)
            if (other.probed.image == reading.probed.image) CHECK(reading.table.offsets == other.table.offsets);
    }
}

TEST_CASE("lavapipe's formats, of 1, 2, 4, 8, 12 and 16 bytes, lie in rows") {
    Workers workers;
    const auto device = lavapipe(workers);
    if (!device) return;
    Request request;
    request.formats = {"all"};
    request.extents = {{37, 20}};
    std::set<uint32_t> sizes;
    for (const Reading& reading : readings_of(workers, *device, request)) {
        CAPTURE(case_name(reading.probed));
        CHECK(reading.outcome == Outcome::read);
        CHECK(lies_in_rows(reading.table));
        sizes.insert(reading.table.element.bytes);
    }
    CHECK(sizes == std::set<uint32_t>{1, 2, 4, 8, 12, 16});
}

TEST_CASE("lavapipe says who it is") {
    Workers workers;
    const auto device = lavapipe(workers);
    if (!device) return;
    CHECK(device->type == "cpu");
    CHECK(device->driver_id == VK_DRIVER_ID_MESA_LLVMPIPE);
    CHECK(device->device_uuid.size() == 32);
    CHECK(device->max_dimension_2d >= 4096);
    CHECK(device->routes[0].offered);
    CHECK(device->formats.size() > 50);
}

TEST_CASE("requests that no device could meet are wrong usage, named") {
    Workers workers;
    const auto device = lavapipe(workers);
    if (!device) return;
    const auto wrong = [&](const Request& request, const char* why) {
        CHECK_THROWS_WITH_AS(plan(workers, *device, request), doctest::Contains(why), UsageError);
    };
    Request request;
    request.extents = {{0, 4}};
    wrong(request, "at least one texel");
    request.extents = {{1 << 20, 4}};
    wrong(request, "maxImageDimension2D");
    request.extents = {{4, 4, 1 << 20}};
    wrong(request, "maxImageDimension3D");
    request.extents = {};
    request.memory_types = {31};
    wrong(request, "no memory type 31");
    request.memory_types = {};
    request.formats = {"R8G8B8A9_UNORM"};
    wrong(request, "R8G8B8A8_UNORM");
    request.formats = {"D16_UNORM"};
    wrong(request, "depth");
}

TEST_CASE("what the device does not offer is unsupported, with Vulkan's reason") {
    Workers workers;
    const auto device = lavapipe(workers);
    if (!device) return;
    Request request;
    request.formats = {"R64G64B64A64_SFLOAT"};
    request.extents = {{16, 16}};
    const auto readings = readings_of(workers, *device, request);
    REQUIRE(readings.size() == 1);
    CHECK(readings[0].outcome == Outcome::unsupported);
    CHECK(readings[0].reason == "R64G64B64A64_SFLOAT is not offered in optimal tiling");
}

TEST_CASE("without a driver there is no device, and the error says what to install") {
    const Setting none("VK_DRIVER_FILES", "/dev/null");
    const Setting none_by_the_old_name("VK_ICD_FILENAMES", "/dev/null");
    Workers workers;
    CHECK_THROWS_WITH_AS(list_devices(workers), doctest::Contains("install"), Error);
}

TEST_CASE("the validation layer, synchronization included, has nothing to say about a whole lavapipe run") {
    if (!std::filesystem::exists("/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json")) {
        MESSAGE("SKIPPED: the validation layer is not installed (Debian: vulkan-validationlayers)");
        return;
    }
    const Folder folder;
    const std::string log = folder / "log.txt";
    write_text(folder / "vk_layer_settings.txt",
               "khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG\n"
               "khronos_validation.report_flags = error,warn,perf,info\n"
               "khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT\n"
               "khronos_validation.log_filename = " +
                   log + "\n");
    const Setting layer("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation");
    const Setting settings("VK_LAYER_SETTINGS_PATH", folder.path.string());
    {
        Workers workers;
        const auto device = lavapipe(workers);
        if (!device) return;
        Request request;
        for (const Reading& reading : readings_of(workers, *device, request)) CHECK(reading.outcome == Outcome::read);
        request.formats = {"all"};
        request.extents = {{37, 20}, {24, 20, 6}};
        request.levels = 3;
        for (const Reading& reading : readings_of(workers, *device, request)) CHECK(reading.outcome == Outcome::read);
    }
    // The workers are gone: leaks would be in the log by now.
    const std::string said = read_text(log);
    CHECK(said.find("SYNCHRONIZATION_VALIDATION") != std::string::npos);  // the layer was there, and so was this part
    CHECK(said.find("Validation Error") == std::string::npos);
    CHECK(said.find("Validation Warning") == std::string::npos);
    CHECK(said.find("Validation Performance") == std::string::npos);
}
