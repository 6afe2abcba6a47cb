#pragma once

#include <string>
#include <utility>

#include "base/error.hpp"

namespace tenon::data {

/// A statement that the database refused. `message()` is public and speaks of no SQL; `detail()` is
/// the text of SQLite or PostgreSQL, for the log and for the plugin whose statement it was.
class SqlError : public base::Error {
 public:
  SqlError(int status, std::string code, std::string message, int sqlite_code, std::string detail,
           std::vector<base::FieldError> fields = {})
      : Error(status, std::move(code), std::move(message), std::move(fields)),
        sqlite_code_(sqlite_code),
        detail_(std::move(detail)) {}

  /// SQLite's extended result code; 0 on PostgreSQL.
  int sqlite_code() const noexcept { return sqlite_code_; }
  const std::string& detail() const noexcept { return detail_; }

 private:
  int sqlite_code_;
  std::string detail_;
};

}  // namespace tenon::data
