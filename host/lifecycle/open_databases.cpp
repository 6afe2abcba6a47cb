#include "lifecycle/open_databases.hpp"

#include <utility>

#include "data/database.hpp"
#include "data/metrics.hpp"

namespace tenon::plugins {

void OpenDatabases::add(const std::string& plugin, std::weak_ptr<data::Database> database) {
  const std::lock_guard lock(mutex_);
  databases_.insert_or_assign(plugin, std::move(database));
}

std::map<std::string, std::shared_ptr<data::Database>> OpenDatabases::open() const {
  std::map<std::string, std::shared_ptr<data::Database>> open;
  const std::lock_guard lock(mutex_);
  for (const auto& [plugin, weak] : databases_) {
    if (auto database = weak.lock()) open.emplace(plugin, std::move(database));
  }
  return open;
}

void OpenDatabases::begin_checks() const {
  for (const auto& [plugin, database] : open())
    database->begin_check();
}

void OpenDatabases::write_metrics(observability::MetricsSink& sink) const {
  for (const auto& [plugin, database] : open())
    data::write_metrics(sink, plugin, *database);
}

}  // namespace tenon::plugins
