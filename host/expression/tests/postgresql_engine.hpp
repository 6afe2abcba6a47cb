#pragma once

#include <charconv>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <libpq-fe.h>

#include "expression/sql.hpp"
#include "expression/tests/engine.hpp"
#include "postgresql/schema/ddl.hpp"

namespace tenon::expression::test {

inline std::string text_of(const data::Cell& cell) {
  if (cell.kind() == data::CellKind::integer) return std::to_string(cell.integer());
  if (cell.kind() == data::CellKind::text) return std::string(cell.text());
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, cell.number()).ptr;
  return {digits, end};
}

inline Value value_of(const char* text, Type type) {
  const std::string_view whole = text;
  switch (type) {
    case Type::boolean:
      return std::int64_t{whole == "t" ? 1 : 0};
    case Type::integer:
      return static_cast<std::int64_t>(std::strtoll(text, nullptr, 10));
    case Type::number:
      return std::strtod(text, nullptr);
    default:
      return std::string(whole);
  }
}

/// A schema of its own on a PostgreSQL, which is dropped at the end. One at a time.
class PostgresqlEngine : public TestEngine {
 public:
  explicit PostgresqlEngine(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
    if (PQstatus(connection_.get()) != CONNECTION_OK) fail();
    script("SET client_min_messages TO warning");
    script("CREATE SCHEMA tenon_expression_test");
    script("SET search_path TO tenon_expression_test");
    script(std::string(data::postgresql::functions()));
    // Twice, as at every start.
    script(std::string(data::postgresql::functions()));
    script("BEGIN");
  }
  ~PostgresqlEngine() override {
    PQclear(PQexec(connection_.get(), "ROLLBACK"));
    PQclear(PQexec(connection_.get(), "DROP SCHEMA tenon_expression_test CASCADE"));
  }
  PostgresqlEngine(const PostgresqlEngine&) = delete;
  PostgresqlEngine& operator=(const PostgresqlEngine&) = delete;

  Dialect dialect() const override { return Dialect::postgresql; }
  void run(const std::string& sql, data::Cells cells) override { execute(sql, cells); }
  std::vector<Value> column(const std::string& sql, data::Cells cells, Type type) override {
    const auto result = execute(sql, cells);
    std::vector<Value> values;
    for (int row = 0; row < PQntuples(result.get()); ++row) {
      values.push_back(PQgetisnull(result.get(), row, 0)
                           ? Value()
                           : value_of(PQgetvalue(result.get(), row, 0), type));
    }
    return values;
  }

 private:
  struct Free {
    void operator()(PGconn* connection) const { PQfinish(connection); }
    void operator()(PGresult* result) const { PQclear(result); }
  };
  using Result = std::unique_ptr<PGresult, Free>;

  void script(const std::string& sql) {
    const Result result(PQexec(connection_.get(), sql.c_str()));
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) fail();
  }

  Result execute(const std::string& sql, data::Cells cells) {
    std::vector<std::string> cell_texts;
    for (const auto& cell : cells)
      cell_texts.push_back(cell.is_null() ? "" : text_of(cell));
    std::vector<const char*> values;
    for (std::size_t i = 0; i < cell_texts.size(); ++i)
      values.push_back(cells[i].is_null() ? nullptr : cell_texts[i].c_str());
    Result result(PQexecParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()),
                               nullptr, values.data(), nullptr, nullptr, 0));
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      throw std::runtime_error(sql + "\n" + PQerrorMessage(connection_.get()));
    }
    return result;
  }

  [[noreturn]] void fail() const { throw std::runtime_error(PQerrorMessage(connection_.get())); }

  std::unique_ptr<PGconn, Free> connection_;
};

}  // namespace tenon::expression::test
