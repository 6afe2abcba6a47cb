#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"
#include "data/sql_error.hpp"

namespace tenon::data::test {

/// A folder of its own on a real file system, gone with the test.
class Folder {
 public:
  Folder() : path_(std::filesystem::path(TENON_BINARY_DIR) / "tests" / ("data-" + base::new_id())) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline DatabaseOptions host_file(const std::string& path) {
  DatabaseOptions options;
  options.path = path;
  options.confinement = Confinement::host();
  return options;
}

inline DatabaseOptions plugin_file(const std::string& path) {
  DatabaseOptions options;
  options.path = path;
  return options;
}

/// SQLite's own text of the last error that code_of saw on this thread.
inline std::string& last_detail() {
  thread_local std::string detail;
  return detail;
}

/// The code of the base::Error that `call` throws; "none" when it throws nothing.
template <typename Call>
std::string code_of(Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (const SqlError& error) {
    last_detail() = error.detail();
    return error.code();
  } catch (const base::Error& error) {
    return error.code();
  }
  return "none";
}

/// The message of the base::Error that `call` throws.
template <typename Call>
std::string message_of(Call&& call) {
  try {
    std::forward<Call>(call)();
  } catch (const base::Error& error) {
    return error.message();
  }
  return "none";
}

inline std::int64_t number(Database& database, std::string_view sql, Cells cells = {}) {
  auto rows = database.query(sql, cells);
  return rows.next() ? rows.integer(0) : -1;
}

/// A database of the host with `items (id INTEGER PRIMARY KEY, text TEXT)`.
class ItemsTest : public testing::Test {
 protected:
  explicit ItemsTest(DatabaseOptions options = {}) : options_(std::move(options)) {
    if (options_.path.empty()) {
      options_.path = folder_.file("items.db");
      options_.confinement = Confinement::host();
    }
  }
  void open() {
    database_ = std::make_unique<Database>(options_);
    database_->exec("CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, text TEXT) STRICT");
  }
  void SetUp() override { open(); }
  Database& database() { return *database_; }
  std::int64_t items() { return number(*database_, "SELECT count(*) FROM items"); }

  Folder folder_;
  DatabaseOptions options_;
  std::unique_ptr<Database> database_;
};

}  // namespace tenon::data::test
