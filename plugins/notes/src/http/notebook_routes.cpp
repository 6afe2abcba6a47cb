#include <string>
#include <utility>
#include <vector>

#include <tenon/plugin.hpp>

#include "http/body.hpp"
#include "http/page.hpp"
#include "http/routes.hpp"
#include "http/shapes.hpp"
#include "store/notebooks.hpp"
#include "store/trash.hpp"

namespace notes::http {
namespace {

struct NotebookView {
  store::Notebook notebook;
  store::Level level = store::Level::none;
  bool is_shared = false;
};

NotebookView view_notebook(store::Scope& scope, const store::Notebook& notebook) {
  return {notebook, scope.level_at(notebook.id), scope.is_shared(notebook.id)};
}

tenon::Json notebook_json(const NotebookView& view, People& people) {
  const store::Notebook& notebook = view.notebook;
  return {{"id", notebook.id},
          {"parent", notebook.parent ? tenon::Json(*notebook.parent) : tenon::Json()},
          {"name", notebook.name},
          {"notes", notebook.notes},
          {"owner", notebook.owner ? people.json(*notebook.owner) : tenon::Json()},
          {"access", store::name_of(view.level)},
          {"shared", view.is_shared}};
}

tenon::Response list_notebooks(tenon::Host& host, const tenon::Request& request) {
  const store::Reader who = reader_of(request);
  const auto [notebooks, totals] = host.database().read([&](tenon::Read& db) {
    store::Scope scope(db, who);
    std::vector<NotebookView> views;
    for (const auto& notebook : store::all_notebooks(scope))
      views.push_back(view_notebook(scope, notebook));
    return std::pair(std::move(views), store::totals(scope));
  });
  People people(host.identity());
  tenon::Json items = tenon::Json::array();
  for (const auto& notebook : notebooks)
    items.push_back(notebook_json(notebook, people));
  return tenon::Response::json({{"items", std::move(items)},
                                {"totals",
                                 {{"notes", totals.notes},
                                  {"unfiled", totals.unfiled},
                                  {"pinned", totals.pinned},
                                  {"shared", totals.shared},
                                  {"trash", totals.trash},
                                  {"trash_own", totals.trash_own}}}});
}

tenon::Response create_notebook(tenon::Host& host, const tenon::Request& request) {
  Body body(request, {"id", "name", "parent"});
  body.require("name");
  const std::string id = body.id("id").value_or(tenon::new_id());
  const std::string name = body.notebook_name().value_or("");
  const store::Location parent = body.location("parent").value_or(std::nullopt);
  body.done();
  const store::Reader who = reader_of(request);
  const auto [is_new, notebook] = host.database().transaction([&](tenon::Transaction& db) {
    store::Scope scope(db, who);
    const auto there = store::find_notebook(db, id);
    const bool is_same = there && there->name == name && there->parent == parent;
    if (is_same && scope.level_at(id) >= store::Level::writer)
      return std::pair(false, view_notebook(scope, *there));
    if (there) throw tenon::Error(409, "notes.exists", "There is another notebook with this id.");
    store::require_location(scope, parent, "parent");
    const auto made = store::add_notebook(db, id, name, parent, who.user);
    store::Scope after(db, who);
    return std::pair(true, view_notebook(after, made));
  });
  People people(host.identity());
  return tenon::Response::json(notebook_json(notebook, people), is_new ? 201 : 200);
}

tenon::Response change(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request);
  Body body(request, {"name", "parent", "before"});
  const store::NotebookChange asked{body.notebook_name(), body.location("parent"),
                                    body.location("before")};
  body.done();
  const store::Reader who = reader_of(request);
  const auto changed = host.database().transaction([&](tenon::Transaction& db) {
    store::Scope scope(db, who);
    const auto notebook = store::change_notebook(scope, id, asked);
    store::Scope after(db, who);
    return view_notebook(after, notebook);
  });
  People people(host.identity());
  return tenon::Response::json(notebook_json(changed, people));
}

/// One short transaction after the other, so that no save waits for a large notebook.
tenon::Response remove_notebook(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request);
  const store::Reader who = reader_of(request);
  std::int64_t trashed = 0;
  for (bool is_done = false; !is_done;) {
    const auto step = host.database().transaction([&](tenon::Transaction& db) {
      store::Scope scope(db, who);
      return store::trash_notebook_step(scope, id);
    });
    trashed += step.trashed;
    is_done = step.is_done;
  }
  return tenon::Response::json({{"trashed", trashed}});
}

}  // namespace

void add_notebook_routes(tenon::Host& host) {
  auto& http = host.http();
  http.get("/notebooks", use, {.summary = "All notebooks, with counts"},
           [&host](const tenon::Request& request) { return list_notebooks(host, request); });
  http.post("/notebooks", use, {.summary = "Makes a notebook"},
            [&host](const tenon::Request& request) { return create_notebook(host, request); });
  http.patch("/notebooks/{id}", use, {.summary = "Renames or moves a notebook"},
             [&host](const tenon::Request& request) { return change(host, request); });
  http.del("/notebooks/{id}", use, {.summary = "Deletes a notebook; its notes go to the trash"},
           [&host](const tenon::Request& request) { return remove_notebook(host, request); });
}

}  // namespace notes::http
