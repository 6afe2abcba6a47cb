#include "expression/tests/world.hpp"

#include <algorithm>
#include <limits>

#include "base/json_writer.hpp"
#include "schema/ddl.hpp"

namespace tenon::expression::test {

using data::schema::Field;
using data::schema::FieldType;
using data::schema::Table;
using data::schema::Tables;

const std::vector<std::string> texts = {"",       "a",    "A",   "ab",  "Äpfel", "äpfel",
                                        "日本語", "a%b",  "x_y", " a ", "it's",  "back\\slash",
                                        "é😀",     "todo", "10",  "9",   "zebra", "Zebra"};
const std::vector<std::int64_t> integers = {0,
                                            1,
                                            -1,
                                            2,
                                            3,
                                            7,
                                            42,
                                            -100,
                                            9007199254740993,
                                            std::numeric_limits<std::int64_t>::max(),
                                            std::numeric_limits<std::int64_t>::min()};
const std::vector<double> numbers = {0.0, 0.5,   -0.5,   1.0,    1.5,    -2.5,   42.0, 0.1,
                                     1e3, 1e308, -1e308, 1e-308, 5e-324, 9.3e18, 2.0,  1e160};
const std::vector<std::string> dates = {"2024-02-29", "2026-01-31", "2026-11-22", "1999-12-31"};
const std::vector<std::string> datetimes = {"2024-02-29T00:00:00.000Z", "2026-11-22T04:00:00.123Z",
                                            "2026-11-21T23:59:59.999Z", "1999-12-31T12:30:00.000Z"};
const std::vector<std::string> stages = {"todo", "doing", "done"};

namespace {

Field field(std::string name, FieldType type) {
  Field made;
  made.name = std::move(name);
  made.type = type;
  return made;
}
Field reference(std::string name, std::string table, bool is_many = false) {
  Field made = field(std::move(name), FieldType::reference);
  made.table = std::move(table);
  made.many = is_many;
  return made;
}
Field many(Field one) {
  one.many = true;
  return one;
}
Field required(Field one) {
  one.required = true;
  return one;
}
Field choice(std::string name) {
  Field made = field(std::move(name), FieldType::choice);
  made.choices = stages;
  return made;
}

std::string json_of(const std::vector<std::string>& members, bool are_json) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_array();
  for (const auto& member : members)
    are_json ? json.raw(member) : json.value(member);
  json.end_array();
  return text;
}

data::Cell cell_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

std::string_view column_type(FieldType type, Dialect dialect) {
  if (dialect == Dialect::sqlite) return data::schema::storage_of(type);
  switch (type) {
    case FieldType::integer:
      return "bigint";
    case FieldType::number:
      return "double precision";
    case FieldType::boolean:
      return "boolean";
    default:
      return "text";
  }
}

}  // namespace

Tables world_tables() {
  Tables tables;
  Table cards;
  cards.name = "cards";
  cards.timestamps = true;
  cards.authorship = true;
  cards.version = true;
  Field secret = field("secret", FieldType::text);
  secret.hidden = true;
  cards.fields = {field("title", FieldType::text),
                  required(field("code", FieldType::text)),
                  field("count", FieldType::integer),
                  required(field("rank", FieldType::integer)),
                  field("price", FieldType::number),
                  field("done", FieldType::boolean),
                  required(field("shown", FieldType::boolean)),
                  field("due", FieldType::date),
                  field("seen", FieldType::datetime),
                  choice("stage"),
                  many(choice("tags")),
                  field("meta", FieldType::json),
                  field("cover", FieldType::blob),
                  many(field("files", FieldType::blob)),
                  reference("board", "boards"),
                  reference("parent", "cards"),
                  reference("contact", "crm:contacts"),
                  reference("team", "core:groups"),
                  field("owner", FieldType::user),
                  many(field("assignees", FieldType::user)),
                  reference("sign", "labels"),
                  reference("labels", "labels", true),
                  reference("related", "cards", true),
                  reference("teams", "core:groups", true),
                  secret};
  Table boards;
  boards.name = "boards";
  boards.fields = {required(field("name", FieldType::text)),
                   field("open", FieldType::boolean),
                   field("limit", FieldType::number),
                   field("lead", FieldType::user),
                   reference("top", "cards"),
                   reference("marks", "labels", true)};
  Table labels;
  labels.name = "labels";
  labels.fields = {field("name", FieldType::text), field("weight", FieldType::integer),
                   field("made", FieldType::date), reference("board", "boards"),
                   many(choice("shades")),         many(field("fans", FieldType::user))};
  tables.tables = {cards, boards, labels};
  return tables;
}

std::vector<std::string> ids_of(std::string_view table) {
  const std::size_t count = table == "cards" ? 24 : 5;
  std::string prefix(table);
  std::replace(prefix.begin(), prefix.end(), ':', '-');
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < count; ++i)
    ids.push_back(prefix + "-" + std::to_string(i));
  return ids;
}

