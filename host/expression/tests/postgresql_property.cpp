// The property on PostgreSQL: expression_postgresql 'host=/tmp/socket dbname=postgres' [SEED
// [COUNT]]. Makes a schema tenon_expression_test, which must not exist, and drops it.

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include <libpq-fe.h>

#include "expression/tests/property.hpp"

namespace tenon::expression {
namespace {

std::string text_of(const data::Cell& cell) {
  if (cell.kind() == data::CellKind::integer) return std::to_string(cell.integer());
  if (cell.kind() == data::CellKind::text) return std::string(cell.text());
  char digits[40];
  const auto end = std::to_chars(digits, digits + sizeof digits, cell.number()).ptr;
  return {digits, end};
}

Value value_of(const char* text, Type type) {
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

class PostgresqlEngine : public test::TestEngine {
 public:
  explicit PostgresqlEngine(const char* connection) : connection_(PQconnectdb(connection)) {
    if (PQstatus(connection_.get()) != CONNECTION_OK) fail();
    script("SET client_min_messages TO warning");
    script("CREATE SCHEMA tenon_expression_test");
    script("SET search_path TO tenon_expression_test");
    script(std::string(postgresql_functions()));
    // Twice, as at every start.
    script(std::string(postgresql_functions()));
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
    std::vector<std::string> texts;
    for (const auto& cell : cells)
      texts.push_back(cell.is_null() ? "" : text_of(cell));
    std::vector<const char*> values;
    for (std::size_t i = 0; i < texts.size(); ++i)
      values.push_back(cells[i].is_null() ? nullptr : texts[i].c_str());
    Result result(PQexecParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()),
                               nullptr, values.data(), nullptr, nullptr, 0));
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      std::fprintf(stderr, "%s\n", sql.c_str());
      fail();
    }
    return result;
  }

  [[noreturn]] void fail() const { throw std::runtime_error(PQerrorMessage(connection_.get())); }

  std::unique_ptr<PGconn, Free> connection_;
};

}  // namespace
}  // namespace tenon::expression

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "Usage: %s CONNECTION [SEED [COUNT]]\n", argv[0]);
    return 2;
  }
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::size_t count = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 750;
  try {
    tenon::expression::PostgresqlEngine engine(argv[1]);
    const std::string wrong = tenon::expression::test::disagreement(engine, seed, count);
    if (wrong.empty()) return 0;
    std::fprintf(stderr, "%s\n", wrong.c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 1;
}
