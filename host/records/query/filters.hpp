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

/// Compiled filters of one table, those used last. Thread-safe; nothing is compiled under its lock.
class Filters {
 public:
  /// A filter over the table; its parameters come behind those of TableModel::read_slots. Throws
  /// 422 expression.invalid, its message with "filter: " in front.
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
