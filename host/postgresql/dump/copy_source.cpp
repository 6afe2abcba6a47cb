#include "postgresql/dump/copy_source.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "postgresql/client/result_rows.hpp"

namespace tenon::data::copying {

using postgresql::Connection;
using postgresql::ConnectionOptions;
using postgresql::ResultTable;
using schema::quoted;

namespace {

Storage storage_of(std::string_view type) noexcept {
  constexpr std::array<std::pair<std::string_view, Storage>, 8> known = {
      {{"bigint", Storage::integer},
       {"integer", Storage::integer},
       {"smallint", Storage::integer},
       {"boolean", Storage::boolean},
       {"double precision", Storage::number},
       {"text", Storage::text},
       {"character varying", Storage::text},
       {"bytea", Storage::blob}}};
  type = type.substr(0, type.find('('));
  const auto* const found =
      std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == type; });
  return found == known.end() ? Storage::other : found->second;
}

class SchemaStream final : public RowStream {
 public:
  SchemaStream(Connection& connection, const std::vector<std::string>& begin, const Table& table,
               std::int64_t skip)
      : change_(connection, begin),
        query_("SELECT " + column_list(table) + " FROM " + quoted(table.name) +
               (table.order.empty() ? "" : " ORDER BY " + table.order)),
        name_(table.name),
        result_bytes_(connection.result_bytes()),
        position_(skip),
        row_(table.columns.size()) {
    declare();
  }

  const std::vector<Cell>* next() override {
    if (!table_ || ++at_ >= table_->rows()) {
      if (table_ && static_cast<std::size_t>(table_->rows()) < asked_) return nullptr;
      fetch();
      if (table_->rows() == 0) return nullptr;
      at_ = 0;
    }
    table_->enter(at_);
    ++position_;
    for (std::size_t i = 0; i < row_.size(); ++i) {
      row_[i] = table_->cell(static_cast<int>(i));
      bytes_ += row_[i].is_null() ? 1 : table_->text(static_cast<int>(i)).size() + 1;
    }
    return &row_;
  }

 private:
  void declare() {
    change_.run("DECLARE tenon_copy NO SCROLL CURSOR FOR " + query_ + " OFFSET " +
                std::to_string(position_));
  }

  // Fetches rows of some MiB, estimated from the rows before.
  void fetch() {
    constexpr std::size_t wanted_bytes = std::size_t{4} * 1024 * 1024;
    constexpr std::size_t max_rows = 2048;
    constexpr std::size_t faster = 8;
    std::size_t wanted = 1;
    if (table_ && slow_ == 0)
      wanted = std::clamp<std::size_t>(wanted_bytes * asked_ / std::max<std::size_t>(bytes_, 1), 1,
                                       std::min(max_rows, asked_ * faster));
    if (slow_ > 0) --slow_;
    bytes_ = 0;
    asked_ = wanted;
    try {
      table_ = std::make_unique<ResultTable>(std::move(outcome_of(wanted).result));
    } catch (const SqlError& error) {
      // Together they are more than a result may be: one by one, then.
      if (error.code() != "data.too_large") throw;
      if (wanted == 1) refuse_large();
      slow_ = wanted;
      asked_ = 1;
      change_.run("CLOSE tenon_copy");
      declare();
      table_ = std::make_unique<ResultTable>(first_row());
    }
  }

  postgresql::Result first_row() {
    try {
      return std::move(outcome_of(1).result);
    } catch (const SqlError& error) {
      if (error.code() != "data.too_large") throw;
      refuse_large();
    }
  }

  [[noreturn]] void refuse_large() const {
    throw base::Error(422, "data.copy_refused",
                      "Row " + std::to_string(position_ + 1) + " of " + name_ +
                          ", in the order of its key, cannot be copied: its values together are "
                          "more than a result of PostgreSQL may be, " +
                          std::to_string(result_bytes_ / 1024 / 1024) +
                          " MiB as text. Make it smaller with a server on the source, empty the "
                          "target, and copy again.");
  }

