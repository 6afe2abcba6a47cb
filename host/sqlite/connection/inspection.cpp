#include "sqlite/connection/inspection.hpp"

#include <sqlite3.h>

#include "sqlite/connection/read_only_uri.hpp"

namespace tenon::data::sqlite {

namespace {

constexpr int inspection_timeout_ms = 5000;

std::string column_text(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return text == nullptr ? std::string() : std::string(text);
}

}  // namespace

Inspection::Inspection(const std::string& path, bool has_writer) {
  const std::string uri = read_only_uri(path, has_writer);
  const int code = sqlite3_open_v2(
      uri.c_str(), &db_, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_EXRESCODE, nullptr);
  if (code != SQLITE_OK) {
    failure_ = db_ == nullptr ? "no memory" : sqlite3_errmsg(db_);
    return;
  }
  sqlite3_busy_timeout(db_, inspection_timeout_ms);
  sqlite3_db_config(db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  // SQLite reads nothing before it is asked.
  if (sqlite3_exec(db_, "PRAGMA schema_version", nullptr, nullptr, nullptr) != SQLITE_OK)
    failure_ = sqlite3_errmsg(db_);
}

Inspection::~Inspection() {
  sqlite3_close_v2(db_);
}

void Inspection::collect(const std::string& sql, int max_findings,
                         std::vector<std::string>& findings) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(db_, sql.c_str(), -1, &statement, nullptr);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(statement);
    if (code != SQLITE_ROW || findings.size() >= static_cast<std::size_t>(max_findings)) break;
    std::string finding = column_text(statement, 0);
    if (finding != "ok") findings.push_back(std::move(finding));
  }
  if (code != SQLITE_DONE && code != SQLITE_ROW) findings.emplace_back(sqlite3_errmsg(db_));
  sqlite3_finalize(statement);
}

std::vector<std::string> Inspection::check(bool is_full, int max_findings) {
  if (!failure_.empty()) return {failure_};
  std::vector<std::string> findings;
  const char* pragma = is_full ? "PRAGMA integrity_check(" : "PRAGMA quick_check(";
  collect(pragma + std::to_string(max_findings) + ")", max_findings, findings);
  if (is_full && findings.empty()) {
    collect(
        "SELECT 'a row of ' || \"table\" || ' refers to nothing in ' || \"parent\" "
        "FROM pragma_foreign_key_check",
        max_findings, findings);
  }
  return findings;
}

std::optional<std::int64_t> Inspection::number(const char* sql) {
  if (!failure_.empty()) return std::nullopt;
  std::optional<std::int64_t> found;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL)
    found = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return found;
}

bool Inspection::each(const char* sql, const std::function<void(std::string, std::int64_t)>& row) {
  if (!failure_.empty()) return false;
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr);
  if (code == SQLITE_OK) {
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
      row(column_text(statement, 0), sqlite3_column_int64(statement, 1));
  }
  sqlite3_finalize(statement);
  return code == SQLITE_DONE;
}

}  // namespace tenon::data::sqlite
