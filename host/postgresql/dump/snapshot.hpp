#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "data/database_options.hpp"
#include "data/snapshot/snapshot.hpp"
#include "postgresql/client/connection.hpp"

namespace tenon::data::postgresql {

// See data/snapshot/snapshot.hpp.

std::uint64_t snapshot(const PostgresqlSchema& location, const std::string& path,
                       const CopyProgress& progress, std::chrono::milliseconds lock_timeout);
void restore(const PostgresqlSchema& location, const std::string& snapshot,
             const CopyProgress& progress, std::chrono::milliseconds lock_timeout);
SnapshotFacts snapshot_facts(const std::string& path);
std::vector<TableChanges> diff_since(const PostgresqlSchema& location, const std::string& snapshot,
                                     std::chrono::milliseconds timeout);

/// Returns options to connect as the owner of the tables.
ConnectionOptions owner_options(const PostgresqlSchema& location, bool is_read_only);

}  // namespace tenon::data::postgresql