Value MemoryRecord::value(std::string_view field) const {
  const auto found = values.find(field);
  return found == values.end() ? Value() : found->second;
}
std::vector<std::string> MemoryRecord::members(std::string_view field) const {
  const auto found = many.find(field);
  return found == many.end() ? std::vector<std::string>() : found->second;
}

World::World(Random& random) {
  for (const Table& table : tables.tables) {
    for (const auto& id : ids_of(table.name)) {
      auto record = std::make_shared<MemoryRecord>();
      record->values["id"] = id;
      fill(table, *record, random);
      records_[table.name][id] = std::move(record);
    }
  }
}

void World::fill(const Table& table, MemoryRecord& record, Random& random) {
  for (const Field& one : table.all_fields()) {
    const auto target = one.target();
    const std::string whole = target.is_own()
                                  ? std::string(target.table)
                                  : std::string(target.plugin) + ":" + std::string(target.table);
    const bool is_id = one.type == FieldType::reference || one.type == FieldType::user;
    if (one.many) {
      const std::vector<std::string> files = {R"({"id":"00"})", R"({"id":"01"})"};
      const auto pool = is_id ? ids_of(whole) : one.type == FieldType::choice ? stages : files;
      auto& members = record.many[one.name];
      for (const auto& member : pool) {
        if (below(random, 3) == 0) members.push_back(member);
      }
      continue;
    }
    if (!one.required && below(random, 4) == 0) continue;
    Value& value = record.values[one.name];
    switch (one.type) {
      case FieldType::text:
        value = one_of(random, texts);
        break;
      case FieldType::integer:
        value = one_of(random, integers);
        break;
      case FieldType::number:
        value = one_of(random, numbers);
        break;
      case FieldType::boolean:
        value = static_cast<std::int64_t>(below(random, 2));
        break;
      case FieldType::date:
        value = one_of(random, dates);
        break;
      case FieldType::datetime:
        value = one_of(random, datetimes);
        break;
      case FieldType::choice:
        value = one_of(random, stages);
        break;
      case FieldType::json:
      case FieldType::blob:
        value = std::string(R"({"id":"00"})");
        break;
      default:
        value = one_of(random, ids_of(whole));
    }
  }
}

std::shared_ptr<const Record> World::find(std::string_view table, std::string_view id) {
  const auto rows = records_.find(table);
  if (rows == records_.end()) return nullptr;
  const auto found = rows->second.find(std::string(id));
  return found == rows->second.end() ? nullptr : found->second;
}

void World::write(TestEngine& engine) const {
  const char mark = engine.dialect() == Dialect::sqlite ? '?' : '$';
  const std::string end = engine.dialect() == Dialect::sqlite ? ") STRICT" : ")";
  for (const Table& table : tables.tables) {
    const auto fields = table.column_fields();
    std::string columns = "\"id\" TEXT NOT NULL UNIQUE";
    for (const Field& one : fields) {
      columns.append(", ").append(data::schema::quoted(one.name)).append(" ");
      columns.append(column_type(one.type, engine.dialect()));
    }
    engine.run("CREATE TABLE " + data::schema::quoted(table.name) + " (" + columns + end, {});
    for (const Field& one : table.fields) {
      if (!one.is_link()) continue;
      const auto link = data::schema::quoted(data::schema::link_table(table.name, one.name));
      engine.run("CREATE TABLE " + link +
                     " (\"record\" TEXT NOT NULL, \"target\" TEXT NOT NULL, \"position\" INTEGER "
                     "NOT NULL, UNIQUE (\"record\", \"target\")" +
                     end,
                 {});
      for (const auto& [id, record] : records_.at(table.name)) {
        std::int64_t position = 0;
        for (const auto& target : record->members(one.name)) {
          engine.run(
              "INSERT INTO " + link + " VALUES (" + mark + "1, " + mark + "2, " + mark + "3)",
              {id, target, position++});
        }
      }
    }
    for (const auto& [id, record] : records_.at(table.name)) {
      std::string places = std::string(1, mark) + "1";
      std::vector<Value> values = {id};
      for (const Field& one : fields) {
        places.append(", ").append(1, mark).append(std::to_string(values.size() + 1));
        if (!one.many) {
          values.push_back(record->value(one.name));
          continue;
        }
        // None is kept as null or as an empty array.
        const auto members = record->members(one.name);
        const bool is_null = members.empty() && id.back() % 2 == 0;
        values.push_back(is_null ? Value() : json_of(members, one.type == FieldType::blob));
      }
      std::vector<data::Cell> cells;
      for (const Value& value : values)
        cells.push_back(cell_of(value));
      engine.run("INSERT INTO " + data::schema::quoted(table.name) + " VALUES (" + places + ")",
                 cells);
    }
  }
}

}  // namespace tenon::expression::test
