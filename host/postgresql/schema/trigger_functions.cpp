#include "postgresql/schema/trigger_functions.hpp"

#include <utility>
#include <vector>

#include "postgresql/schema/ddl.hpp"
#include "postgresql/sql_guard/confined_names.hpp"

namespace tenon::data::postgresql {

void pin_search_path(Sql& sql, const std::string& schema) {
  std::vector<std::pair<std::string, bool>> found;
  {
    Rows row = sql.rows(
        "SELECT quote_ident(p.proname), p.prosecdef OR p.prokind <> 'f' OR p.pronargs <> 0 OR "
        "p.prorettype <> 'pg_catalog.trigger'::regtype OR l.lanname <> 'plpgsql' FROM pg_proc p "
        "JOIN pg_language l ON l.oid = p.prolang WHERE p.pronamespace = "
        "quote_ident(current_schema())::regnamespace AND NOT starts_with(p.proname, 'tenon_') AND "
        "p.proconfig IS NULL ORDER BY 1");
    while (row.next())
      found.emplace_back(row.text(0), row.integer(1) != 0);
  }
  for (const auto& [name, is_another] : found) {
    if (is_another) throw denied("not authorized: the function " + name);
    sql.run("ALTER FUNCTION " + name + "() SET search_path = " + schema::quoted(schema) +
            ", pg_temp");
  }
}

}  // namespace tenon::data::postgresql
