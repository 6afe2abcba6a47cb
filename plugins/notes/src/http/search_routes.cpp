#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/plugin.hpp>

#include "http/page.hpp"
#include "http/routes.hpp"
#include "http/shapes.hpp"
#include "limits.hpp"
#include "store/problems.hpp"
#include "store/search.hpp"
#include "store/tags.hpp"
#include "text/search_terms.hpp"
#include "text/utf8.hpp"

namespace notes::http {
namespace {

tenon::Json segments_json(std::string_view marked) {
  tenon::Json segments = tenon::Json::array();
  for (const auto& segment : text::segments(marked)) {
    segments.push_back({{"text", segment.text}, {"match", segment.match}});
  }
  return {{"segments", std::move(segments)}};
}

std::int64_t offset_of(const tenon::Request& request) {
  const auto parts = cursor_of(request, 1);
  if (!parts) return 0;
  const std::string& text = parts->front();
  std::int64_t offset = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
  if (error != std::errc() || end != text.data() + text.size() || offset < 0 ||
      offset > max_search_results) {
    throw bad_query("cursor");
  }
  return offset;
}

tenon::Json hits_json(store::Scope& scope, const std::vector<store::SearchHit>& hits,
                      People& people) {
  tenon::Json ids = tenon::Json::array();
  for (const auto& hit : hits)
    ids.push_back(hit.id);
  const auto rows = store::notes_by_id(scope.db(), tenon::to_text(ids));
  auto shapes = rows_json(scope, rows, people);
  std::map<std::string_view, tenon::Json*> by_id;
  for (std::size_t i = 0; i < rows.size(); ++i)
    by_id[rows[i].id] = &shapes[i];
  tenon::Json items = tenon::Json::array();
  for (const auto& hit : hits) {
    const auto row = by_id.find(hit.id);
    if (row == by_id.end()) continue;
    items.push_back({{"note", std::move(*row->second)},
                     {"title", segments_json(hit.title)},
                     {"snippet", segments_json(hit.snippet)}});
  }
  return items;
}

tenon::Response search(tenon::Host& host, const tenon::Request& request) {
  const auto terms = text::search_terms(request.query("q", ""));
  const auto tag_name = request.query("tag");
  const std::int64_t offset = offset_of(request);
  const std::int64_t limit = std::min(limit_of(request, default_search_page, max_search_page),
                                      max_search_results - offset);
  People people(host.identity());
  const store::Reader who = reader_of(request);
  return host.database().read([&](tenon::Read& db) {
    store::Scope scope(db, who);
    const auto tag = tag_name ? store::find_tag_named(scope, *tag_name) : std::nullopt;
    std::vector<store::SearchHit> hits;
    if (!terms.empty() && limit > 0 && (tag || !tag_name)) {
      hits = store::search(scope, terms, tag ? std::optional(tag->id) : std::nullopt, limit + 1,
                           offset);
    }
    tenon::Json next;
    if (hits.size() > static_cast<std::size_t>(limit)) {
      hits.pop_back();
      if (offset + limit < max_search_results) next = make_cursor({std::to_string(offset + limit)});
    }
    return tenon::Response::json(
        {{"items", hits_json(scope, hits, people)}, {"next", std::move(next)}});
  });
}

tenon::Response suggest(tenon::Host& host, const tenon::Request& request) {
  const std::string query = request.query("q", "");
  const std::string typed(text::first(query, text::max_search_characters));
  const std::string except = request.query("except", "");
  const std::int64_t limit = limit_of(request, default_suggestions, max_suggestions);
  const store::Reader who = reader_of(request);
  const auto found = host.database().read([&](tenon::Read& db) {
    store::Scope scope(db, who);
    return store::suggest(scope, typed, except, limit);
  });
  tenon::Json items = tenon::Json::array();
  for (const auto& each : found) {
    items.push_back({{"id", each.id},
                     {"title", each.title},
                     {"notebook", each.notebook ? tenon::Json(*each.notebook) : tenon::Json()}});
  }
  return tenon::Response::json({{"items", std::move(items)}});
}

}  // namespace

void add_search_routes(tenon::Host& host) {
  auto& http = host.http();
  http.get("/search", use, {.summary = "Full-text search with snippets"},
           [&host](const tenon::Request& request) { return search(host, request); });
  http.get("/suggest", use, {.summary = "Notes to link to, by the beginning of a title"},
           [&host](const tenon::Request& request) { return suggest(host, request); });
}

}  // namespace notes::http
