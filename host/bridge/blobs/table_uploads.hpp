#pragma once

#include <vector>

#include "records/service/records.hpp"

namespace tenon::plugins {

class Bridge;

/// Adds the routes of uploads for the files of published tables to `routes`, which are those of the
/// tables. Adds none if the plugin sets its own rules for uploads. Adds none, and logs a warning,
/// if the plugin has a route or a table of the same path.
void add_table_uploads(std::vector<records::OwnedRoute>& routes, Bridge& bridge,
                       const records::UploadNeeds& needs);

}  // namespace tenon::plugins
