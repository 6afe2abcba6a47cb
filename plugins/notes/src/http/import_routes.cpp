#include <string>
#include <utility>
#include <vector>

#include <tenon/plugin.hpp>

#include "http/body.hpp"
#include "http/routes.hpp"
#include "limits.hpp"
#include "store/imports.hpp"
#include "store/notebooks.hpp"

namespace notes::http {
namespace {

/// A batch of 100 files is a fraction of this.
constexpr std::chrono::seconds import_deadline{60};

/// Reads one file; false when its shape is wrong.
bool read_file(const tenon::Json& json, store::ImportFile& file) {
  if (!json.is_object()) return false;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_string()) return false;
    if (name == "path") {
      file.path = value.get<std::string>();
    } else if (name == "text") {
      file.text = value.get<std::string>();
    } else if (name == "modified") {
      const auto time = tenon::parse_rfc3339(value.get<std::string>());
      if (!time) return false;
      // A clock that runs ahead must not put a note on top for ever.
      file.modified = tenon::rfc3339(std::min(*time, tenon::now()));
    } else {
      return false;
    }
  }
  return json.contains("path") && json.contains("text");
}

std::vector<store::ImportFile> read_files(Body& body) {
  body.require("files");
  const tenon::Json& list = body.raw("files");
  if (!list.is_array()) {
    if (body.has("files")) body.wrong("files", "wrong_type", "This must be a list of files.");
    return {};
  }
  if (list.size() > max_import_files) {
    body.wrong("files", "too_many",
               "At most " + std::to_string(max_import_files) + " files at once.");
    return {};
  }
  std::vector<store::ImportFile> files(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (read_file(list[i], files[i])) continue;
    body.wrong("files." + std::to_string(i), "wrong_value",
               "A file is path and text, and the time it was modified.");
  }
  return files;
}

tenon::Json result_json(const std::string& path, const store::Imported& imported) {
  tenon::Json json = {{"path", path}, {"result", store::name_of(imported.result)}};
  const auto add = [&json](const char* name, const std::string& value) {
    if (!value.empty()) json[name] = value;
  };
  add("note", imported.note);
  add("file", imported.file);
  add("code", imported.code);
  add("message", imported.message);
  return json;
}

tenon::Response import(tenon::Host& host, const tenon::Request& request) {
  Body body(request, {"import", "notebook", "files"});
  body.require("import");
  const store::Import batch{body.id("import").value_or(""),
                            body.location("notebook").value_or(std::nullopt)};
  const store::Reader who = reader_of(request);
  const auto files = read_files(body);
  body.done();
  const auto imported = host.database().transaction(
      [&](tenon::Transaction& db) {
        store::Scope scope(db, who);
        if (scope.level_at(batch.location) < store::Level::writer) {
          throw tenon::Error(404, "notes.notebook_gone",
                             "The notebook to import into is not here (any more).");
        }
        return store::import_files(scope, batch, files);
      },
      import_deadline);
  tenon::Json json = {{"results", tenon::Json::array()},
                      {"created", 0},
                      {"unchanged", 0},
                      {"skipped", 0},
                      {"failed", 0}};
  for (std::size_t i = 0; i < imported.size(); ++i) {
    json["results"].push_back(result_json(files[i].path, imported[i]));
    auto& count = json[std::string(store::name_of(imported[i].result))];
    count = count.get<std::int64_t>() + 1;
  }
  return tenon::Response::json(json);
}

}  // namespace

void add_import_routes(tenon::Host& host) {
  host.http().post("/import", use, {.summary = "Takes a batch of Markdown files"},
                   [&host](const tenon::Request& request) { return import(host, request); });
}

}  // namespace notes::http
