#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "expression/parse.hpp"
#include "expression/sql.hpp"
#include "expression/tests/world.hpp"

namespace tenon::expression::test {

inline const data::schema::Tables& tables() {
  static const data::schema::Tables all = world_tables();
  return all;
}

/// The text, checked for the table `cards`.
inline Checked checked(std::string_view text, Purpose purpose = Purpose::rule) {
  return check(parse(text), tables(), *tables().find("cards"), purpose);
}

/// Returns the error of parse() or check() for a text; empty if there is none.
inline std::string complaint(std::string_view text, Purpose purpose = Purpose::rule) {
  try {
    checked(text, purpose);
  } catch (const base::Error& error) {
    if (error.status() != 422 || error.code() != "expression.invalid") return error.code();
    return error.message();
  }
  return {};
}

inline std::string sql(std::string_view text, Dialect dialect = Dialect::sqlite) {
  SqlOptions options;
  options.dialect = dialect;
  options.alias = "t";
  return to_sql_condition(checked(text), options).text;
}

inline std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i)
    all += text;
  return all;
}

}  // namespace tenon::expression::test
