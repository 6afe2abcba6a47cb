#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

struct sqlite3;

namespace tenon::data::sqlite {

/// Inspects a database file without a change, while a server uses it or not. One thread at a time.
/// The calls return errors as findings; they throw only if memory runs out.
class Inspection {
 public:
  /// `has_writer`: a server may write the file in the meantime. Otherwise, a file without a WAL is
  /// opened as immutable, so that SQLite creates no files next to it.
  Inspection(const std::string& path, bool has_writer);
  ~Inspection();
  Inspection(const Inspection&) = delete;
  Inspection& operator=(const Inspection&) = delete;

  /// Why it cannot be opened; empty when it is open.
  const std::string& failure() const noexcept { return failure_; }

  /// SQLite's quick_check, or with `is_full` its integrity_check and the check of all references:
  /// empty when sound, else up to `most` findings. Reads the whole file.
  std::vector<std::string> check(bool is_full, int max_findings = 20);

  /// First column of the first row; nothing when there is none, it is NULL, or the query fails.
  std::optional<std::int64_t> number(const char* sql);
  /// Calls `row` with the first two columns of each row; false when the query fails.
  bool each(const char* sql, const std::function<void(std::string, std::int64_t)>& row);

 private:
  void collect(const std::string& sql, int max_findings, std::vector<std::string>& findings);

  sqlite3* db_ = nullptr;
  std::string failure_;
};

}  // namespace tenon::data::sqlite
