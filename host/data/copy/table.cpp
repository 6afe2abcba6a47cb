#include "data/copy/table.hpp"

#include <algorithm>
#include <array>

#include "schema/change_log.hpp"
#include "schema/ddl.hpp"

namespace tenon::data::copying {

bool is_recreated(std::string_view table) noexcept {
  constexpr std::array<std::string_view, 6> names = {"tenon_meta",         "tenon_migrations",
                                                     copy_state_table,         "tenon_roles",
                                                     "tenon_installation", schema::change_log_table};
  if (std::find(names.begin(), names.end(), table) != names.end()) return true;
  return table.starts_with("tenon_") &&
         (table.ends_with("_search") || table.ends_with("_search_queued"));
}

std::string column_list(const Table& table) {
  std::string list;
  for (const Column& column : table.columns)
    list.append(list.empty() ? "" : ", ").append(schema::quoted(column.name));
  return list;
}

}  // namespace tenon::data::copying
