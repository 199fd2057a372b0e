// A real driver that runs everywhere: Mesa's lavapipe, whose optimal images are rows of whole 4 texels, whole 64 bytes.
#include "patterns/model/error.h"
#include "probe/probe.h"
#include "tests/support/lavapipe.h"
#include "tests/support/program.h"
#include <cstdlib>
#include <doctest/doctest.h>
#include <map>
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

TEST_CASE("of all formats, those that lavapipe offers lie in rows, and the others are refused for a reason") {
    Workers workers;
    const auto device = lavapipe(workers);
    if (!device) return;
    Request request;
    request.formats = {"all"};
    request.extents = {{37, 20, 1}};
    std::set<uint32_t> sizes, formats, aspects;
    for (const Reading& reading : readings_of(workers, *device, request)) {
        CAPTURE(case_name(reading.probed));
        CAPTURE(reading.reason);
        formats.insert(reading.probed.image.format);
        if (reading.outcome == Outcome::unsupported) {
            CHECK(reading.reason != "");
            CHECK(reading.image_bytes == 0);
            continue;
        }
        CHECK(reading.outcome == Outcome::read);
        CHECK(reading.table.faults.empty());
        CHECK(reading.image_bytes >= element_count(reading.table.extent) * reading.table.element.bytes);
        aspects.insert(reading.probed.aspect);
        if (reading.table.element.width > 1 || reading.probed.aspect != VK_IMAGE_ASPECT_COLOR_BIT) continue;
        CHECK(lies_in_rows(reading.table));
        sizes.insert(reading.table.element.bytes);
    }
    CHECK(formats.size() == known_formats().size());
    CHECK(sizes == std::set<uint32_t>{1, 2, 4, 8, 12, 16});
    CHECK(aspects.contains(VK_IMAGE_ASPECT_DEPTH_BIT));
    CHECK(aspects.contains(VK_IMAGE_ASPECT_STENCIL_BIT));
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
    request.extents = {{0, 4, 1}};
    wrong(request, "at least one texel");
    request.extents = {{1 << 20, 4, 1}};
    wrong(request, "maxImageDimension2D");
    request.extents = {{4, 4, 1 << 20}};
    wrong(request, "maxImageDimension3D");
    request.extents = {};
    request.memory_types = {31};
    wrong(request, "no memory type 31");
    request.memory_types = {};
    request.formats = {"R8G8B8A9_UNORM"};
    wrong(request, "R8G8B8A8_UNORM");
    request.formats = {"R8_UNORM"};
    request.samples = 3;
    wrong(request, "3 samples");
}

TEST_CASE("what the device does not offer is unsupported, with Vulkan's reason") {
    Workers workers;
    const auto device = lavapipe(workers);
    if (!device) return;
    Request request;
    request.formats = {"R64G64B64A64_SFLOAT"};
    request.extents = {{16, 16, 1}};
    const auto readings = readings_of(workers, *device, request);
    REQUIRE(readings.size() == 1);
    CHECK(readings[0].outcome == Outcome::unsupported);
    CHECK(readings[0].reason == "not offered in optimal tiling");
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
        const auto run_another = [&] {
            for (const Reading& reading : readings_of(workers, *device, request)) {
                CAPTURE(case_name(reading.probed));
                CHECK((reading.outcome == Outcome::read || reading.outcome == Outcome::unsupported));
            }
        };
        request.formats = {"all"};
        request.extents = {{36, 20, 1}, {24, 20, 6}};
        request.levels = 3;
        run_another();
        request = {};
        request.formats = {"R8_UNORM", "R16G16B16A16_SFLOAT", "R32G32B32A32_SFLOAT", "D16_UNORM", "D24_UNORM_S8_UINT"};
        request.extents = {{36, 20, 1}};
        request.samples = 4;
        run_another();
        request.samples = 1;
        request.extents = {{24, 24, 1}};
        request.layers = 6;
        request.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
        run_another();
    }
    // The workers are gone: leaks would be in the log by now.
    const std::string said = read_text(log);
    CHECK(said.find("SYNCHRONIZATION_VALIDATION") != std::string::npos);  // the layer was there, and so was this part
    CHECK(said.find("Validation Error") == std::string::npos);
    CHECK(said.find("Validation Warning") == std::string::npos);
    CHECK(said.find("Validation Performance") == std::string::npos);
}

