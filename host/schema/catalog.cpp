#include "schema/catalog.hpp"

#include <algorithm>

namespace tenon::data::schema {

const ActualColumn* ActualTable::find(std::string_view name) const noexcept {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const auto& one) { return one.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace tenon::data::schema
