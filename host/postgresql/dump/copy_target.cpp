#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "postgresql/dump/copy_source.hpp"

namespace tenon::data::copying {

using schema::quoted;

namespace {

// Prefix of the triggers that write the search index; they stay while rows are copied.
constexpr std::string_view search_trigger = "tenon_search";

// A server that ran on the source wrote more than the text.
constexpr const char* advice =
    "Change it with a server on the source, empty the target, and copy again.";

class TargetSchema final : public Schema<CopyTarget> {
 public:
  explicit TargetSchema(const PostgresqlSchema& location) : Schema(location, false) {}

  void create_copy_state() override {
    make(
        {"CREATE TABLE IF NOT EXISTS tenon_copy (name TEXT COLLATE \"C\" PRIMARY KEY, value TEXT "
         "NOT NULL)"});
  }

  void set_copy_state(std::string_view name, std::string_view value) override {
    Change change(connection_);
    keep(change, name, value);
    change.commit();
  }

  void make(const std::vector<std::string>& statements) override {
    Change change(connection_);
    for (const std::string& statement : statements)
      change.run(statement);
    change.commit();
  }

  void prepare(const std::vector<Table>& tables, std::string_view name) override {
    Change change(connection_);
    std::vector<std::pair<std::string, std::string>> away;  // a statement, and what undoes it
    const auto collect = [&](const std::string& sql) {
      Rows row = change.rows(sql, {search_trigger});
      while (row.next())
        away.emplace_back(row.text(0), row.text(1));
    };
    collect(
        std::string("SELECT 'ALTER TABLE ' || k.conrelid::regclass || ' DROP CONSTRAINT ' || "
                    "quote_ident(k.conname), 'ALTER TABLE ' || k.conrelid::regclass || ' ADD "
                    "CONSTRAINT ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid) "
                    "FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE k.contype = "
                    "'f' AND c.relkind = 'r' AND ?1 <> '' AND c.relnamespace") +
        in_schema + " ORDER BY c.relname, k.conname");
    collect(
        std::string("SELECT 'ALTER TABLE ' || t.tgrelid::regclass || ' DISABLE TRIGGER ' || "
                    "quote_ident(t.tgname), 'ALTER TABLE ' || t.tgrelid::regclass || ' ENABLE "
                    "TRIGGER ' || quote_ident(t.tgname) FROM pg_trigger t JOIN pg_class c ON c.oid "
                    "= t.tgrelid WHERE NOT t.tgisinternal AND t.tgenabled = 'O' AND c.relkind = "
                    "'r' AND NOT starts_with(t.tgname, ?1) AND c.relnamespace") +
        in_schema + " ORDER BY c.relname, t.tgname");
    std::size_t number = 0;
    for (const auto& [statement, later] : away) {
      keep(change, std::string(later_prefix) + std::to_string(number++), later);
      change.run(statement);
    }
    for (const Table& table : tables)
      change.run("DELETE FROM " + quoted(table.name));
    keep(change, name, "yes");
    change.commit();
  }

  void begin(const Table& table) override {
    batch_.reset();
    pending_.clear();
    table_ = table;
    batch_.emplace(connection_);
    max_together_ = std::clamp<std::size_t>(
        max_values / std::max<std::size_t>(table.columns.size(), 1), 1, max_rows);
    texts_.clear();
  }

  void insert(const std::vector<Cell>& row) override {
    check_row(table_, row);
    check_texts(row);
    append(row);
    if (pending_.size() == max_together_ * table_.columns.size() || bytes_.size() >= max_bytes)
      flush();
  }

  void commit(std::string_view name, std::string_view value) override {
    flush();
    keep(*batch_, name, value);
    batch_->commit();
    batch_.reset();
  }

  void finish(const std::vector<Table>& tables, const LastNumbers& numbers,
              std::string_view name) override {
    batch_.reset();
    Change change(connection_);
    for (const Sequence& one : read_sequences(change)) {
      const bool is_copied = std::any_of(tables.begin(), tables.end(), [&](const Table& table) {
        return table.name == one.table;
      });
      if (!is_copied) continue;
      const auto found = numbers.find(one.table);
      const std::int64_t last = std::max(found == numbers.end() ? std::int64_t{0} : found->second,
                                         change.number("SELECT coalesce(max(" + quoted(one.column) +
                                                       "), 0) FROM " + quoted(one.table)));
      if (last > 0) change.run("SELECT setval(?1::text::regclass, ?2::bigint)", {one.name, last});
    }
    std::vector<std::string> later;
    {
      Rows row = change.rows(
          "SELECT value FROM tenon_copy WHERE starts_with(name, ?1) ORDER BY substr(name, "
          "length(?1) + 1)::bigint",
          {later_prefix});
      while (row.next())
        later.emplace_back(row.text(0));
    }
    for (const std::string& statement : later) {
      try {
        change.run(statement);
      } catch (const SqlError& error) {
        if (error.status() >= 500) throw;
        throw base::Error(409, "data.copy_refused", "Rows do not fit together: " + error.detail());
      }
    }
    change.run("DELETE FROM tenon_copy WHERE starts_with(name, ?1)", {later_prefix});
    keep(change, name, "yes");
    change.commit();
  }

