#pragma once

#include <string>

#include <gtest/gtest.h>

#include "engines/tests/support.hpp"

namespace tenon::data::test {

/// A suite of a room that runs on both engines: TEST_P, and TENON_ON_BOTH_ENGINES(suite) once.
class EachEngine : public testing::TestWithParam<Dialect> {
 public:
  /// The engine of the test that runs; SQLite in a test that is not of such a suite.
  static Dialect current() noexcept { return engine(); }

 protected:
  EachEngine() { engine() = GetParam(); }
  ~EachEngine() override { engine() = Dialect::sqlite; }

 private:
  static Dialect& engine() noexcept {
    static Dialect engine = Dialect::sqlite;
    return engine;
  }
};

/// A database for the host's tables that is new: the file `path`, or a schema of its own.
inline DatabaseOptions fresh_host_database(const std::string& path) {
  DatabaseOptions options = host_file(path);
  if (EachEngine::current() == Dialect::postgresql)
    options.postgresql = PostgresqlCluster::shared().fresh_schema();
  return options;
}

/// A database for a plugin's tables that is new: the file `path`, or a schema with the roles that a
/// plugin has.
inline DatabaseOptions fresh_plugin_database(Dialect dialect, const std::string& path) {
  if (dialect == Dialect::sqlite) return plugin_file(path);
  DatabaseOptions options;
  use_generous_timeouts(options.waits);
  options.postgresql = PostgresqlCluster::shared().fresh_plugin_schema("t");
  return options;
}
inline DatabaseOptions fresh_plugin_database(const std::string& path) {
  return fresh_plugin_database(EachEngine::current(), path);
}

}  // namespace tenon::data::test
