#pragma once

#include <string>
#include <vector>

namespace tenon::data::test {

/// A tables.json with every type and option.
inline constexpr const char* everything = R"({
  "$schema": "https://example.test/tables.schema.json",
  "tables": [
    {"name": "shelves", "description": "Where books stand", "fields": [{"name": "name", "type": "text", "unique": true}]},
    {"name": "books", "timestamps": true, "authorship": true, "version": true,
     "fields": [
       {"name": "title", "type": "text", "description": "As printed", "required": true, "min": 1, "max": 200, "searchable": true,
        "default": "Untitled"},
       {"name": "isbn", "type": "text", "pattern": "^[0-9]{13}$", "unique": true, "hidden": true},
       {"name": "pages", "type": "integer", "min": 1, "max": 100000, "indexed": true, "default": 10},
       {"name": "weight", "type": "number", "min": 0, "max": 99.5, "default": 1},
       {"name": "lent", "type": "boolean", "required": true, "default": false},
       {"name": "bought", "type": "date", "min": "1900-01-01", "default": "@now"},
       {"name": "read", "type": "datetime", "max": "2100-01-01T00:00:00.000Z", "read_only": true},
       {"name": "extra", "type": "json", "default": {"a": [1, "x"]}},
       {"name": "state", "type": "choice", "choices": ["open", "don't"], "default": "open"},
       {"name": "shelf", "type": "reference", "table": "shelves", "on_delete": "clear"},
       {"name": "owner", "type": "user", "required": true}
     ],
     "indexes": [{"fields": ["shelf", "title"], "unique": true}, {"fields": ["state", "id"]}]}
  ]
})";

// A table named t with one field named f.
inline std::string with_field(const std::string& rest) {
  return R"({"tables":[{"name":"t","fields":[{"name":"f",)" + rest + "}]}]}";
}

struct Bad {
  std::string text;
  std::string pointer;
  std::string part;              // of the message
  bool is_for_the_host = false;  // beyond what a JSON Schema can say
};

