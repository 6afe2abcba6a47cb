#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/tables.hpp"

namespace tenon::data::schema {

struct Plan;
struct Refusal;
struct Renames;

/// A column as the engine has it.
struct ActualColumn {
  std::string name;
  std::string storage;        ///< the engine's type, as Catalog::storage_of() says it
  std::string default_value;  ///< SQL; empty: none
};

/// A table as the engine has it.
struct ActualTable {
  std::string sql;                    ///< CREATE TABLE …; SQLite alone
  std::vector<ActualColumn> columns;  ///< in the order of the file, rowid and id among them
  /// Made as the host makes tables: rowid the primary key, id unique, no other key.
  bool has_our_shape = false;

  const ActualColumn* find(std::string_view name) const noexcept;
};

/// Which search indexes an upgrade rebuilds. Numbered migrations may recreate a table, with other
/// rowids and without its triggers; so after them every index is rebuilt.
enum class SearchUpgrade : bool { where_changed, all };

/// The tables that an engine has, and how it writes those of a declaration: what the comparison of
/// the two asks. Reads in one transaction, with the room's own access; throws SqlError.
class Catalog {
 public:
  Catalog() = default;
  virtual ~Catalog() = default;
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  /// Nullopt when there is none of this name.
  virtual std::optional<ActualTable> read_table(std::string_view name) = 0;
  /// True for a table made as link tables are; where the references lead is not looked at.
  virtual bool is_link_table(std::string_view name) = 0;
  /// Names of the indexes that the host planned on this table.
  virtual std::vector<std::string> read_planned_indexes(std::string_view table) = 0;
  /// The columns of an index, in order.
  virtual std::vector<std::string> read_index_fields(std::string_view index) = 0;
  /// The first column of the first row; 0 without rows.
  virtual std::int64_t number(const std::string& sql) = 0;

  /// The engine's type of a field with a column.
  virtual std::string_view storage_of(FieldType type) const noexcept = 0;
  /// Returns the CHECK expression of a field; empty: none. NULL passes.
  virtual std::string check_sql(const Field& field) const = 0;
  /// One column's definition, and that of a link table: equal texts are equal definitions.
  virtual std::string column_sql(const Field& field) const = 0;
  virtual std::string create_link_sql(std::string_view table, const Field& field) const = 0;
  /// Of many choices in `column` (SQL): a condition that holds where one is not among the field's.
  virtual std::string has_other_choice_sql(const Field& field, const std::string& column) const = 0;
  /// For Conversion::rebuild: SQL that turns the value of `column` (SQL itself) into the new one;
  /// for links into the one target. Empty stays empty.
  virtual std::string converted_sql(const Field& old, const Field& now,
                                    const std::string& column) const = 0;
  /// A condition that holds for values that converted_sql would not keep; empty: all are kept.
  virtual std::string loss_sql(const Field& old, const Field& now,
                               const std::string& column) const = 0;
  /// The longest name of a link table that the engine takes, bytes.
  virtual std::size_t max_name() const noexcept = 0;

  /// Adds the steps that lead to the search indexes of the declared tables.
  virtual void add_search_steps(const Tables& declared, SearchUpgrade upgrade, Plan& plan) = 0;
  /// Refuses what of the plugin's own would be wrong after the renames.
  virtual void refuse_stale_search(const Renames& renames, std::vector<Refusal>& refusals) = 0;
};

}  // namespace tenon::data::schema
