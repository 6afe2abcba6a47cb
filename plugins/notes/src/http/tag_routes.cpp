#include <string>
#include <utility>

#include <tenon/plugin.hpp>

#include "http/body.hpp"
#include "http/page.hpp"
#include "http/routes.hpp"
#include "limits.hpp"
#include "store/problems.hpp"
#include "store/tags.hpp"
#include "text/keys.hpp"

namespace notes::http {
namespace {

tenon::Json tag_json(const store::Tag& tag) {
  return {{"id", tag.id}, {"name", tag.name}, {"notes", tag.notes}};
}

store::Tag need_tag(store::Scope& scope, const std::string& id) {
  auto tag = store::find_tag(scope, id);
  if (!tag) throw not_found();
  return *std::move(tag);
}

tenon::Response list_tags(tenon::Host& host, const tenon::Request& request) {
  const auto after = cursor_of(request, 1);
  const std::int64_t limit = limit_of(request, max_tag_page, max_tag_page);
  const store::Reader who = reader_of(request);
  auto tags = host.database().read([&](tenon::Read& db) {
    store::Scope scope(db, who);
    return store::list_tags(scope, after ? after->front() : "", limit + 1);
  });
  tenon::Json next;
  if (tags.size() > static_cast<std::size_t>(limit)) {
    tags.pop_back();
    next = make_cursor({text::fold(tags.back().name)});
  }
  tenon::Json items = tenon::Json::array();
  for (const auto& tag : tags)
    items.push_back(tag_json(tag));
  return tenon::Response::json({{"items", std::move(items)}, {"next", std::move(next)}});
}

tenon::Response rename(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request);
  Body body(request, {"name", "merge"});
  body.require("name");
  const std::string name = body.tag_name().value_or("");
  const bool merge = body.flag("merge").value_or(false);
  body.done();
  const store::Reader who = reader_of(request);
  return tenon::Response::json(tag_json(host.database().transaction([&](tenon::Transaction& db) {
    store::Scope scope(db, who);
    return store::rename_tag(scope, need_tag(scope, id), name, merge);
  })));
}

tenon::Response remove_tag(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request);
  const store::Reader who = reader_of(request);
  store::Scope now(host.database(), who);
  static_cast<void>(need_tag(now, id));
  while (!host.database().transaction([&](tenon::Transaction& db) {
    store::Scope scope(db, who);
    return store::remove_tag_step(scope, id);
  })) {
  }
  return tenon::Response::empty();
}

}  // namespace

void add_tag_routes(tenon::Host& host) {
  auto& http = host.http();
  http.get("/tags", use, {.summary = "Tags with counts"},
           [&host](const tenon::Request& request) { return list_tags(host, request); });
  http.patch("/tags/{id}", use, {.summary = "Renames a tag, or merges it into another"},
             [&host](const tenon::Request& request) { return rename(host, request); });
  http.del("/tags/{id}", use, {.summary = "Takes a tag from all notes"},
           [&host](const tenon::Request& request) { return remove_tag(host, request); });
}

}  // namespace notes::http