 private:
  static constexpr std::size_t max_rows = 128;
  static constexpr std::size_t max_values = 16'384;
  static constexpr std::size_t max_bytes = std::size_t{4} * 1024 * 1024;

  static void keep(Change& change, std::string_view name, std::string_view value) {
    change.run(
        "INSERT INTO tenon_copy (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET "
        "value = excluded.value",
        {name, value});
  }

  void check_texts(const std::vector<Cell>& row) const {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].kind() != CellKind::text) continue;
      const std::string_view text = row[i].text();
      if (text.find('\0') != std::string_view::npos)
        refuse_row(
            table_, row, table_.columns[i].name,
            std::string("PostgreSQL keeps no text with the character U+0000 in it. ") + advice);
      if (!base::is_valid_utf8(text))
        refuse_row(table_, row, table_.columns[i].name,
                   std::string("the text is not UTF-8. ") + advice);
    }
  }

  void append(const std::vector<Cell>& row) {
    for (const Cell& cell : row) {
      offsets_.push_back(bytes_.size());
      if (cell.kind() == CellKind::text || cell.kind() == CellKind::blob) bytes_ += cell.text();
      pending_.push_back(cell);
    }
  }

  // INSERT of so many rows.
  const std::string& text_of(std::size_t rows) {
    std::string& text = texts_[rows];
    if (!text.empty()) return text;
    std::string one = "(";
    for (std::size_t i = 0; i < table_.columns.size(); ++i)
      one += (i == 0 ? "" : ", ") + value_sql(table_.columns[i].storage);
    one += ")";
    text = "INSERT INTO " + quoted(table_.name) + " (" + column_list(table_) +
           ") OVERRIDING SYSTEM VALUE VALUES ";
    for (std::size_t i = 0; i < rows; ++i)
      text += (i == 0 ? "" : ", ") + one;
    return text;
  }

  static std::string value_sql(Storage storage) {
    switch (storage) {
      case Storage::integer:
        return "?::bigint";
      case Storage::boolean:
        return "?::bigint <> 0";
      case Storage::number:
        return "?::double precision";
      case Storage::blob:
        return "?::bytea";
      default:
        return "?::text";
    }
  }

  void flush() {
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      const CellKind kind = pending_[i].kind();
      if (kind != CellKind::text && kind != CellKind::blob) continue;
      const std::string_view bytes(bytes_.data() + offsets_[i], pending_[i].text().size());
      pending_[i] = kind == CellKind::text ? Cell(bytes) : Cell::blob(bytes);
    }
    const std::size_t columns = table_.columns.size();
    std::span<const Cell> left = pending_;
    while (!left.empty()) {
      // Few different statements, whatever the rows.
      std::size_t rows = max_together_;
      while (rows > left.size() / columns)
        rows = rows > small_group ? small_group : 1;
      write(left.first(rows * columns), rows);
      left = left.subspan(rows * columns);
    }
    pending_.clear();
    offsets_.clear();
    bytes_.clear();
    if (bytes_.capacity() > 2 * max_bytes) bytes_ = std::string();
  }

  void write(std::span<const Cell> cells, std::size_t rows) {
    try {
      batch_->run(text_of(rows), cells);
    } catch (const SqlError& error) {
      if (error.status() >= 500 && error.code() != "data.sql") throw;
      if (rows == 1) refuse_row(table_, cells, "", error.detail());
      // Which one it is.
      const std::size_t columns = table_.columns.size();
      for (std::size_t i = 0; i < rows; ++i)
        write(cells.subspan(i * columns, columns), 1);
    }
  }

  static constexpr std::size_t small_group = 16;

  Table table_;
  std::optional<Change> batch_;
  std::size_t max_together_ = 1;
  std::map<std::size_t, std::string> texts_;
  std::string bytes_;  // of the texts and blobs of pending_
  std::vector<std::size_t> offsets_;
  std::vector<Cell> pending_;
};

}  // namespace
std::unique_ptr<CopyTarget> write_schema(const PostgresqlSchema& location) {
  return std::make_unique<TargetSchema>(location);
}

}  // namespace tenon::data::copying
