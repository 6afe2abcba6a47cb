#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/migrate/migrate.hpp"

namespace tenon::data::test {

/// Returns a declaration of the plugin `sample`.
inline Declaration declare(const std::string& version, const std::string& tables,
                           std::vector<Migration> migrations = {}) {
  return {"sample", version, schema::parse_tables(tables), std::move(migrations)};
}

/// One table `t` with the fields given.
inline std::string table(const std::string& fields, const std::string& rest = "") {
  return R"({"tables":[{"name":"t","fields":[)" + fields + "]" + rest + "}]}";
}

/// `postgresql_sql`: where that engine has words of its own.
inline Migration migration(int number, const std::string& sql,
                           std::optional<std::string> postgresql_sql = {}) {
  Migration one;
  one.number = number;
  one.name = "000" + std::to_string(number) + "_step.sql";
  one.sql = sql;
  one.postgresql_sql = std::move(postgresql_sql);
  return one;
}

/// The id of a record, by its number.
inline std::string id_of(int number) {
  const std::string digits = std::to_string(number);
  return "01900000-0000-7000-8000-" + std::string(12 - digits.size(), '0') + digits;
}

/// 2.0.0 of a table `t` with `a`: adds `b` by a migration that expands, and empties `a` by one that
/// contracts.
inline Declaration declare_in_phases() {
  Migration filling = migration(1, "UPDATE t SET b = a;");
  filling.phase = schema::Phase::expand;
  Migration emptying = migration(2, "UPDATE t SET a = NULL;");
  emptying.phase = schema::Phase::contract;
  return declare("2.0.0", table(R"({"name":"a","type":"text"},{"name":"b","type":"text"})"),
                 {filling, emptying});
}

}  // namespace tenon::data::test
