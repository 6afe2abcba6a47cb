#include "schema/change_log.hpp"

#include <set>
#include <utility>

#include "base/ids.hpp"

namespace tenon::data::schema {

std::vector<const Table*> logged_tables(const Tables& tables) {
  std::set<std::string> names;
  std::vector<std::string> open;
  for (const Table& table : tables.tables) {
    if (table.publish) open.push_back(table.name);
  }
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const Table* table = tables.find(name);
    if (table == nullptr || !names.insert(name).second) continue;
    for (const Field& field : table->fields) {
      if (field.refers_to_own()) open.push_back(field.table);
    }
  }
  std::vector<const Table*> found;
  for (const Table& table : tables.tables) {
    if (names.contains(table.name)) found.push_back(&table);
  }
  return found;
}

std::string change_log_fingerprint(const std::vector<std::string>& triggers) {
  if (triggers.empty()) return {};
  std::string all;
  for (const std::string& sql : triggers)
    all += sql + "\n";
  return base::sha256_hex(all);
}

}  // namespace tenon::data::schema
