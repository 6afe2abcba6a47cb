#include "data/changed_tables.hpp"

#include <algorithm>
#include <iterator>

#include "data/schema/ddl.hpp"

namespace tenon::data {

namespace {

void pair(std::vector<PairedTable>& pairs, const schema::Table* now, const schema::Table* then) {
  const std::string& name = (now ? now : then)->name;
  pairs.push_back({name, now ? now->name : "", then ? then->name : ""});
  for (const auto& field : (now ? now : then)->fields) {
    if (!field.is_link()) continue;
    pairs.push_back({name + "." + field.name, now ? schema::link_table(now->name, field.name) : "",
                     then ? schema::link_table(then->name, field.name) : "", "target"});
  }
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

std::vector<std::string> compared_columns(const std::vector<std::string>& now,
                                          const std::vector<std::string>& then) {
  if (now == then) return now;
  std::vector<std::string> both;
  std::set_intersection(now.begin(), now.end(), then.begin(), then.end(), std::back_inserter(both));
  for (const char* mark : {"version", "updated"}) {
    const auto found = std::find_if(both.begin(), both.end(), [&](const std::string& column) {
      return column == mark || column.starts_with(std::string(mark) + " ");
    });
    if (found != both.end()) return {*found};
  }
  return both;
}

}  // namespace tenon::data