  postgresql::Outcome outcome_of(std::size_t rows) {
    return change_.outcome("FETCH FORWARD " + std::to_string(rows) + " FROM tenon_copy");
  }

  Change change_;
  const std::string query_;
  const std::string name_;
  const std::size_t result_bytes_;
  std::int64_t position_;  // rows before the next one
  std::vector<Cell> row_;
  std::unique_ptr<ResultTable> table_;
  int at_ = -1;
  std::size_t asked_ = 1;
  std::size_t bytes_ = 0;  // of the rows of table_ so far
  std::size_t slow_ = 0;   // fetches of one row that are to come
};

class ReadSchema final : public Schema<CopySource> {
 public:
  using Schema::Schema;
};

}  // namespace

ConnectionOptions copying_options(const PostgresqlSchema& location, bool is_read_only) {
  constexpr int max_sql = 4 * 1024 * 1024;
  constexpr int max_parameters = 65'535;
  ConnectionOptions options;
  options.url = location.url;
  options.user = location.owner.empty() ? location.user : location.owner;
  options.password = location.owner.empty() ? location.password : location.owner_password;
  options.schema = location.schema;
  options.is_trusted = true;
  options.is_read_only = is_read_only;
  options.limits.sql_bytes = max_sql;
  options.limits.parameters = max_parameters;
  options.result_bytes = location.result_bytes;
  return options;
}

std::vector<Table> read_tables(Change& change) {
  std::vector<Table> tables;
  {
    // Without a key, a row is identified by its ctid: there are no writes meanwhile.
    Rows row = change.rows(
        std::string("SELECT c.relname, coalesce((SELECT string_agg(quote_ident(a.attname), ', ' "
                    "ORDER BY array_position(i.indkey::int2[], a.attnum)) FROM pg_index i JOIN "
                    "pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey::int2[]) "
                    "WHERE i.indrelid = c.oid AND i.indisprimary), 'ctid') FROM pg_class c WHERE "
                    "c.relkind = 'r' AND c.relnamespace") +
        in_schema + " ORDER BY c.relname COLLATE \"C\"");
    while (row.next()) {
      Table table;
      table.name = row.text(0);
      table.order = row.text(1);
      if (!is_recreated(table.name)) tables.push_back(std::move(table));
    }
  }
  for (Table& table : tables) {
    Rows column = change.rows(
        std::string("SELECT a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a "
                    "JOIN pg_class c ON c.oid = a.attrelid WHERE c.relname = ?1 AND "
                    "c.relnamespace") +
            in_schema +
            " AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attname "
            "COLLATE \"C\"",
        {table.name});
    while (column.next()) {
      table.columns.push_back(
          {std::string(column.text(0)), storage_of(column.text(1)), std::string(column.text(1))});
    }
  }
  // PostgreSQL has tables without columns.
  std::erase_if(tables, [](const Table& table) { return table.columns.empty(); });
  return tables;
}

std::unique_ptr<RowStream> read_rows(Connection& connection, const std::vector<std::string>& begin,
                                     const Table& table, std::int64_t skip) {
  return std::make_unique<SchemaStream>(connection, begin, table, skip);
}

std::vector<Sequence> read_sequences(Change& change) {
  std::vector<Sequence> found;
  Rows row = change.rows(
      "SELECT c.relname, a.attname, s.oid::regclass::text FROM pg_depend d JOIN pg_class s ON "
      "s.oid "
      "= d.objid AND s.relkind = 'S' JOIN pg_class c ON c.oid = d.refobjid JOIN pg_attribute a ON "
      "a.attrelid = c.oid AND a.attnum = d.refobjsubid WHERE d.deptype IN ('a', 'i') AND "
      "c.relnamespace = quote_ident(current_schema())::regnamespace ORDER BY 1, 2");
  while (row.next())
    found.push_back({std::string(row.text(0)), std::string(row.text(1)), std::string(row.text(2))});
  return found;
}

std::unique_ptr<CopySource> read_schema(const PostgresqlSchema& location) {
  return std::make_unique<ReadSchema>(location, true);
}

}  // namespace tenon::data::copying
