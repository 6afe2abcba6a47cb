#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "crash/crash_record.hpp"
#include "packages/reason.hpp"

namespace tenon::data {
class Database;
}

namespace tenon::plugins {

/// Makes the tables of the quarantine. Throws what data::migrate_room throws.
void make_quarantine_tables(data::Database& database);

/// Plugins in quarantine with their reasons, in the host's database: over restarts, until an admin
/// wants them again. Thread-safe; blocks on the database.
class QuarantineStore {
 public:
  /// Makes its table when it is missing. Throws what data::migrate_room throws.
  explicit QuarantineStore(data::Database& database);

  std::map<std::string, Reason, std::less<>> all() const;
  /// Both are durable at the return.
  void add(std::string_view plugin, const Reason& reason);
  void remove(std::string_view plugin);

  /// Records that a process of the host went down in a call of a plugin, or while several ran
  /// (`is_certain` is false then). Keeps the last `retained_crashes`.
  void add_crash(const NamedCall& call, bool is_certain, const std::string& process_exit,
                 std::int64_t at_ms);
  static constexpr std::size_t retained_crashes = 200;
  /// Returns the number of crashes of a plugin since then; `is_certain`: only certain ones.
  std::int64_t crashes_since(std::string_view plugin, bool is_certain, std::int64_t from_ms) const;
  /// Returns the number of crashes in one job.
  std::int64_t crashes_in_job(std::string_view job) const;

 private:
  data::Database& database_;
};

}  // namespace tenon::plugins
