#include "postgresql/client/server_error.hpp"

#include <utility>
#include <vector>

#include "base/error.hpp"
#include "postgresql/client/libpq.hpp"

namespace tenon::data::postgresql {

namespace {

std::string field(const PGresult* result, int code) {
  const char* text = libpq().resultErrorField(result, code);
  return text ? text : "";
}

// "Key (notebook, title)=(…) already exists." → notebook, title; in whatever language.
std::vector<std::string> columns_of(std::string_view detail) {
  std::vector<std::string> columns;
  const auto open = detail.find('(');
  const auto close = detail.find(")=(");
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return columns;
  detail = detail.substr(open + 1, close - open - 1);
  while (!detail.empty()) {
    const auto comma = detail.find(", ");
    std::string_view one = detail.substr(0, comma);
    detail = comma == std::string_view::npos ? std::string_view() : detail.substr(comma + 2);
    if (one.size() > 2 && one.front() == '"') one = one.substr(1, one.size() - 2);
    columns.emplace_back(one);
  }
  return columns;
}

std::vector<base::FieldError> fields(const std::vector<std::string>& names, const char* code,
                                     const char* message) {
  std::vector<base::FieldError> errors;
  for (const auto& name : names) {
    if (!name.empty()) errors.push_back({name, code, message});
  }
  return errors;
}

// Uses SQLite's words, so that logs read the same; the words come last, because PostgreSQL's own
// message contains values. `table` precedes each name, if there is one.
std::string failed(const char* what, const std::string& table,
                   const std::vector<std::string>& names) {
  const std::string start = table.empty() ? table : table + ".";
  std::string text;
  for (const auto& name : names) {
    if (!name.empty()) text += (text.empty() ? "" : ", ") + start + name;
  }
  return text.empty() ? text : std::string("; ") + what + " constraint failed: " + text;
}

// Its SQLSTATE, then PostgreSQL's own words.
std::string detail_of(const PGresult* result, const std::string& state) {
  std::string detail = state + " " + field(result, PG_DIAG_MESSAGE_PRIMARY);
  if (const auto more = field(result, PG_DIAG_MESSAGE_DETAIL); !more.empty())
    detail += " (" + more + ")";
  return detail;
}

}  // namespace

SqlError lost_error(std::string detail) {
  while (!detail.empty() && detail.back() == '\n')
    detail.pop_back();
  return {503, "data.connection_lost", "The database server cannot be reached; try again.", 0,
          std::move(detail)};
}

SqlError server_error(const PGresult* result, bool may_write) {
  const std::string state = field(result, PG_DIAG_SQLSTATE);
  std::string detail = detail_of(result, state);
  const auto is = [&](std::string_view start) { return state.starts_with(start); };
  if (is("23505")) {
    const auto columns = columns_of(field(result, PG_DIAG_MESSAGE_DETAIL));
    return {409,
            "data.unique",
            "A record with these values exists already.",
            0,
            detail + failed("UNIQUE", field(result, PG_DIAG_TABLE_NAME), columns),
            fields(columns, "unique", "This value is taken already.")};
  }
  if (is("23503") || is("23001")) {
    return {409, "data.reference",
            "A record that this one refers to does not exist, or others refer to the one to be "
            "removed.",
            0, std::move(detail)};
  }
  if (is("23502")) {
    return {422,
            "data.required",
            "A required field is empty.",
            0,
            detail + failed("NOT NULL", field(result, PG_DIAG_TABLE_NAME),
                            {field(result, PG_DIAG_COLUMN_NAME)}),
            fields({field(result, PG_DIAG_COLUMN_NAME)}, "required", "This field is required.")};
  }
  if (is("23514")) {
    return {422,
            "data.check",
            "A value is outside of what its field allows.",
            0,
            detail + failed("CHECK", {}, {field(result, PG_DIAG_CONSTRAINT_NAME)}),
            fields({field(result, PG_DIAG_CONSTRAINT_NAME)}, "invalid",
                   "This value is not allowed here.")};
  }
  if (is("23")) {
    return {409, "data.constraint", "The change breaks a rule of the table.", 0, std::move(detail)};
  }
  if (is("22P02") || is("22021") || is("22003") || is("22007") || is("22008") || is("22P05") ||
      is("22P03")) {
    return {422, "data.type", "A value has the wrong type for its field.", 0, std::move(detail)};
  }
  if (is("P0001"))
    return {409, "data.refused", field(result, PG_DIAG_MESSAGE_PRIMARY), 0, std::move(detail)};
  if (is("42501") || is("28")) {
    return {500, "data.denied", "The statement does what this database's confinement denies.", 0,
            std::move(detail)};
  }
  if (is("25006") && may_write) {
    return {503, "data.server_read_only",
            "The database server can only be read at the moment; nothing was changed, try again.",
            0, std::move(detail)};
  }
  if (is("25006")) {
    return {500, "data.read_only",
            "A statement that writes was given where only reading is allowed.", 0,
            std::move(detail)};
  }
  if (is("57014")) {
    return {503, "data.timeout",
            "The database did not respond in time; the statement was cancelled.", 0,
            std::move(detail)};
  }
  if (is("53100")) {
    return {507, "data.disk_full", "The disk is full; nothing was changed.", 0, std::move(detail)};
  }
  if (is("53200"))
    return {503, "data.memory", "The database ran out of memory; try again.", 0, std::move(detail)};
  if (is("53300") || is("40") || is("55P03") || is("55006"))
    return {503, "data.busy", "The database is busy; try again.", 0, std::move(detail)};
  if (is("57P") || is("08")) return lost_error(std::move(detail));
  if (is("54")) {
    return {413, "data.too_large", "A value or a statement is larger than the database takes.", 0,
            std::move(detail)};
  }
  if (is("58"))
    return {503, "data.io", "The database could not read or write its file.", 0, std::move(detail)};
  if (is("XX001") || is("XX002"))
    return {503, "data.corrupt", "The database file is damaged.", 0, std::move(detail)};
  return {500, "data.sql", "The database refused a statement.", 0, std::move(detail)};
}

}  // namespace tenon::data::postgresql
