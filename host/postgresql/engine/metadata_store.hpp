#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/migrate/migration_history.hpp"
#include "postgresql/client/sql.hpp"

namespace tenon::data::postgresql {

/// Stores metadata of a schema in the schema, as sqlite/metadata_store.hpp does for a file:
/// `tenon_meta`, and the migrations that were run, `tenon_migrations`.
class MetadataStore {
 public:
  explicit MetadataStore(Sql& sql) : sql_(sql) {}

  /// Makes the tables where they are missing. Throws 409 data.newer.
  void ensure();
  /// Empty: nothing is kept under this name.
  std::string get(std::string_view name) const;
  void set(std::string_view name, std::string_view value);
  /// Those of an owner, ascending.
  std::vector<AppliedMigration> migrations(std::string_view owner) const;
  void record(std::string_view owner, const AppliedMigration& migration);

 private:
  bool has(std::string_view table) const;
  void check_form() const;

  Sql& sql_;
};

}  // namespace tenon::data::postgresql
