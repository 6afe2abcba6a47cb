#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/migrate/migration_history.hpp"
#include "schema/tables.hpp"
#include "sqlite/connection/connection.hpp"

namespace tenon::data::sqlite {

/// What a file remembers about its own schema, in tables named tenon_… that only the room writes.
/// Every call needs the room's own access; writing calls a transaction.
class MetadataStore {
 public:
  explicit MetadataStore(Connection& connection) : connection_(connection) {}

  /// Makes the tables when they are missing. Throws 409 data.newer for a file of a later form.
  void ensure();
  bool exists() const;

  /// Empty where nothing was recorded.
  std::string get(std::string_view name) const;
  void set(std::string_view name, std::string_view value);

  std::vector<AppliedMigration> migrations(std::string_view owner) const;
  void record(std::string_view owner, const AppliedMigration& migration);

 private:
  void check_form() const;
  Connection& connection_;
  mutable bool is_there_ = false;  // nobody takes the tables away
};

}  // namespace tenon::data::sqlite
