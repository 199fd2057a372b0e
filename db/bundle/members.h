// The members of a bundle's objects, said once for the writer and the reader.
#pragma once
#include "db/database.h"
#include "db/facts/lanes.h"
#include "db/facts/validation.h"

namespace tilewise::db {

enum class Presence { required, optional };  ///< optional: left out where it has the value of a fact that says nothing

template <typename Visit>
void each_device_member(Visit visit) {
    visit("vendor_id", &DeviceFact::vendor_id, Presence::required);
    visit("device_id", &DeviceFact::device_id, Presence::required);
    visit("name", &DeviceFact::name, Presence::required);
    visit("type", &DeviceFact::type, Presence::optional);
    visit("uuid", &DeviceFact::uuid, Presence::optional);
}

template <typename Visit>
void each_driver_member(Visit visit) {
    visit("name", &DriverFact::name, Presence::required);
    visit("info", &DriverFact::info, Presence::optional);
    visit("id", &DriverFact::id, Presence::optional);
    visit("version", &DriverFact::version, Presence::optional);
    visit("api_version", &DriverFact::api_version, Presence::optional);
    visit("uuid", &DriverFact::uuid, Presence::optional);
    visit("pipeline_uuid", &DriverFact::pipeline_uuid, Presence::optional);
    visit("tiling_layout_uuid", &DriverFact::tiling_layout_uuid, Presence::optional);
}

template <typename Visit>
void each_observation_member(Visit visit) {
    visit("format", &ObservationFact::format, Presence::required);
    visit("usage", &ObservationFact::usage, Presence::optional);
    visit("image_type", &ObservationFact::image_type, Presence::optional);
    visit("extent", &ObservationFact::extent, Presence::required);
    visit("levels", &ObservationFact::levels, Presence::optional);
    visit("layers", &ObservationFact::layers, Presence::optional);
    visit("samples", &ObservationFact::samples, Presence::optional);
    visit("level", &ObservationFact::level, Presence::optional);
    visit("layer", &ObservationFact::layer, Presence::optional);
    visit("aspect", &ObservationFact::aspect, Presence::optional);
    visit("route", &ObservationFact::route, Presence::required);
    visit("memory_type", &ObservationFact::memory_type, Presence::optional);
    visit("memory_flags", &ObservationFact::memory_flags, Presence::optional);
    visit("result", &ObservationFact::result, Presence::required);
    visit("reason", &ObservationFact::reason, Presence::optional);
    visit("elements", &ObservationFact::elements, Presence::required);
    visit("mismatches", &ObservationFact::mismatches, Presence::optional);
    visit("time", &ObservationFact::time, Presence::required);
    visit("tool_version", &ObservationFact::tool_version, Presence::optional);
    visit("provenance", &ObservationFact::provenance, Presence::required);
}

/// All but the matrix.
template <typename Visit>
void each_lane_order_member(Visit visit) {
    visit("shape", &LaneOrderFact::shape, Presence::required);
    visit("built_in", &LaneOrderFact::built_in, Presence::optional);
    visit("subgroup_size", &LaneOrderFact::subgroup_size, Presence::optional);
    visit("note", &LaneOrderFact::note, Presence::optional);
    visit("time", &LaneOrderFact::time, Presence::required);
    visit("tool_version", &LaneOrderFact::tool_version, Presence::optional);
}

/// All but the statistics.
template <typename Visit>
void each_start_order_member(Visit visit) {
    visit("grid", &StartOrderFact::grid, Presence::required);
    visit("visit", &StartOrderFact::visit, Presence::required);
    visit("note", &StartOrderFact::note, Presence::optional);
    visit("time", &StartOrderFact::time, Presence::required);
    visit("tool_version", &StartOrderFact::tool_version, Presence::optional);
}

template <typename Visit>
void each_validation_member(Visit visit) {
    visit("kernel", &ValidationFact::kernel, Presence::required);
    visit("method", &ValidationFact::method, Presence::optional);
    visit("order", &ValidationFact::order, Presence::optional);
    visit("format", &ValidationFact::format, Presence::required);
    visit("pattern", &ValidationFact::pattern, Presence::optional);
    visit("extent", &ValidationFact::extent, Presence::required);
    visit("radius", &ValidationFact::radius, Presence::optional);
    visit("shape", &ValidationFact::shape, Presence::required);
    visit("invocations", &ValidationFact::invocations, Presence::optional);
    visit("memory_type", &ValidationFact::memory_type, Presence::optional);
    visit("samples", &ValidationFact::samples, Presence::required);
    visit("discarded", &ValidationFact::discarded, Presence::optional);
    visit("median_ms", &ValidationFact::median_ms, Presence::required);
    visit("interval_ms", &ValidationFact::interval_ms, Presence::optional);
    visit("ratio", &ValidationFact::ratio, Presence::optional);
    visit("ratio_interval", &ValidationFact::ratio_interval, Presence::optional);
    visit("verdict", &ValidationFact::verdict, Presence::required);
    visit("floor_ms", &ValidationFact::floor_ms, Presence::optional);
    visit("time", &ValidationFact::time, Presence::required);
    visit("tool_version", &ValidationFact::tool_version, Presence::optional);
}

}  // namespace tilewise::db
