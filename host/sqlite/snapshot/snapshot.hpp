#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "data/snapshot/snapshot.hpp"

namespace tenon::data::sqlite {

class Engine;

// See data/snapshot/snapshot.hpp.

std::uint64_t snapshot(Engine& engine, const std::string& path, const CopyProgress& progress,
                       std::chrono::milliseconds timeout);
std::unique_ptr<OnlineSnapshot> start_snapshot(Engine& engine, const std::string& path);
SnapshotFacts snapshot_facts(const std::string& path);
std::vector<TableChanges> diff_since(Engine& engine, const std::string& snapshot,
                                     std::chrono::milliseconds timeout);
std::vector<TableChanges> diff_file_since(const std::string& path, bool has_writer,
                                          const std::string& snapshot,
                                          std::chrono::milliseconds timeout);

}  // namespace tenon::data::sqlite
