#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "data/copy/copy_source.hpp"
#include "postgresql/client/connection.hpp"
#include "postgresql/client/session.hpp"
#include "postgresql/client/sql.hpp"
#include "schema/ddl.hpp"

/// Shared parts of reading and writing a schema for a copy.
namespace tenon::data::copying {

/// Deadline of one statement: an index or a reference of a large table is one.
inline constexpr std::int64_t statement_timeout = std::int64_t{12} * 3600 * 1'000'000'000;

/// One transaction; undone unless committed.
class Change {
 public:
  explicit Change(postgresql::Connection& connection, std::vector<std::string> begin = {"BEGIN"})
      : session_(connection, std::move(begin)) {
    session_.begin();
  }
  ~Change() { session_.control(Control::rollback); }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

  Rows rows(std::string_view sql, Cells cells = {}) {
    return postgresql::Sql(session_, deadline()).rows(sql, cells);
  }
  void run(std::string_view sql, Cells cells = {}) {
    postgresql::Sql(session_, deadline()).run(sql, cells);
  }
  std::string text(std::string_view sql, Cells cells = {}) {
    return postgresql::Sql(session_, deadline()).text(sql, cells);
  }
  std::int64_t number(std::string_view sql, Cells cells = {}) {
    return postgresql::Sql(session_, deadline()).number(sql, cells);
  }
  postgresql::Outcome outcome(std::string_view sql) {
    return session_.run(sql, {}, deadline(), {.prefix = {}, .is_own = true, .role = {}});
  }
  void commit() {
    if (auto error = session_.control(Control::commit)) throw SqlError(std::move(*error));
  }

 private:
  static std::int64_t deadline() { return base::monotonic_nanoseconds() + statement_timeout; }

  postgresql::Session session_;
};

inline constexpr const char* begin_reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
inline constexpr const char* in_schema = " = quote_ident(current_schema())::regnamespace";

/// As the owner of the schema's tables.
postgresql::ConnectionOptions copying_options(const PostgresqlSchema& location, bool is_read_only);
std::vector<Table> read_tables(Change& change);
/// `begin`: what the transaction begins with in which the rows are read.
std::unique_ptr<RowStream> read_rows(postgresql::Connection& connection,
                                     const std::vector<std::string>& begin, const Table& table,
                                     std::int64_t skip);

/// A sequence that a column of a table owns.
struct Sequence {
  std::string table;
  std::string column;
  std::string name;
};
std::vector<Sequence> read_sequences(Change& change);

/// A schema; `Base` is CopySource or CopyTarget.
template <typename Base>
class Schema : public Base {
 public:
  Schema(const PostgresqlSchema& location, bool is_read_only)
      : connection_(copying_options(location, is_read_only)) {}

  std::vector<Table> tables() override {
    Change change(connection_, reading_);
    return read_tables(change);
  }

  std::int64_t count(const Table& table) override {
    Change change(connection_, reading_);
    return change.number("SELECT count(*) FROM " + schema::quoted(table.name));
  }

  std::unique_ptr<RowStream> read(const Table& table, std::int64_t skip) override {
    return read_rows(connection_, reading_, table, skip);
  }

  LastNumbers last_numbers() override {
    Change change(connection_, reading_);
    LastNumbers numbers;
    for (const Sequence& one : read_sequences(change)) {
      numbers.emplace(
          one.table,
          change.number("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM " + one.name));
    }
    return numbers;
  }

  std::vector<std::string> migrations() override {
    Change change(connection_, reading_);
    std::vector<std::string> all;
    if (!has_table(change, "tenon_migrations")) return all;
    Rows row = change.rows(
        "SELECT owner || ' ' || number || ' ' || checksum FROM tenon_migrations ORDER BY owner, "
        "number");
    while (row.next())
      all.emplace_back(row.text(0));
    return all;
  }

  bool has_copy_state() override {
    Change change(connection_, reading_);
    return has_table(change, copy_state_table);
  }

  std::string copy_state(std::string_view name) override {
    Change change(connection_, reading_);
    if (!has_table(change, copy_state_table)) return {};
    return change.text("SELECT value FROM tenon_copy WHERE name = ?1", {name});
  }

 protected:
  static bool has_table(Change& change, std::string_view name) {
    return change.number("SELECT (to_regclass(?1) IS NOT NULL)::integer", {name}) != 0;
  }

  postgresql::Connection connection_;
  std::vector<std::string> reading_{begin_reading};  ///< begins each transaction that reads
};

}  // namespace tenon::data::copying
