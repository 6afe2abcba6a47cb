// SQL of plugins that is sent to PostgreSQL. Translated it is a statement that translates to
// itself, with the same parameters; the host may run every statement that a plugin may run. A
// statement of a migration has no word of dynamic SQL outside of quotes.

#include "postgresql/sql_guard/statement_text.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "postgresql/sql_guard/trigger_function.hpp"
#include "property.hpp"

namespace {

using tenon::data::postgresql::check_migration;
using tenon::data::postgresql::makes_function;

// Whether a migration may say it.
bool is_migration(const std::string& statement) {
  try {
    check_migration(statement);
    return true;
  } catch (const tenon::base::Error& error) {
    TENON_HOLDS(error.code() == "data.sql" || error.code() == "data.denied");
    return false;
  }
}

// A trigger function is let through by a scan of its body; a text without quotes (but those of the
// body) and without comments can be looked at without any scan.
void check_function(std::string sql) {
  const auto count = [&](std::string_view part) {
    std::size_t found = 0;
    for (auto at = sql.find(part); at != std::string::npos; at = sql.find(part, at + 1))
      ++found;
    return found;
  };
  if (count("$") != 4 || count("'") + count("\"") + count("--") + count("/*") != 0) return;
  std::replace_if(
      sql.begin(), sql.end(),
      [](char c) { return c == '\n' || c == '\t' || c == '\r' || c == '\f'; }, ' ');
  std::transform(sql.begin(), sql.end(), sql.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  for (const char* words :
       {" execute ", " cursor ", " pg_sleep", " tenon_changes ", "from tenon.users"})
    TENON_HOLDS(sql.find(words) == std::string::npos);
  // A variable may have any name.
  if (count("declare") != 0) return;
  for (const char* words :
       {"; set role ", "; copy t ", "; listen a", "; do language", "; commit;", "; create table"})
    TENON_HOLDS(sql.find(words) == std::string::npos);
}

// The statements of a script; none where a parameter's number is none.
std::vector<std::string> statements_of(std::string_view script) {
  try {
    return tenon::data::postgresql::split_script(script);
  } catch (const tenon::base::Error& error) {
    TENON_HOLDS(error.code() == "data.sql");
    return {};
  }
}

void check_script(std::string_view script) {
  for (const std::string& statement : statements_of(script)) {
    if (!is_migration(statement)) continue;
    TENON_HOLDS(is_migration("/* a */ -- b\n" + statement));
    if (makes_function(statement)) check_function(statement);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tenon::data::postgresql::translate;
  const std::string_view sql(reinterpret_cast<const char*>(data), size);
  tenon::data::postgresql::StatementText trusted;
  bool is_fine = true;
  try {
    trusted = translate(sql, true);
  } catch (const tenon::base::Error& error) {
    TENON_HOLDS(error.code() == "data.sql");
    is_fine = false;
  }
  if (is_fine) {
    const auto again = translate(trusted.sql, true);
    TENON_HOLDS(again.sql == trusted.sql);
    TENON_HOLDS(again.parameters == trusted.parameters);
  }
  try {
    const auto plugins = translate(sql, false);
    TENON_HOLDS(is_fine && plugins.sql == trusted.sql);
    // A translated statement is accepted again.
    TENON_HOLDS(translate(plugins.sql, false).sql == plugins.sql);
  } catch (const tenon::base::Error& error) {
    TENON_HOLDS(error.code() == "data.sql" || error.code() == "data.denied");
  }
  check_script(sql);
  return 0;
}