namespace {

std::vector<Reading> readings_of(const Request& request) {
    Workers workers;
    const auto device = lavapipe(workers);
    return device ? readings_of(workers, *device, request) : std::vector<Reading>();
}

Coord axis_steps(const Table& table) {
    Coord steps = {};
    for (const Axis a : all_axes) {
        Coord at = {};
        at[a] = table.extent[a] > 1 ? 1 : 0;
        steps[a] = static_cast<uint32_t>(table.offsets[element_index(table.extent, at)] - table.offsets[0]);
    }
    return steps;
}

}  // namespace

TEST_CASE("depth and stencil lie side by side in one texel, each read by itself") {
    Request request;
    request.formats = {"D24_UNORM_S8_UINT", "D32_SFLOAT_S8_UINT"};
    request.extents = {{37, 20, 1}};
    for (const Reading& reading : readings_of(request)) {
        CAPTURE(case_name(reading.probed));
        if (reading.outcome == Outcome::unsupported) continue;
        REQUIRE(reading.outcome == Outcome::read);
        CHECK(reading.table.faults.empty());
        const bool is_depth = reading.probed.aspect == VK_IMAGE_ASPECT_DEPTH_BIT;
        const bool is_24 = reading.probed.image.format == VK_FORMAT_D24_UNORM_S8_UINT;
        CHECK(reading.table.element.bytes == (is_depth ? 4 : 1));
        CHECK(reading.table.offsets[0] == (is_depth ? 0 : is_24 ? 3 : 4));
        CHECK(axis_steps(reading.table)[axis_x] == (is_24 ? 4 : 8));
    }
}

TEST_CASE("each sample of a texel is found, and samples lie whole images apart") {
    Request request;
    request.formats = {"R8_UNORM", "R16_SFLOAT", "R8G8B8A8_UNORM", "R32G32B32A32_SFLOAT"};
    request.extents = {{36, 20, 1}};
    request.samples = 4;
    for (const Reading& reading : readings_of(request)) {
        CAPTURE(case_name(reading.probed));
        if (reading.probed.route == Route::host_copy) {
            CHECK(reading.outcome == Outcome::unsupported);
            CHECK(reading.reason.find("one sample") != std::string::npos);
            continue;
        }
        REQUIRE(reading.outcome == Outcome::read);
        CHECK(reading.table.faults.empty());
        CHECK(reading.table.extent == Coord{36, 20, 1, 4});
        const Coord steps = axis_steps(reading.table);
        CHECK(steps[axis_x] == reading.table.element.bytes);
        CHECK(steps[axis_s] >= 20 * steps[axis_y]);
    }
}

TEST_CASE("each sample of a depth and of a stencil is found, as far apart as those of a color of that size") {
    Request request;
    request.formats = {"D16_UNORM",          "X8_D24_UNORM_PACK32",
                       "D32_SFLOAT",         "D24_UNORM_S8_UINT",
                       "D32_SFLOAT_S8_UINT", "S8_UINT",
                       "R16_UINT",           "R32_UINT",
                       "R32G32_UINT",        "R8_UINT"};
    request.extents = {{37, 20, 1}};
    request.samples = 4;
    request.routes = {Route::alias};
    std::map<uint32_t, Coord> of_texels;  // by the bytes of a texel
    const std::vector<Reading> readings = readings_of(request);
    for (const Reading& reading : readings)
        if (reading.probed.aspect == color_aspect) of_texels[reading.table.element.bytes] = axis_steps(reading.table);
    for (const Reading& reading : readings) {
        CAPTURE(case_name(reading.probed));
        if (reading.outcome == Outcome::unsupported) {
            CHECK(reading.reason == "not offered in optimal tiling");
            continue;
        }
        REQUIRE(reading.outcome == Outcome::read);
        CHECK(reading.table.faults.empty());
        CHECK(reading.table.extent == Coord{37, 20, 1, 4});
        const Coord steps = axis_steps(reading.table);
        CHECK(steps == of_texels.at(steps[axis_x]));
        if (reading.probed.aspect == VK_IMAGE_ASPECT_STENCIL_BIT && steps[axis_x] > 1)
            CHECK(reading.table.offsets[0] == (steps[axis_x] == 4 ? 3 : 4));
    }
}

