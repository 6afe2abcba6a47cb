#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "schema/ddl.hpp"
#include "schema/tables.hpp"

namespace tenon::data::postgresql {

/// Bytes of a name that PostgreSQL keeps; it cuts the rest off.
inline constexpr std::size_t max_name = 63;

/// A name of the host's own that is longer, with the end replaced by a part of its hash.
std::string short_name(const std::string& name);

/// PostgreSQL's type of a field with a column, as the catalogue says it: text, bigint, boolean or
/// double precision.
std::string_view storage_of(schema::FieldType type) noexcept;

/// That type in a definition: texts are ordered by their bytes, as in SQLite.
std::string type_sql(schema::FieldType type);

/// The DEFAULT of a field; empty: none.
std::string default_sql(const schema::Field& field);

/// Returns the CHECK expression of a field; empty: none. NULL passes. Uses functions().
std::string check_sql(const schema::Field& field);

/// REFERENCES … of a field that refers to an own table; else empty.
std::string reference_sql(const schema::Field& field);

/// One column's definition; equal texts are equal definitions.
std::string column_sql(const schema::Field& field);

/// The name of the constraint of reference_sql(); that of the check is the field's. No field has
/// it.
std::string reference_name(std::string_view field);

/// CREATE TABLE without references, which need the other tables.
std::string create_sql(const schema::Table& table);

/// CREATE TABLE for a link table, without what `target` refers to; and what it refers to, or
/// nothing.
std::string create_link_sql(std::string_view table, const schema::Field& field);
std::string link_reference_sql(const schema::Field& field);

/// CREATE INDEX for a planned index, in SQLite's order: what is empty comes first.
std::string index_sql(std::string_view table, const schema::PlannedIndex& index);

/// The functions that definitions and expressions call, and those of the search, as a script that
/// may run again.
std::string_view functions() noexcept;

}  // namespace tenon::data::postgresql
