#include "data_copy/copy.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/error.hpp"
#include "data_copy/row_digest.hpp"

namespace tenon::data::copying {

namespace {

constexpr std::size_t batch_bytes = std::size_t{4} * 1024 * 1024;
constexpr std::int64_t batch_rows = 8192;

constexpr std::string_view prepared = "prepared";
constexpr std::string_view finished = "finished";
constexpr std::string_view whole = "all";

struct Pair {
  Table from;
  Table to;
};

const Table* find(const std::vector<Table>& tables, const std::string& name) {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const Table& one) { return one.name == name; });
  return found == tables.end() ? nullptr : &*found;
}

bool has_column(const Table& table, const std::string& name) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [&](const Column& one) { return one.name == name; });
}

class Findings {
 public:
  void add(const std::string& table, const std::string& what) {
    if (!text_.empty()) text_ += " ";
    text_ += table + " " + what + ".";
  }
  void refuse() const {
    if (text_.empty()) return;
    throw base::Error(422, "data.copy_refused",
                      text_ + " The migrations of both engines must make the same tables.");
  }

 private:
  std::string text_;
};

void compare_columns(const Table& from, const Table& to, Findings& findings) {
  for (const Column& column : from.columns) {
    if (!has_column(to, column.name))
      findings.add(from.name, "has the column " + column.name + ", which the target has not");
    if (column.storage == Storage::other)
      findings.add(from.name, "has the column " + column.name + " of the type " + column.type +
                                  ", whose values are not the same on both engines");
  }
  for (const Column& column : to.columns) {
    if (!has_column(from, column.name))
      findings.add(to.name, "has the column " + column.name + " in the target only");
    if (column.storage == Storage::other)
      findings.add(to.name, "has the column " + column.name + " of the type " + column.type +
                                " in the target, whose values are not the same on both engines");
  }
}

std::vector<Pair> pair_tables(CopySource& source, CopySource& target) {
  const auto from = source.tables();
  const auto to = target.tables();
  Findings findings;
  std::vector<Pair> pairs;
  for (const Table& table : from) {
    if (const Table* other = find(to, table.name)) {
      compare_columns(table, *other, findings);
      pairs.push_back({table, *other});
    } else if (source.count(table) != 0) {
      findings.add(table.name, "is not in the target");
    }
  }
  for (const Table& table : to) {
    if (!find(from, table.name)) findings.add(table.name, "is in the target only");
  }
  findings.refuse();
  return pairs;
}

std::string note_of(const std::string& table) {
  return "table " + table;
}

std::int64_t number_of(std::string_view text) noexcept {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::size_t size_of(const std::vector<Cell>& row) noexcept {
  std::size_t size = 0;
  for (const Cell& cell : row) {
    const bool has_bytes = cell.kind() == CellKind::text || cell.kind() == CellKind::blob;
    size += sizeof(Cell) + (has_bytes ? cell.text().size() : 0);
  }
  return size;
}

void copy_table(CopySource& source, CopyTarget& target, const Pair& tables, const Watch& watch) {
  const std::string name = note_of(tables.from.name);
  const std::string before = target.copy_state(name);
  if (before == whole) return;
  std::int64_t rows = number_of(before);
  const std::int64_t of = source.count(tables.from);
  const auto stream = source.read(tables.from, rows);
  const std::vector<Cell>* row = stream->next();
  while (row) {
    target.begin(tables.to);
    std::size_t bytes = 0;
    for (std::int64_t i = 0; row && i < batch_rows && bytes < batch_bytes; ++i) {
      target.insert(*row);
      bytes += size_of(*row);
      ++rows;
      row = stream->next();
    }
    target.commit(name, std::to_string(rows));
    if (row) watch({Progress::Work::copying, tables.from.name, rows, of, false});
  }
  target.set_copy_state(name, whole);
  watch({Progress::Work::copying, tables.from.name, rows, of, true});
}

RowDigest digest_of(CopySource& side, const Table& table, std::int64_t of, const Watch& watch) {
  RowDigest digest;
  const auto stream = side.read(table, 0);
  while (const std::vector<Cell>* row = stream->next()) {
    digest.add(*row);
    if (digest.rows() % batch_rows == 0)
      watch({Progress::Work::checking, table.name, digest.rows(), of, false});
  }
  return digest;
}

std::vector<Table> targets_of(const std::vector<Pair>& pairs) {
  std::vector<Table> tables;
  for (const Pair& pair : pairs)
    tables.push_back(pair.to);
  return tables;
}

}  // namespace

void check_tables(CopySource& source, CopySource& target) {
  pair_tables(source, target);
}

bool is_prepared(CopySource& target) {
  return !target.copy_state(prepared).empty();
}

bool is_copied(CopySource& target) {
  return !target.copy_state(finished).empty();
}

void copy_rows(CopySource& source, CopyTarget& target, const Watch& watch) {
  if (is_copied(target)) return;
  const auto pairs = pair_tables(source, target);
  if (!is_prepared(target)) target.prepare(targets_of(pairs), prepared);
  for (const Pair& pair : pairs)
    copy_table(source, target, pair, watch);
  target.finish(targets_of(pairs), source.last_numbers(), finished);
}

std::vector<Compared> compare_rows(CopySource& source, CopySource& target, const Watch& watch) {
  std::vector<Compared> compared;
  for (const Pair& pair : pair_tables(source, target)) {
    const std::int64_t of = source.count(pair.from);
    const RowDigest from = digest_of(source, pair.from, of, watch);
    const RowDigest to = digest_of(target, pair.to, of, watch);
    compared.push_back({pair.from.name, from.rows(), to.rows(), from.text(), from == to});
    watch({Progress::Work::checking, pair.from.name, to.rows(), of, true});
  }
  return compared;
}

}  // namespace tenon::data::copying
