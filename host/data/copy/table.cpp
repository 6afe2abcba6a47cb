#include "data/copy/table.hpp"

#include <algorithm>
#include <array>

#include "base/join.hpp"
#include "schema/change_log.hpp"
#include "schema/ddl.hpp"

namespace tenon::data::copying {

bool is_recreated(std::string_view table) noexcept {
  constexpr std::array<std::string_view, 6> names = {
      "tenon_meta",  "tenon_migrations",   copy_state_table,
      "tenon_roles", "tenon_installation", schema::change_log_table};
  if (std::find(names.begin(), names.end(), table) != names.end()) return true;
  return table.starts_with("tenon_") &&
         (table.ends_with("_search") || table.ends_with("_search_queued") ||
          table.ends_with("_search_words"));
}

std::string column_list(const Table& table) {
  return base::join(table.columns,
                    [](const Column& column) { return schema::quoted(column.name); });
}

}  // namespace tenon::data::copying
