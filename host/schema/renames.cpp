#include "schema/renames.hpp"

#include <algorithm>
#include <optional>

namespace tenon::data::schema {

namespace {

// The one of a list of former names that `is_there`; none where there is none, or where there are
// several, which are refused.
template <typename IsThere>
std::optional<std::string> pick(const std::string& table, const std::string& field,
                                const std::vector<std::string>& formerly, IsThere is_there,
                                std::vector<Refusal>& refusals) {
  std::optional<std::string> found;
  for (const auto& name : formerly) {
    if (!is_there(name)) continue;
    if (found) {
      refusals.push_back({table, field,
                          "the data has both '" + *found + "' and '" + name +
                              "', which are former names of it; settle it in a numbered migration "
                              "of a version that does not rename them",
                          std::nullopt});
      return std::nullopt;
    }
    found = name;
  }
  return found;
}

}  // namespace

std::string_view Renames::table_in_file(std::string_view table) const noexcept {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Rename& one) {
    return one.field.empty() && one.table == table;
  });
  return found == list.end() ? table : found->from;
}

std::string_view Renames::field_in_file(std::string_view table,
                                        std::string_view field) const noexcept {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Rename& one) {
    return one.table == table && one.field == field;
  });
  return found == list.end() ? field : found->from;
}

std::string_view Renames::field_declared(std::string_view table,
                                         std::string_view in_file) const noexcept {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Rename& one) {
    return one.table == table && !one.field.empty() && one.from == in_file;
  });
  return found == list.end() ? in_file : found->field;
}

Renames find_renames(Catalog& catalog, const Tables& declared, std::vector<Refusal>& refusals) {
  Renames renames;
  for (const Table& table : declared.tables) {
    std::string in_file = table.name;
    auto actual = catalog.read_table(in_file);
    if (!actual) {
      const auto from = pick(
          table.name, "", table.formerly,
          [&](const std::string& name) {
            const auto former = catalog.read_table(name);
            return former && former->has_our_shape;
          },
          refusals);
      if (!from) continue;
      in_file = *from;
      actual = catalog.read_table(in_file);
      renames.list.push_back({table.name, "", in_file});
    }
    for (const Field& field : table.fields) {
      const auto is_there = [&](const std::string& name) {
        return actual->find(name) || catalog.is_link_table(link_table(in_file, name));
      };
      if (field.formerly.empty() || is_there(field.name)) continue;
      if (const auto from = pick(table.name, field.name, field.formerly, is_there, refusals))
        renames.list.push_back({table.name, field.name, *from});
    }
  }
  return renames;
}

Tables renamed(Tables tables, const Renames& renames) {
  for (const Rename& rename : renames.list) {
    if (rename.field.empty()) {
      for (Table& table : tables.tables) {
        if (table.name == rename.from) table.name = rename.table;
        for (Field& field : table.fields) {
          if (field.type == FieldType::reference && field.table == rename.from)
            field.table = rename.table;
        }
      }
      continue;
    }
    for (Table& table : tables.tables) {
      if (table.name != rename.table) continue;
      for (Field& field : table.fields) {
        if (field.name == rename.from) field.name = rename.field;
      }
    }
  }
  return tables;
}

}  // namespace tenon::data::schema
