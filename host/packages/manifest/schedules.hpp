#pragma once

#include "packages/manifest/manifest.hpp"

namespace tenon::records {
class Model;
}

namespace tenon::plugins {

/// Checks the schedules of a manifest against the plugin's tables, with their times, conditions and
/// values. Throws Refusal "plugins.schedule_invalid" that names the location in plugin.json.
void check_schedules(const Manifest& manifest, const records::Model& model);

}  // namespace tenon::plugins