TEST_CASE("levels and layers that are read together lie where each of them lies alone") {
    Workers workers;
    const auto device = lavapipe(workers);
    if (!device) return;
    Request request;
    request.formats = {"R8G8B8A8_UNORM", "BC1_RGB_UNORM_BLOCK"};
    request.extents = {{60, 40, 1}};
    request.levels = 4;
    request.layers = 3;
    request.routes = {Route::alias};
    const std::vector<Case> cases = plan(workers, *device, request);
    std::vector<Reading> together;
    run(workers, cases, 1, [&](Reading&& reading) { together.push_back(std::move(reading)); });
    REQUIRE(together.size() == cases.size());
    for (size_t i = 0; i < cases.size(); ++i) {
        CAPTURE(case_name(cases[i]));
        std::vector<Reading> alone;
        run(workers, {&cases[i], 1}, 1, [&](Reading&& reading) { alone.push_back(std::move(reading)); });
        REQUIRE(together[i].probed == cases[i]);
        CHECK(together[i].outcome == Outcome::read);
        CHECK(together[i].table.offsets == alone.at(0).table.offsets);
        CHECK(together[i].table.extent == elements_of(cases[i]));
        CHECK(together[i].image_bytes == alone[0].image_bytes);
    }
}

TEST_CASE("images that take more than the buffers between host and device are read in pieces, rows and slices") {
    Workers workers;
    const auto device = lavapipe(workers);
    if (!device) return;
    Request request;
    request.formats = {"R32G32B32A32_SFLOAT"};
    request.extents = {{1600, 1501, 1}, {100, 88, 301}};  // 38 and 42 MB
    for (const Reading& reading : readings_of(workers, *device, request)) {
        CAPTURE(case_name(reading.probed));
        CHECK(reading.outcome == Outcome::read);
        CHECK(reading.reason == "");
        CHECK(reading.foreign == 0);
        const Table& table = reading.table;
        REQUIRE(table.offsets.size() == element_count(table.extent));
        uint64_t misplaced = 0;
        for (uint64_t i = 0; i < table.offsets.size(); ++i) misplaced += table.offsets[i] != 16 * i;
        CHECK(misplaced == 0);
    }
}

TEST_CASE("1D images have one row, cubes are squares, and what no device may see is refused for its reason") {
    Request request;
    request.formats = {"R8G8B8A8_UNORM"};
    request.extents = {{100, 1, 1}};
    request.type = ImageType::one_d;
    request.levels = 3;
    for (const Reading& reading : readings_of(request)) {
        CHECK(reading.outcome == Outcome::read);
        CHECK(reading.table.extent[axis_y] == 1);
    }
    const auto refused = [&](const char* why) {
        for (const Reading& reading : readings_of(request)) {
            CHECK(reading.outcome == Outcome::unsupported);
            CHECK(reading.reason == why);
        }
    };
    request.extents = {{100, 2, 1}};
    refused("a 1D image has one row");
    request = {};
    request.formats = {"R8G8B8A8_UNORM"};
    request.extents = {{16, 24, 1}};
    request.layers = 6;
    request.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
    refused("cubes are square 2D images of 6 layers or more");
    request.layers = 1;
    request.flags = VK_IMAGE_CREATE_DISJOINT_BIT;
    refused("disjoint is for formats of several planes");
}
