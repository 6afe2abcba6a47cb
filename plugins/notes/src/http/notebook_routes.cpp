#include <string>
#include <utility>

#include <tenon/plugin.hpp>

#include "http/body.hpp"
#include "http/page.hpp"
#include "http/routes.hpp"
#include "store/notebooks.hpp"
#include "store/trash.hpp"

namespace notes::http {
namespace {

tenon::Json notebook_json(const store::Notebook& notebook) {
  return {{"id", notebook.id},
          {"parent", notebook.parent ? tenon::Json(*notebook.parent) : tenon::Json()},
          {"name", notebook.name},
          {"notes", notebook.notes}};
}

tenon::Response list(tenon::Host& host) {
  const auto [notebooks, totals] = host.database().read(
      [](tenon::Read& db) { return std::pair(store::all_notebooks(db), store::totals(db)); });
  tenon::Json items = tenon::Json::array();
  for (const auto& notebook : notebooks)
    items.push_back(notebook_json(notebook));
  return tenon::Response::json({{"items", std::move(items)},
                                {"totals",
                                 {{"notes", totals.notes},
                                  {"unfiled", totals.unfiled},
                                  {"pinned", totals.pinned},
                                  {"trash", totals.trash}}}});
}

tenon::Response create(tenon::Host& host, const tenon::Request& request) {
  Body body(request, {"id", "name", "parent"});
  body.require("name");
  const std::string id = body.id("id").value_or(tenon::new_id());
  const std::string name = body.notebook_name().value_or("");
  const store::Place parent = body.place("parent").value_or(std::nullopt);
  body.done();
  const auto [is_new, notebook] = host.database().transaction([&](tenon::Transaction& db) {
    const auto there = store::find_notebook(db, id);
    if (there && there->name == name && there->parent == parent) return std::pair(false, *there);
    if (there) throw tenon::Error(409, "notes.exists", "There is another notebook with this id.");
    store::require_place(db, parent, "parent");
    return std::pair(true, store::add_notebook(db, id, name, parent));
  });
  return tenon::Response::json(notebook_json(notebook), is_new ? 201 : 200);
}

tenon::Response change(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request);
  Body body(request, {"name", "parent", "before"});
  const store::NotebookChange asked{body.notebook_name(), body.place("parent"),
                                    body.place("before")};
  body.done();
  return tenon::Response::json(notebook_json(host.database().transaction(
      [&](tenon::Transaction& db) { return store::change_notebook(db, id, asked); })));
}

/// One short transaction after the other, so that nobody's save waits for a large notebook.
tenon::Response remove(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request);
  std::int64_t trashed = 0;
  for (bool is_done = false; !is_done;) {
    const auto step = host.database().transaction(
        [&](tenon::Transaction& db) { return store::trash_notebook_step(db, id); });
    trashed += step.trashed;
    is_done = step.is_done;
  }
  return tenon::Response::json({{"trashed", trashed}});
}

}  // namespace

void add_notebook_routes(tenon::Host& host) {
  auto& http = host.http();
  http.get("/notebooks", use, {.summary = "All notebooks, with counts"},
           [&host](const tenon::Request&) { return list(host); });
  http.post("/notebooks", use, {.summary = "Makes a notebook"},
            [&host](const tenon::Request& request) { return create(host, request); });
  http.patch("/notebooks/{id}", use, {.summary = "Renames or moves a notebook"},
             [&host](const tenon::Request& request) { return change(host, request); });
  http.del("/notebooks/{id}", use, {.summary = "Deletes a notebook; its notes go to the trash"},
           [&host](const tenon::Request& request) { return remove(host, request); });
}

}  // namespace notes::http
