#pragma once

#include <map>
#include <string>
#include <string_view>

#include "plugins/reason.hpp"

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

 private:
  data::Database& database_;
};

}  // namespace tenon::plugins