inline const std::vector<Bad>& bad_files() {
  static const std::vector<Bad> files = {
      {"[]", "", "object"},
      {"{", "", "JSON", true},
      {R"({"tables":[],"tables":[]})", "", "twice", true},
      {"{}", "/tables", "required"},
      {R"({"tables":{}})", "/tables", "array"},
      {R"({"tables":[1]})", "/tables/0", "object"},
      {R"({"tables":[],"extra":1})", "/extra", "unknown key"},
      {R"({"tables":[{"fields":[]}]})", "/tables/0/name", "required"},
      {R"({"tables":[{"name":"t"}]})", "/tables/0/fields", "fields"},
      {R"({"tables":[{"name":"Upper","fields":[]}]})", "/tables/0/name", "not a name"},
      {R"({"tables":[{"name":"a__b","fields":[]}]})", "/tables/0/name", "not a name"},
      {R"({"tables":[{"name":"a_","fields":[]}]})", "/tables/0/name", "not a name"},
      {R"({"tables":[{"name":"sqlite_x","fields":[]}]})", "/tables/0/name", "not yours"},
      {R"({"tables":[{"name":"tenon_x","fields":[]}]})", "/tables/0/name", "not yours"},
      {R"({"tables":[{"name":"t","fields":[]},{"name":"t","fields":[]}]})", "/tables/1/name",
       "twice", true},
      {R"({"tables":[{"name":"t","fields":[],"publish":true}]})", "/tables/0/publish",
       "unknown key"},
      {R"({"tables":[{"name":"t","fields":[],"version":"1"}]})", "/tables/0/version",
       "true or false"},
      {R"({"tables":[{"name":"t","fields":[{"name":"f"}]}]})", "/tables/0/fields/0/type",
       "required"},
      {with_field(R"("type":"txt")"), "/tables/0/fields/0/type", "'txt' is not a type"},
      {with_field(R"("type":"text","lenght":3)"), "/tables/0/fields/0/lenght", "unknown key"},
      {with_field(R"("type":"text","required":"yes")"), "/tables/0/fields/0/required",
       "true or false"},
      {with_field(R"("type":"text","min":"1")"), "/tables/0/fields/0/min", "integer"},
      {with_field(R"("type":"text","max":-1)"), "/tables/0/fields/0/max", "length"},
      {with_field(R"("type":"text","min":3,"max":2)"), "/tables/0/fields/0/max", "less than min",
       true},
      {with_field(R"("type":"text","min":3,"default":"ab")"), "/tables/0/fields/0/default",
       "shorter", true},
      {with_field(R"("type":"text","default":1)"), "/tables/0/fields/0/default", "text"},
      {with_field(R"("type":"text","pattern":"(")"), "/tables/0/fields/0/pattern",
       "regular expression", true},
      {with_field(R"("type":"integer","min":1.5)"), "/tables/0/fields/0/min", "integer"},
      {with_field(R"("type":"integer","default":99999999999999999999)"), "", "JSON", true},
      {with_field(R"("type":"integer","pattern":"x")"), "/tables/0/fields/0/pattern",
       "'text' only"},
      {with_field(R"("type":"integer","searchable":true)"), "/tables/0/fields/0/searchable",
       "'text' only"},
      {with_field(R"("type":"number","max":"1")"), "/tables/0/fields/0/max", "number"},
      {with_field(R"("type":"number","max":1,"default":2)"), "/tables/0/fields/0/default",
       "more than max", true},
      {with_field(R"("type":"boolean","default":1)"), "/tables/0/fields/0/default",
       "true or false"},
      {with_field(R"("type":"boolean","min":0)"), "/tables/0/fields/0/min", "only"},
      {with_field(R"("type":"date","min":"2026-13-01")"), "/tables/0/fields/0/min", "date like",
       true},
      {with_field(R"("type":"date","min":"@now")"), "/tables/0/fields/0/min", "date like", true},
      {with_field(R"("type":"datetime","default":"2026-01-01")"), "/tables/0/fields/0/default",
       "time like"},
      {with_field(R"("type":"json","unique":true)"), "/tables/0/fields/0/unique",
       "cannot be unique"},
      {with_field(R"("type":"json","indexed":true)"), "/tables/0/fields/0/indexed",
       "cannot be indexed"},
      {with_field(R"("type":"choice")"), "/tables/0/fields/0/choices", "at least one"},
      {with_field(R"("type":"choice","choices":[])"), "/tables/0/fields/0/choices", "at least one"},
      {with_field(R"("type":"choice","choices":["a","a"])"), "/tables/0/fields/0/choices/1",
       "twice", true},
      {with_field(R"("type":"choice","choices":["a",1])"), "/tables/0/fields/0/choices/1", "text"},
      {with_field(R"("type":"choice","choices":["a"],"default":"b")"), "/tables/0/fields/0/default",
       "not among", true},
      {with_field(R"("type":"reference")"), "/tables/0/fields/0/table", "required"},
      {with_field(R"("type":"reference","table":"other")"), "/tables/0/fields/0/table",
       "no table 'other'", true},
      {with_field(R"("type":"reference","table":"t","on_delete":"drop")"),
       "/tables/0/fields/0/on_delete", "known are"},
      {with_field(R"("type":"reference","table":"t","on_delete":"clear","required":true)"),
       "/tables/0/fields/0/on_delete", "cannot be cleared"},
      {with_field(R"("type":"reference","table":"t","default":"x")"), "/tables/0/fields/0/default",
       "no default"},
      {with_field(R"("type":"user","on_delete":"clear")"), "/tables/0/fields/0/on_delete", "only"},
      {R"({"tables":[{"name":"t","fields":[{"name":"id","type":"text"}]}]})",
       "/tables/0/fields/0/name", "every record"},
      {R"({"tables":[{"name":"t","fields":[{"name":"rowid","type":"integer"}]}]})",
       "/tables/0/fields/0/name", "every record"},
      {R"({"tables":[{"name":"t","timestamps":true,"fields":[{"name":"created","type":"date"}]}]})",
       "/tables/0/fields/0/name", "timestamps", true},
      {R"({"tables":[{"name":"t","fields":[{"name":"f","type":"text"},{"name":"f","type":"text"}]}]})",
       "/tables/0/fields/1/name", "twice", true},
      {R"({"tables":[{"name":"t","fields":[],"indexes":[{"fields":["g"]}]}]})",
       "/tables/0/indexes/0/fields/0", "no field 'g'", true},
      {R"({"tables":[{"name":"t","fields":[],"indexes":[{"fields":[]}]}]})",
       "/tables/0/indexes/0/fields", "at least one"},
      {R"({"tables":[{"name":"t","fields":[],"indexes":[{}]}]})", "/tables/0/indexes/0/fields",
       "at least one"},
      {R"({"tables":[{"name":"t","fields":[],"indexes":[{"fields":["id"],"name":"x"}]}]})",
       "/tables/0/indexes/0/name", "unknown key"},
      {R"({"tables":[{"name":"t","fields":[],"indexes":[{"fields":["id"]},{"fields":["id"]}]}]})",
       "/tables/0/indexes/1/fields", "twice", true},
  };
  return files;
}

}  // namespace tenon::data::test
