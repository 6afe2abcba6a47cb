#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace tenon::data {
class Database;
}
namespace tenon::observability {
class MetricsSink;
}

namespace tenon::plugins {

/// The databases of active plugins, for their figures. Keeps none of them open. Thread-safe.
class OpenDatabases {
 public:
  /// Takes the place of an earlier one of this plugin.
  void add(const std::string& plugin, std::weak_ptr<data::Database> database);
  /// Has those looked through in the background that are still to be opened.
  void begin_checks() const;
  void write_metrics(observability::MetricsSink& sink) const;

 private:
  std::map<std::string, std::shared_ptr<data::Database>> open() const;

  mutable std::mutex mutex_;
  std::map<std::string, std::weak_ptr<data::Database>> databases_;
};

}  // namespace tenon::plugins
