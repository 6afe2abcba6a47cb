#include "records/api/batch.hpp"

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/json_writer.hpp"
#include "records/model/limits.hpp"
#include "records/service/writer.hpp"

namespace tenon::records {

namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw base::Error(400, "records.bad_body", what);
}

std::string location(const char* list, std::size_t index) {
  return std::string(list) + "/" + std::to_string(index);
}

// Reads the elements of one list, and gathers what is wrong with them.
class BatchReader {
 public:
  explicit BatchReader(const TableModel& table) : table_(table) {}

  /// `key` is null but for upserts.
  void bodies(const char* list, const base::JsonSlice& json, Kind kind, const UpsertKey* key,
              std::vector<Body>& out) {
    each(list, json, [&](const base::JsonSlice& element) {
      Body body = read_body(table_, element, kind);
      if (kind == Kind::update_named && body.id.empty())
        body.errors.push_back({"id", "required", "Say which record."});
      if (key) check_key(*key, body);
      for (base::FieldError& error : body.errors)
        errors.push_back({location(list, out.size()) + "/" + error.field, std::move(error.code),
                          std::move(error.message)});
      body.errors.clear();
      out.push_back(std::move(body));
    });
  }
  void ids(const base::JsonSlice& json, std::vector<std::string>& out) {
    each("delete", json, [&](const base::JsonSlice& element) {
      out.push_back(element.type() == base::JsonType::string ? element.string() : "");
      if (!base::is_id(out.back()))
        errors.push_back(
            {location("delete", out.size() - 1), "type", "This is the id of a record."});
    });
  }

  std::vector<base::FieldError> errors;

 private:
  template <typename Take>
  void each(const char* list, const base::JsonSlice& json, Take&& take) {
    if (json.type() != base::JsonType::array) refuse(std::string(list) + " is a list.");
    json.each_element([&](const base::JsonSlice& element) {
      if (++count_ > max_batch)
        refuse("A batch has at most " + std::to_string(max_batch) + " changes.");
      take(element);
    });
  }

  const TableModel& table_;
  std::size_t count_ = 0;
};

// Runs one change; its error names it.
template <typename Change>
void named(const char* list, std::size_t index, Change&& change) {
  try {
    change();
  } catch (const base::Error& error) {
    std::vector<base::FieldError> fields = error.fields();
    for (base::FieldError& field : fields)
      field.field = location(list, index) + "/" + field.field;
    if (fields.empty()) fields.push_back({location(list, index), error.code(), error.message()});
    throw base::Error(error.status(), error.code(), error.message(), std::move(fields));
  }
}

}  // namespace

Batch read_batch(const TableModel& table, const base::JsonSlice& json, const UpsertKey* key) {
  if (json.text().empty() || json.type() != base::JsonType::object)
    refuse("A batch is a JSON object.");
  Batch batch;
  if (key) batch.key = *key;
  BatchReader reader(table);
  json.each_member([&](const std::string& name, const base::JsonSlice& value) {
    if (name == "create")
      reader.bodies("create", value, Kind::create, nullptr, batch.create);
    else if (name == "update")
      reader.bodies("update", value, Kind::update_named, nullptr, batch.update);
    else if (name == "upsert" && key)
      reader.bodies("upsert", value, Kind::create, key, batch.upsert);
    else if (name == "upsert")
      refuse("An upsert needs the parameter key.");
    else if (name == "delete")
      reader.ids(value, batch.remove);
    else
      refuse("A batch has create, update, upsert and delete, and no '" + name + "'.");
  });
  if (!reader.errors.empty()) throw invalid(std::move(reader.errors));
  return batch;
}

std::string run_batch(const Batch& batch, Writer& writer) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().key("create").begin_array();
  for (std::size_t i = 0; i < batch.create.size(); ++i)
    named("create", i, [&] { json.raw(writer.show(writer.create(batch.create[i]))); });
  json.end_array().key("update").begin_array();
  for (std::size_t i = 0; i < batch.update.size(); ++i) {
    named("update", i, [&] {
      writer.update(batch.update[i].id, batch.update[i], {});
      json.raw(writer.show(batch.update[i].id));
    });
  }
  json.end_array().key("upsert").begin_array();
  for (std::size_t i = 0; i < batch.upsert.size(); ++i) {
    named("upsert", i,
          [&] { json.raw(writer.show(writer.upsert(batch.upsert[i], batch.key, {}).id)); });
  }
  json.end_array().key("delete").begin_array();
  for (std::size_t i = 0; i < batch.remove.size(); ++i) {
    named("delete", i, [&] {
      writer.remove(batch.remove[i], {});
      json.value(batch.remove[i]);
    });
  }
  json.end_array().end_object();
  return text;
}

}  // namespace tenon::records
