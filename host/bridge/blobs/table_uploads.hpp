#pragma once

#include <vector>

#include "records/service/records.hpp"

namespace tenon::plugins {

class Bridge;

/// Adds the routes of uploads for the files of published tables to `routes`, which are those of the
/// tables. None where the plugin said itself who may upload what; none, and a warning in the log,
/// where it has a route or a table in their place.
void add_table_uploads(std::vector<records::OwnedRoute>& routes, Bridge& bridge,
                       const records::UploadNeeds& needs);

}  // namespace tenon::plugins
