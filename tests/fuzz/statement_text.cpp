// SQL of plugins on its way to PostgreSQL. Translated it is a statement that translates to itself,
// with the same parameters; what a plugin may say, the host may say too.

#include "data/postgresql/statement_text.hpp"

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "property.hpp"

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
    // What went through once goes through again.
    TENON_HOLDS(translate(plugins.sql, false).sql == plugins.sql);
  } catch (const tenon::base::Error& error) {
    TENON_HOLDS(error.code() == "data.sql" || error.code() == "data.denied");
  }
  return 0;
}
