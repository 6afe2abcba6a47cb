#pragma once

#include <string_view>

namespace tenon::observability {
class MetricsSink;
}

namespace tenon::data {

class Database;

/// Writes the figures of one database, tenon_data_…{plugin}; "core" is the host's own. From a
/// collector.
void write_metrics(observability::MetricsSink& sink, std::string_view plugin,
                   const Database& database);

}  // namespace tenon::data
