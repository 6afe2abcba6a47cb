#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/cell.hpp"
#include "data/migrate/migration_history.hpp"

namespace tenon::data {

/// The metadata that a database stores about its own schema, in the tables `tenon_meta` (a value
/// for each name) and `tenon_migrations` (the migrations that have run), which only the host
/// writes. Each engine derives from it and runs the SQL. One thread, the one that has the
/// connection; writing calls need a transaction. Throws SqlError.
class MetadataStore {
 public:
  virtual ~MetadataStore() = default;
  MetadataStore(const MetadataStore&) = delete;
  MetadataStore& operator=(const MetadataStore&) = delete;

  /// Creates the tables if they are missing. Throws 409 data.newer if a later version of the server
  /// made them.
  void ensure();
  bool exists() const;

  /// Returns the value of a name; empty if there is none.
  std::string get(std::string_view name) const;
  void set(std::string_view name, std::string_view value);

  /// Returns the migrations of an owner, a plugin or a room, in ascending order.
  std::vector<AppliedMigration> migrations(std::string_view owner) const;
  void record(std::string_view owner, const AppliedMigration& migration);

 protected:
  /// The statements that create the two tables; they must outlive the store.
  struct TableSql {
    std::string_view meta;
    std::string_view migrations;
  };
  explicit MetadataStore(const TableSql& tables) : tables_(tables) {}

  using TextRows = std::vector<std::vector<std::string>>;

 private:
  virtual bool has_table(std::string_view name) const = 0;
  virtual void run(std::string_view sql, Cells cells) = 0;
  /// Returns the rows of a query whose columns are texts.
  virtual TextRows read(std::string_view sql, Cells cells) const = 0;

  void check_form() const;

  const TableSql tables_;
  mutable bool exists_ = false;  // the table is never dropped
};

}  // namespace tenon::data
