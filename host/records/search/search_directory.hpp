#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tenon::routing {
class RouteSet;
}

namespace tenon::records {

struct TableContext;

/// The tables that a search over everything looks into: those of active plugins that are published
/// and have searchable fields. Thread-safe.
class SearchDirectory {
 public:
  /// TableContexts of one plugin, and its routes, whose gate counts who works with them.
  struct Entry {
    std::string plugin;
    std::shared_ptr<const routing::RouteSet> routes;
    std::vector<std::shared_ptr<const TableContext>> table_contexts;
  };

  SearchDirectory();
  ~SearchDirectory();
  SearchDirectory(const SearchDirectory&) = delete;
  SearchDirectory& operator=(const SearchDirectory&) = delete;

  void attach(Entry entry);
  /// A search that still uses its table contexts has a lease of its routes.
  void detach(const std::string& plugin);
  std::vector<std::shared_ptr<const Entry>> all() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Entry>> entries_;
};

}  // namespace tenon::records
