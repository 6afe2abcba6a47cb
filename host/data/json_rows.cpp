#include "data/json_rows.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include <sqlite3.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "data/rows.hpp"
#include "data/sql_error.hpp"
#include "data/statement_cache.hpp"

namespace tenon::data {

namespace {

constexpr std::string_view boolean_suffix = ":boolean";
constexpr std::string_view json_suffix = ":json";
constexpr std::string_view key_suffix = ":key";
constexpr std::size_t text_piece = 4096;
constexpr std::size_t least_text = 4096;

template <typename Number>
void put_number(JsonText& text, Number number) {
  constexpr std::size_t digits = 32;
  char* at = text.room(digits);
  text.end(std::to_chars(at, at + digits, number).ptr);
}

// `key` and the string behind it.
void put_string(JsonText& text, std::string_view key, std::string_view value) {
  if (value.size() <= text_piece) {
    char* at = text.room(key.size() + base::json_string_room(value.size()) + 2);
    std::memcpy(at, key.data(), key.size());
    at += key.size();
    *at++ = '"';
    at = base::write_json_string(at, value);
    *at++ = '"';
    text.end(at);
    return;
  }
  text.put(key);
  text.put('"');
  // A piece ends in front of a character, so that none is cut in two.
  while (value.size() > text_piece) {
    std::size_t size = text_piece;
    while (size > text_piece - 4 && (static_cast<unsigned char>(value[size]) & 0xC0) == 0x80)
      --size;
    text.end(
        base::write_json_string(text.room(base::json_string_room(size)), value.substr(0, size)));
    value.remove_prefix(size);
  }
  text.end(base::write_json_string(text.room(base::json_string_room(value.size()) + 1), value));
  text.put('"');
}

void put_base64(JsonText& text, std::string_view bytes) {
  static constexpr char letters[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char* at = text.room((bytes.size() + 2) / 3 * 4 + 2);
  *at++ = '"';
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t index) -> unsigned {
      return index < bytes.size() ? static_cast<unsigned char>(bytes[index]) : 0U;
    };
    const unsigned group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    *at++ = letters[group >> 18];
    *at++ = letters[group >> 12 & 63];
    *at++ = i + 1 < bytes.size() ? letters[group >> 6 & 63] : '=';
    *at++ = i + 2 < bytes.size() ? letters[group & 63] : '=';
  }
  *at++ = '"';
  text.end(at);
}

void put_json(JsonText& text, std::string_view value, std::string_view key) {
  try {
    base::check_json(value, {.max_bytes = most_json_bytes});
  } catch (const base::Error& error) {
    throw SqlError(500, "data.sql", "The database refused a statement.", SQLITE_MISMATCH,
                   "the member " + std::string(key) + " is no JSON: " + error.message());
  }
  text.put(value);
}

std::string_view bytes_of(sqlite3_value* value, const void* data) {
  if (!data) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

// What SQLite calls an unprotected value may be read here: the connection has no mutex, and is this
// thread's. A third of what sqlite3_column_… cost, which look for the column each time.
void put_member(JsonText& text, const JsonMembers::Member& member, sqlite3_value* column) {
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
    case SQLITE_TEXT:
      put_json(text, bytes_of(column, sqlite3_value_text(column)), member.key);
      return;
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
    if (member.kind == JsonKind::key) break;
    put_member(text, member, sqlite3_column_value(statement, column++));
  }
  text.put('}');
  if (text.size() > most_json_bytes) {
    throw SqlError(413, "data.too_large", "These are more records than one answer takes.",
                   SQLITE_TOOBIG, "the JSON text of the rows is longer than 16 MiB");
  }
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

}  // namespace

void JsonText::put(std::string_view text) {
  if (text.empty()) return;
  std::memcpy(room(text.size()), text.data(), text.size());
  size_ += text.size();
}

void JsonText::clear(std::size_t keep) noexcept {
  size_ = 0;
  if (capacity_ <= keep) return;
  bytes_.reset();
  capacity_ = 0;
}

void JsonText::grow(std::size_t bytes) {
  const std::size_t capacity = std::max({size_ + bytes, 2 * capacity_, least_text});
  std::unique_ptr<char[]> larger(new char[capacity]);
  if (size_ != 0) std::memcpy(larger.get(), bytes_.get(), size_);
  bytes_ = std::move(larger);
  capacity_ = capacity;
}

void JsonMembers::fit(sqlite3_stmt* statement) {
  const int now = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_REPREPARE, 0);
  if (prepared == now) return;
  list.clear();
  const int columns = sqlite3_column_count(statement);
  bool has_key = false;
  for (int i = 0; i < columns; ++i) {
    const char* text = sqlite3_column_name(statement, i);
    std::string_view name = text ? text : "";
    Member member{i == 0 ? "{" : ",", JsonKind::value};
    if (name.ends_with(boolean_suffix)) {
      member.kind = JsonKind::boolean;
      name.remove_suffix(boolean_suffix.size());
    } else if (name.ends_with(json_suffix)) {
      member.kind = JsonKind::json;
      name.remove_suffix(json_suffix.size());
    }
    if (name.ends_with(key_suffix)) {
      member = {has_key ? "," : "[", JsonKind::key};
      has_key = true;
    } else {
      base::append_json_string(member.key, name);
      member.key += ':';
    }
    list.push_back(std::move(member));
  }
  prepared = now;
}

std::size_t Rows::append_json(JsonShape shape, JsonText& text) {
  std::size_t rows = 0;
  if (shape == JsonShape::rows) text.put('[');
  while (next()) {
    // Known after the first step: SQLite may prepare the statement again in it.
    if (rows == 0) lease_.json_members().fit(statement_);
    if (rows != 0) text.put(',');
    put_row(text, statement_, lease_.json_members());
    ++rows;
    if (shape == JsonShape::row) break;
  }
  if (shape == JsonShape::rows) text.put(']');
  finish();
  return rows;
}

JsonPageEnd Rows::append_json_page(std::size_t most, JsonText& text) {
  JsonPageEnd end;
  text.put('[');
  while (next()) {
    if (end.rows == most) {
      end.has_more = true;
      break;
    }
    if (end.rows == 0) lease_.json_members().fit(statement_);
    if (end.rows != 0) text.put(',');
    put_row(text, statement_, lease_.json_members());
    if (++end.rows == most) end.keys = keys_of(statement_, lease_.json_members());
  }
  text.put(']');
  if (!end.has_more) end.keys.clear();
  finish();
  return end;
}

}  // namespace tenon::data
