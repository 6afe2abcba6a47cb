#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "records/model/model.hpp"

namespace tenon::records {

/// Cache of the compiled filters of one table that were used last. Thread-safe; compiles without
/// holding its lock.
class Filters {
 public:
  /// Returns the compiled filter over the table; its parameters come after those of
  /// TableModel::read_slots. Throws 422 expression.invalid, its message prefixed with "filter: ".
  std::shared_ptr<const Rule> get(const Model& model, const TableModel& table,
                                  const std::string& text);
  std::size_t size() const;

 private:
  using CachedFilter = std::pair<std::string, std::shared_ptr<const Rule>>;

  mutable std::mutex mutex_;
  std::list<CachedFilter> cached_;  ///< the one used last first
  std::unordered_map<std::string_view, std::list<CachedFilter>::iterator> by_text_;
};

}  // namespace tenon::records
