#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Poco/RegularExpression.h>

#include "data/dialect.hpp"
#include "expression/check.hpp"
#include "expression/sql.hpp"
#include "schema/tables.hpp"

namespace tenon::records {

/// The alias of a table in every statement made here.
inline constexpr std::string_view alias = "t";

/// How many records of a table a user sees, as far as the rule alone decides it.
enum class Visibility : std::uint8_t { none, some, all };

/// A rule: what it says, and as SQL over `alias`. Its parameters have numbers of their own within
/// the table, so that any of its statements may have any of its rules.
struct Rule {
  expression::Checked checked;
  expression::Sql sql;
};

/// A field as it appears in responses and bodies.
struct FieldModel {
  data::schema::Field field;
  bool is_declared = false;                     ///< not one of those that the table's options add
  bool is_list = false;                         ///< its value is a JSON array
  bool can_sort = false;                        ///< a list can be sorted by it
  bool is_writable = false;                     ///< bodies may have it
  std::string value;                            ///< SQL of its value
  std::string member;                           ///< the column's name: "done:boolean"
  std::optional<expression::Checked> computed;  ///< of a computed field
  std::optional<Rule> read;                     ///< none: as the table
  std::optional<Rule> write;                    ///< none: as the table
  std::shared_ptr<const Poco::RegularExpression> pattern;  ///< null: none
};

/// The declaration of a field: indexes into Model::tables() and TableModel::fields.
struct FieldIndex {
  std::size_t table = 0;
  std::size_t field = 0;
};

/// A table with its rules compiled. Immutable.
struct TableModel {
  data::schema::Table table;
  data::Dialect engine = data::Dialect::sqlite;  ///< whose SQL all of it is
  std::vector<FieldModel> fields;                ///< all_fields() in order, hidden ones too
  std::optional<Rule> read;                      ///< none: no user may; also for the others
  std::optional<Rule> create;
  std::optional<Rule> update;
  std::optional<Rule> delete_;
  bool has_filled_in = false;  ///< a field has Field::is_filled_in()
  /// References with `same` to this table.
  std::vector<FieldIndex> same_references;
  /// Parameters that come before all others: of statements that read, and of statements that may
  /// contain the write rules too. Their texts are empty.
  expression::Sql read_slots;
  expression::Sql write_slots;

  /// nullptr for "id" and for what is no field.
  const FieldModel* find(std::string_view name) const noexcept;
};

/// A permission that an expression asks for with can().
struct UsedPermission {
  std::string pointer;  ///< JSON pointer of the expression, or of the table for a computed field
  std::string permission;
};

/// The tables of a plugin with every expression in them compiled. Immutable, for any number of
/// threads.
class Model {
 public:
  /// Throws 422 data.tables_invalid as data::schema::parse_tables() does, naming the JSON pointer
  /// of every expression that does not compile. `file` is named in the message. `engine`: whose
  /// words the statements made of it are in.
  Model(const data::schema::Tables& tables, data::Dialect engine,
        std::string_view file = "tables.json");

  const data::schema::Tables& declared() const noexcept { return declared_; }
  const std::vector<TableModel>& tables() const noexcept { return tables_; }
  const TableModel* find(std::string_view name) const noexcept;
  /// In the order of tables.json.
  std::vector<UsedPermission> used_permissions() const;

 private:
  data::schema::Tables declared_;
  std::vector<TableModel> tables_;
};

}  // namespace tenon::records
