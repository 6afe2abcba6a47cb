#include <algorithm>

#include "base/json_writer.hpp"
#include "data_copy/data_copy.hpp"

namespace tenon::console {

bool CopyReport::is_equal() const noexcept {
  return std::all_of(databases.begin(), databases.end(), [](const Database& database) {
    return std::all_of(database.tables.begin(), database.tables.end(),
                       [](const data::copying::Compared& one) { return one.is_equal; });
  });
}

std::string CopyReport::text() const {
  std::string text;
  for (const Database& database : databases) {
    std::int64_t rows = 0;
    bool is_same = true;
    for (const data::copying::Compared& one : database.tables) {
      rows += one.rows;
      if (one.is_equal) continue;
      is_same = false;
      text += database.name + "." + one.table + " differs: " + std::to_string(one.rows) +
              " rows in the source, " + std::to_string(one.other_rows) + " in the target" +
              (one.rows == one.other_rows ? ", not all of them the same" : "") + "\n";
    }
    if (!is_same) continue;
    text += database.name + ": " + std::to_string(database.tables.size()) + " tables, " +
            std::to_string(rows) + " rows, the same on both sides\n";
  }
  return text;
}

std::string CopyReport::json() const {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().member("equal", is_equal()).key("databases").begin_array();
  for (const Database& database : databases) {
    json.begin_object().member("name", database.name).key("tables").begin_array();
    for (const data::copying::Compared& one : database.tables) {
      json.begin_object()
          .member("name", one.table)
          .member("rows", one.rows)
          .member("target_rows", one.other_rows)
          .member("checksum", one.checksum)
          .member("equal", one.is_equal)
          .end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return text;
}

}  // namespace tenon::console
