#include "data/engine/changed_tables.hpp"

#include <algorithm>
#include <functional>

#include "schema/conversion.hpp"
#include "schema/ddl.hpp"

namespace tenon::data {

namespace {

const schema::Field* former_of(const schema::Field& field, const schema::Table& then) {
  const schema::Field* former = then.find(field.name);
  for (const auto& name : field.formerly)
    former = former ? former : then.find(name);
  return former;
}

void pair_fields(PairedTable& pair, const schema::Table& now, const schema::Table& then) {
  for (const schema::Field& field : now.fields) {
    const schema::Field* former = former_of(field, then);
    if (!former || !field.has_column() || !former->has_column()) continue;
    if (former->name != field.name) pair.former[field.name] = former->name;
    const auto conversion = schema::conversion_of(*former, field);
    if (conversion == schema::Conversion::rebuild || conversion == schema::Conversion::lossy)
      pair.converted.insert(field.name);
  }
}

void pair(std::vector<PairedTable>& pairs, const schema::Table* now, const schema::Table* then) {
  const schema::Table& table = *(now ? now : then);
  PairedTable records;
  records.title = table.name;
  records.now = now ? now->name : "";
  records.then = then ? then->name : "";
  for (const auto& field : table.all_fields()) {
    if (!table.find(field.name)) records.stamps.insert(field.name);
  }
  if (now && then) pair_fields(records, *now, *then);
  pairs.push_back(std::move(records));
  const auto add_link = [&](const std::string& title, const schema::Field* of_now,
                            const schema::Field* of_then) {
    PairedTable links;
    links.title = title;
    links.now = of_now ? schema::link_table(now->name, of_now->name) : "";
    links.then = of_then ? schema::link_table(then->name, of_then->name) : "";
    links.identity = "target";
    links.named = "record";
    pairs.push_back(std::move(links));
  };
  std::set<std::string> known;  // fields of then that have one of now
  for (const auto& field : now ? now->fields : std::vector<schema::Field>{}) {
    if (!field.is_link()) continue;
    const schema::Field* former = then ? former_of(field, *then) : nullptr;
    if (former && !former->is_link()) former = nullptr;
    if (former) known.insert(former->name);
    add_link(table.name + "." + field.name, &field, former);
  }
  for (const auto& field : then ? then->fields : std::vector<schema::Field>{}) {
    if (field.is_link() && !known.contains(field.name))
      add_link(table.name + "." + field.name, nullptr, &field);
  }
}

const StoredColumn* find(const std::vector<StoredColumn>& columns, const std::string& name) {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const StoredColumn& column) { return column.name == name; });
  return found == columns.end() ? nullptr : &*found;
}

}  // namespace

std::vector<PairedTable> paired_tables(const schema::Tables& now, const schema::Tables& then) {
  std::vector<PairedTable> pairs;
  std::vector<std::string> known;  // names of then that have one of now
  for (const auto& table : now.tables) {
    const schema::Table* former = then.find(table.name);
    for (const auto& name : table.formerly)
      former = former ? former : then.find(name);
    if (former) known.push_back(former->name);
    pair(pairs, &table, former);
  }
  for (const auto& table : then.tables) {
    if (std::find(known.begin(), known.end(), table.name) == known.end())
      pair(pairs, nullptr, &table);
  }
  return pairs;
}

std::vector<PairedTable> undeclared_tables(const std::vector<std::string>& now,
                                           const std::vector<std::string>& then,
                                           const std::vector<PairedTable>& declared) {
  std::map<std::string, PairedTable> found;
  for (const auto& name : now)
    found[name].now = name;
  for (const auto& name : then)
    found[name].then = name;
  for (const auto& pair : declared) {
    found.erase(pair.now);
    found.erase(pair.then);
  }
  std::vector<PairedTable> pairs;
  for (auto& [name, pair] : found) {
    if (name.starts_with("tenon_")) continue;
    pair.title = name;
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

PairedColumns paired_columns(const PairedTable& table, const std::vector<StoredColumn>& now,
                             const std::vector<StoredColumn>& then) {
  PairedColumns pairs;
  for (const StoredColumn& column : now) {
    const auto former = table.former.find(column.name);
    const StoredColumn* before =
        find(then, former == table.former.end() ? column.name : former->second);
    if (before == nullptr) {
      if (!table.stamps.contains(column.name)) pairs.added.push_back(column.name);
    } else if (table.converted.contains(column.name) || before->type != column.type) {
      pairs.not_compared.push_back(column.name);
    } else {
      pairs.compared.push_back({column.name, before->name});
    }
  }
  return pairs;
}

void name_record(std::vector<std::string>& names, std::string_view name) {
  if (names.size() >= max_named_records || (!names.empty() && names.back() == name)) return;
  names.emplace_back(name);
}

bool has_changes(const TableChanges& changes) noexcept {
  return !changes.is_whole ||
         changes.added + changes.changed + changes.removed + changes.new_values != 0;
}

void RowDifference::add(std::string_view row, std::int64_t count) {
  if (!is_known_) return;
  const auto found = rows_.try_emplace(std::hash<std::string_view>{}(row), 0).first;
  found->second += count;
  if (found->second == 0) rows_.erase(found);
  is_known_ = rows_.size() <= max_rows;
}

void RowDifference::write_to(TableChanges& changes) const {
  changes.is_whole = is_known_;
  if (!is_known_) return;
  for (const auto& [hash, count] : rows_)
    (count > 0 ? changes.added : changes.removed) += count > 0 ? count : -count;
}

}  // namespace tenon::data
