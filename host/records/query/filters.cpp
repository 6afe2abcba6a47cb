#include "records/query/filters.hpp"

#include "base/error.hpp"
#include "expression/parse.hpp"
#include "records/model/limits.hpp"

namespace tenon::records {

namespace {

std::shared_ptr<const Rule> compile(const Model& model, const TableModel& table,
                                    const std::string& text) {
  try {
    auto checked = expression::check(expression::parse(text), model.declared(), table.table,
                                     expression::Purpose::filter);
    auto sql = expression::to_sql_condition(checked,
                                            {.dialect = table.engine,
                                             .alias = alias,
                                             .first_parameter = table.read_slots.slots.size() + 1});
    return std::make_shared<const Rule>(Rule{std::move(checked), std::move(sql)});
  } catch (const base::Error& error) {
    const std::string message = "filter: " + error.message();
    throw base::Error(error.status(), error.code(), message, {{"filter", "invalid", message}});
  }
}

}  // namespace

std::shared_ptr<const Rule> Filters::get(const Model& model, const TableModel& table,
                                         const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_text_.find(text);
    if (found != by_text_.end()) {
      cached_.splice(cached_.begin(), cached_, found->second);
      return found->second->second;
    }
  }
  auto made = compile(model, table, text);
  const std::lock_guard lock(mutex_);
  if (by_text_.contains(text)) return made;
  cached_.emplace_front(text, made);
  by_text_.emplace(cached_.front().first, cached_.begin());
  if (cached_.size() > max_cached_filters) {
    by_text_.erase(cached_.back().first);
    cached_.pop_back();
  }
  return made;
}

std::size_t Filters::size() const {
  const std::lock_guard lock(mutex_);
  return cached_.size();
}

}  // namespace tenon::records
