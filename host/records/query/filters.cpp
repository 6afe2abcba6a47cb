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
    const auto found = places_.find(text);
    if (found != places_.end()) {
      kept_.splice(kept_.begin(), kept_, found->second);
      return found->second->second;
    }
  }
  auto made = compile(model, table, text);
  const std::lock_guard lock(mutex_);
  if (places_.contains(text)) return made;
  kept_.emplace_front(text, made);
  places_.emplace(kept_.front().first, kept_.begin());
  if (kept_.size() > kept_filters) {
    places_.erase(kept_.back().first);
    kept_.pop_back();
  }
  return made;
}

std::size_t Filters::size() const {
  const std::lock_guard lock(mutex_);
  return kept_.size();
}

}  // namespace tenon::records
