#include <optional>
#include <string>
#include <utility>

#include <tenon/plugin.hpp>

#include "http/page.hpp"
#include "http/routes.hpp"
#include "http/shapes.hpp"
#include "limits.hpp"
#include "store/lists.hpp"
#include "store/problems.hpp"
#include "store/tags.hpp"

namespace notes::http {
namespace {

store::View view_of(const std::string& name) {
  if (name == "all") return store::View::all;
  if (name == "recent") return store::View::recent;
  if (name == "pinned") return store::View::pinned;
  if (name == "shared") return store::View::shared;
  if (name == "trash") return store::View::trash;
  throw bad_query("view");
}

/// Reads the filters of the list, except the tag, which is looked up by name.
store::ListQuery read_query(const tenon::Request& request) {
  store::ListQuery query;
  query.view = view_of(request.query("view", "all"));
  if (const auto sort = request.query("sort")) {
    const bool is_fixed = query.view == store::View::recent || query.view == store::View::trash;
    if (is_fixed || (*sort != "title" && *sort != "-updated")) throw bad_query("sort");
    query.sort = *sort == "title" ? store::Sort::title : store::Sort::updated;
  }
  if (const auto notebook = request.query("notebook")) {
    const bool is_known = *notebook == "none" || tenon::is_id(*notebook);
    if (query.view != store::View::all || !is_known) throw bad_query("notebook");
    query.is_direct = true;
    if (*notebook != "none") query.location = *notebook;
  }
  if (request.query("tag") && (query.view != store::View::all || query.is_direct))
    throw bad_query("tag");
  return query;
}

std::optional<store::Position> read_cursor(const tenon::Request& request) {
  auto parts = cursor_of(request, 3);
  if (!parts) return std::nullopt;
  return store::Position{parts->at(0) == "1", std::move(parts->at(1)), std::move(parts->at(2))};
}

tenon::Response list_notes(tenon::Host& host, const tenon::Request& request) {
  store::ListQuery query = read_query(request);
  const auto after = read_cursor(request);
  const auto tag_name = request.query("tag");
  const std::int64_t limit = limit_of(request, default_page, max_page);
  const store::Reader who = reader_of(request);
  People people(host.identity());
  return host.database().read([&](tenon::Read& db) {
    store::Scope scope(db, who);
    std::vector<store::NoteRow> rows;
    const auto tag = tag_name ? store::find_tag_named(scope, *tag_name) : std::nullopt;
    if (tag) query.tag = tag->id;
    if (tag || !tag_name) rows = store::list_notes(scope, query, after, limit + 1);
    tenon::Json next;
    if (rows.size() > static_cast<std::size_t>(limit)) {
      rows.pop_back();
      const auto last = store::position_of(rows.back(), query);
      next = make_cursor({last.pinned ? "1" : "0", last.key, last.id});
    }
    return tenon::Response::json(
        {{"items", rows_json(scope, rows, people)}, {"next", std::move(next)}});
  });
}

}  // namespace

void add_list_routes(tenon::Host& host) {
  host.http().get("/notes", use, {.summary = "Notes of a notebook, a tag, the trash, or all"},
                  [&host](const tenon::Request& request) { return list_notes(host, request); });
}

}  // namespace notes::http
