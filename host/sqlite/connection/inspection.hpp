#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

struct sqlite3;

namespace tenon::data::sqlite {

/// A database file looked at without changing anything, while a server uses it or none does. One
/// thread at a time. Nothing here throws but for memory: what goes wrong is the answer.
class Inspection {
 public:
  /// `is_live`: a server may write it meanwhile. Without one and without a log to read it is opened
  /// as a file that does not change, so that nothing is made beside it.
  Inspection(const std::string& path, bool is_live);
  ~Inspection();
  Inspection(const Inspection&) = delete;
  Inspection& operator=(const Inspection&) = delete;

  /// Why it cannot be opened; empty when it is open.
  const std::string& failure() const noexcept { return failure_; }

  /// SQLite's quick_check, or with `is_full` its integrity_check and the check of all references:
  /// empty when sound, else up to `most` findings. Reads the whole file.
  std::vector<std::string> check(bool is_full, int most = 20);

  /// First column of the first row; nothing when there is none, it is NULL, or the query fails.
  std::optional<std::int64_t> number(const char* sql);
  /// Calls `row` with the first two columns of each row; false when the query fails.
  bool each(const char* sql, const std::function<void(std::string, std::int64_t)>& row);

 private:
  void collect(const std::string& sql, int most, std::vector<std::string>& findings);

  sqlite3* db_ = nullptr;
  std::string failure_;
};

}  // namespace tenon::data::sqlite
