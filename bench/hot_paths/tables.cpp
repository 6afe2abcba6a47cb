#include <memory>
#include <stdexcept>
#include <string>

#include "data/json_rows.hpp"
#include "path.hpp"
#include "rooms.hpp"

namespace tenon::bench {

namespace {

constexpr int stored = 1000;
constexpr const char* insert =
    "INSERT INTO tasks (id, title, state, done, priority, created, owner, body) VALUES (?1, ?2, "
    "?3, ?4, ?5, ?6, ?7, ?8)";

std::string id_of(int number) {
  std::string digits = std::to_string(number);
  digits.insert(0, 12 - digits.size(), '0');
  return "0192f3c1-7a00-7000-8000-" + digits;
}

struct Table {
  Table() : database(Rooms::host_options(folder.path() + "/tasks.db")) {
    database.exec(
        "CREATE TABLE tasks (rowid INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT, state "
        "TEXT, done INTEGER, priority INTEGER, created TEXT, owner TEXT, body TEXT) STRICT");
    database.write([this](data::Transaction& transaction) {
      for (int i = 0; i < stored; ++i)
        put(transaction);
    });
  }
  void put(data::Transaction& transaction) {
    transaction.exec(insert, {id_of(next++), "Water the plants", "open", 0, 3,
                              "2026-11-20T12:34:56.789Z", "ada", body});
  }

  Folder folder;
  data::Database database;
  const std::string body = std::string(200, 'b');
  int next = 0;
};

Maker get_json() {
  const auto table = std::make_shared<Table>();
  return one_thread([table, id = id_of(stored / 2), text = std::make_shared<data::JsonText>()] {
    text->clear();
    const auto rows = table->database.append_json(
        data::JsonShape::row, *text,
        "SELECT id, title, state, done, priority, created, owner, body FROM tasks WHERE id = ?1",
        {id});
    if (rows != 1) throw std::runtime_error("the row is not there");
    keep(text->view());
  });
}

Maker list_json() {
  const auto table = std::make_shared<Table>();
  return one_thread([table, text = std::make_shared<data::JsonText>()] {
    text->clear();
    const auto rows = table->database.append_json(
        data::JsonShape::rows, *text,
        "SELECT id, title, state, done, priority, created, owner, body FROM tasks ORDER BY id DESC "
        "LIMIT 50");
    if (rows != 50) throw std::runtime_error("the rows are not there");
    keep(text->view());
  });
}

Maker insert_row() {
  const auto table = std::make_shared<Table>();
  return one_thread([table] {
    table->database.write([&](data::Transaction& transaction) { table->put(transaction); });
  });
}

}  // namespace

std::vector<Path> data_paths() {
  return {
      {"get_json", "one row of 8 fields by its id, as JSON", 1000, get_json},
      {"list_json", "50 rows of 8 fields, as JSON", 100, list_json},
      {"insert", "one durable insert, the queue of writers being empty", 400, insert_row},
  };
}

}  // namespace tenon::bench
