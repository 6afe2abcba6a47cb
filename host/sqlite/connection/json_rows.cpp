#include <cmath>
#include <string>

#include <sqlite3.h>

#include "data/json_values.hpp"
#include "sqlite/connection/statement_cache.hpp"
#include "sqlite/connection/statement_rows.hpp"
#include "sqlite/search/highlight.hpp"

namespace tenon::data::sqlite {

namespace {

std::string_view bytes_of(sqlite3_value* value, const void* data) {
  if (!data) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

// Reads unprotected values: the connection has no mutex and belongs to this thread. This takes a
// third of the time of sqlite3_column_…, which look up the column in each call.
[[gnu::always_inline]] inline void put_member(JsonText& text, const JsonMembers::Member& member,
                                              sqlite3_value* column) {
  const int type = sqlite3_value_type(column);
  if (type == SQLITE_TEXT && member.kind != JsonKind::json) {
    put_string(text, member.key, bytes_of(column, sqlite3_value_text(column)));
    return;
  }
  text.put(member.key);
  switch (type) {
    case SQLITE_INTEGER: {
      const std::int64_t number = sqlite3_value_int64(column);
      if (member.kind == JsonKind::boolean) {
        text.put(number != 0 ? std::string_view("true") : std::string_view("false"));
      } else {
        put_number(text, number);
      }
      return;
    }
    case SQLITE_FLOAT: {
      const double number = sqlite3_value_double(column);
      if (std::isfinite(number)) {
        put_number(text, number);
      } else {
        text.put("null");
      }
      return;
    }
    case SQLITE_TEXT: {
      const std::string_view json = bytes_of(column, sqlite3_value_text(column));
      if (sqlite3_value_subtype(column) == host_json) {
        text.put(json);
      } else {
        put_json(text, json, member.key);
      }
      return;
    }
    case SQLITE_BLOB:
      put_base64(text, bytes_of(column, sqlite3_value_blob(column)));
      return;
    default:
      text.put("null");
  }
}

void put_row(JsonText& text, sqlite3_stmt* statement, const JsonMembers& members) {
  int column = 0;
  for (const JsonMembers::Member& member : members.list) {
    if (member.kind >= JsonKind::key) break;
    put_member(text, member, sqlite3_column_value(statement, column++));
  }
  text.put('}');
  check_json_size(text);
}

std::string keys_of(sqlite3_stmt* statement, const JsonMembers& members) {
  JsonText keys;
  int column = 0;
  for (const JsonMembers::Member& member : members.list) {
    sqlite3_value* value = sqlite3_column_value(statement, column++);
    if (member.kind == JsonKind::key) put_member(keys, member, value);
  }
  if (keys.size() == 0) return "[]";
  keys.put(']');
  return std::string(keys.view());
}

bool flag_of(sqlite3_stmt* statement, const JsonMembers& members) {
  return !members.list.empty() && members.list.back().kind == JsonKind::flag &&
         sqlite3_column_int(statement, static_cast<int>(members.list.size()) - 1) != 0;
}

// Sets the members once for a statement, and again after SQLite prepared it again.
void fit(JsonMembers& members, sqlite3_stmt* statement) {
  const int now = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0);
  if (members.prepared == now) return;
  members.list.clear();
  const int columns = sqlite3_column_count(statement);
  for (int i = 0; i < columns; ++i) {
    const char* name = sqlite3_column_name(statement, i);
    members.add(name ? name : "");
  }
  members.prepared = now;
}

}  // namespace

std::size_t StatementRows::append_json(JsonShape shape, JsonText& text) {
  std::size_t rows = 0;
  if (shape == JsonShape::rows) text.put('[');
  while (next()) {
    // Known after the first step: SQLite may prepare the statement again in it.
    if (rows == 0) fit(lease_.json_members(), statement_);
    if (rows != 0) text.put(',');
    put_row(text, statement_, lease_.json_members());
    ++rows;
    if (shape == JsonShape::row) break;
  }
  if (shape == JsonShape::rows) text.put(']');
  finish();
  return rows;
}

JsonPageEnd StatementRows::append_json_page(std::size_t max_rows, JsonText& text) {
  JsonPageEnd end;
  text.put('[');
  while (next()) {
    if (end.rows == max_rows) {
      end.has_more = true;
      break;
    }
    if (end.rows == 0) {
      fit(lease_.json_members(), statement_);
      end.flag = flag_of(statement_, lease_.json_members());
    } else {
      text.put(',');
    }
    put_row(text, statement_, lease_.json_members());
    if (++end.rows == max_rows) end.keys = keys_of(statement_, lease_.json_members());
  }
  text.put(']');
  if (!end.has_more) end.keys.clear();
  finish();
  return end;
}

}  // namespace tenon::data::sqlite
