#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/tables.hpp"

namespace tenon::data::schema {

/// A name as an SQL identifier, a text as an SQL literal.
std::string quoted(std::string_view name);
std::string literal(std::string_view text);

/// A value of the schema and a list of texts as SQL of any engine.
std::string value_sql(const Value& value);
std::string list_sql(const std::vector<std::string>& texts);

/// Returns the condition of the bounds of a field on `value` (SQL); empty: none.
std::string bounds_sql(const Field& field, const std::string& value);

/// "CASCADE"
std::string_view action_of(OnDelete rule) noexcept;

/// SQLite's type of a field with a column, in a STRICT table: TEXT, INTEGER or REAL.
std::string_view storage_of(FieldType type) noexcept;

/// The DEFAULT of a field as SQL; empty: none.
std::string default_sql(const Field& field);

/// Returns the CHECK expression of a field; empty: none. NULL passes.
std::string check_sql(const Field& field);

/// Returns the definition of one column in CREATE TABLE.
std::string column_sql(const Field& field);

/// CREATE TABLE for a table whose columns after rowid and id are those of `fields`, in this order.
std::string create_sql(std::string_view table, std::span<const Field> fields);

/// CREATE TABLE for the link table of a field with is_link().
std::string create_link_sql(std::string_view table, const Field& field);

/// An index that the host makes for a declaration.
struct PlannedIndex {
  std::string name;
  std::vector<std::string> fields;
  bool unique = false;
  std::string sql;  ///< CREATE INDEX …
};

/// The name of such an index.
std::string index_name(std::string_view table, const std::vector<std::string>& fields, bool unique);

/// All of a table, those of unique and indexed fields and of references to own tables (a delete of
/// the record referred to would otherwise read the whole table) included; none twice.
std::vector<PlannedIndex> planned_indexes(const Table& table);

/// Those of a link table: unique(record, target), index(target).
std::vector<PlannedIndex> link_indexes(std::string_view table, std::string_view field);

/// Returns the fields of a table whose words are in its search index, in order.
std::vector<Field> searchable_fields(const Table& table);

/// The search index of a table, where it has searchable fields: an FTS5 table over the table's own
/// text, whose columns are the fields. Its name ends differently from those of the tables that
/// FTS5 makes for it, so that the names of two tables never collide.
std::string search_table(std::string_view table);

/// Reserved prefix of the names of planned indexes.
inline constexpr std::string_view index_prefix = "tenon_ix_";
inline constexpr std::string_view unique_prefix = "tenon_ux_";

}  // namespace tenon::data::schema
