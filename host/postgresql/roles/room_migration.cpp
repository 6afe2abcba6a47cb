#include "postgresql/roles/room_migration.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tenon::data::postgresql {

namespace {

using Word = std::pair<std::string_view, std::string_view>;

constexpr std::array<Word, 8> words{{{"INTEGER", "BIGINT"},
                                     {"REAL", "DOUBLE PRECISION"},
                                     {"BLOB", "BYTEA"},
                                     {"STRICT", ""},
                                     {"STRICT,", ""},
                                     {"WITHOUT", ""},
                                     {"ROWID", ""},
                                     {"user", "\"user\""}}};

bool is_word(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::size_t end_of_word(std::string_view sql, std::size_t at) noexcept {
  while (at < sql.size() && is_word(sql[at]))
    ++at;
  return at;
}

bool has_collation(std::string_view sql, std::size_t at) noexcept {
  const std::size_t next = std::min(sql.find_first_not_of(" \t\n", at), sql.size());
  return sql.substr(next).starts_with("COLLATE");
}

// Past a comment or what is in quotes; `at` where nothing of the kind begins.
std::size_t end_of_opaque(std::string_view sql, std::size_t at) noexcept {
  if (sql.substr(at).starts_with("--")) return std::min(sql.find('\n', at), sql.size());
  const char quote = sql[at];
  if (quote != '\'' && quote != '"') return at;
  // A doubled quote ends one text and begins another, which comes to the same.
  const std::size_t end = sql.find(quote, at + 1);
  return end == std::string_view::npos ? sql.size() : end + 1;
}

}  // namespace

std::string room_migration(std::string_view sql) {
  std::string text;
  text.reserve(sql.size() * 2);
  std::size_t at = 0;
  while (at < sql.size()) {
    if (const std::size_t end = end_of_opaque(sql, at); end != at) {
      text += sql.substr(at, end - at);
      at = end;
      continue;
    }
    if (!is_word(sql[at])) {
      text += sql[at++];
      continue;
    }
    std::size_t end = end_of_word(sql, at);
    if (sql.substr(at, end - at) == "STRICT" && sql.substr(end).starts_with(",")) ++end;
    const std::string_view word = sql.substr(at, end - at);
    const auto* const found = std::find_if(words.begin(), words.end(),
                                           [&](const Word& one) { return one.first == word; });
    if (word == "TEXT")
      text += has_collation(sql, end) ? "TEXT" : "TEXT COLLATE \"C\"";
    else
      text += found == words.end() ? word : found->second;
    at = end;
  }
  return text;
}

}  // namespace tenon::data::postgresql
