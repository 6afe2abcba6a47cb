#include "installer/plugin_data.hpp"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include "base/error.hpp"
#include "data/database.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace fs = std::filesystem;

std::uint64_t PluginData::bytes(const std::string& id) const {
  if (is_postgresql()) return 0;
  std::uint64_t all = 0;
  for (const char* end : {"", "-wal"}) {
    std::error_code failure;
    const std::uintmax_t bytes = fs::file_size(file(id) + end, failure);
    if (!failure) all += bytes;
  }
  return all;
}

bool PluginData::exists(const std::string& id) const {
  return schemas_.location ? schemas_.location(id, false).has_value() : fs::exists(file(id));
}

std::unique_ptr<data::Database> PluginData::open(const std::string& id) const {
  data::DatabaseOptions options;
  if (schemas_.location) {
    options.postgresql = schemas_.location(id, false);
    if (!options.postgresql) return nullptr;
  } else if (!fs::exists(file(id))) {
    return nullptr;
  }
  options.path = file(id);
  options.confinement = data::Confinement::plugin();
  return std::make_unique<data::Database>(std::move(options));
}

data::schema::Plan PluginData::plan(const data::Declaration& declaration) const {
  return schemas_.plan ? schemas_.plan(declaration)
                       : data::plan_file(file(declaration.plugin), false, declaration);
}

void PluginData::restore(const std::string& id, const std::string& snapshot) const {
  if (schemas_.location)
    data::restore_snapshot(*schemas_.location(id, true), snapshot);
  else
    data::restore_by_link(file(id), snapshot);
}

bool PluginData::may_be_restored(const std::string& id, const std::string& snapshot,
                                 const std::exception& failure) const {
  if (!schemas_.location) return fs::exists(file(id) + "-restore") || is_linked(id, snapshot);
  // The server may have committed, and its response was lost.
  const auto* error = dynamic_cast<const base::Error*>(&failure);
  return error != nullptr && error->code() == "data.connection_lost";
}

bool PluginData::is_linked(const std::string& id, const std::string& snapshot) const {
  return !is_postgresql() && data::is_snapshot_linked(file(id), snapshot);
}

// A folder of its own on another disk is all that keeps a file from a second name.
std::uint64_t PluginData::bytes_to_restore(const std::string& snapshot) const {
  struct stat here {};
  struct stat there {};
  if (::stat(snapshot.c_str(), &there) != 0) return 0;
  const bool can_link =
      !is_postgresql() && ::stat(directory_.c_str(), &here) == 0 && here.st_dev == there.st_dev;
  return can_link ? 0 : static_cast<std::uint64_t>(there.st_size);
}

std::vector<data::TableChanges> PluginData::diff_since(const std::string& id,
                                                       const std::string& snapshot,
                                                       bool has_writer) const {
  if (is_postgresql()) return data::diff_since(*schemas_.location(id, true), snapshot);
  return data::diff_file_since(file(id), has_writer, snapshot);
}

void PluginData::remove(const std::string& id) const {
  if (schemas_.drop) return schemas_.drop(id);
  // The last two first: what is left of a restore would take the place of the file again.
  for (const char* end : {"-restore", "-restore.part", "", "-wal", "-shm", "-journal"}) {
    std::error_code failure;
    fs::remove(file(id) + end, failure);
    if (failure) {
      throw Refusal({"plugins.data_not_removed",
                     "It cannot be removed: " + failure.message() + ".",
                     file(id) + end,
                     {}},
                    500);
    }
  }
}

}  // namespace tenon::plugins
