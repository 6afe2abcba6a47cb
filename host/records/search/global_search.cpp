#include "records/search/global_search.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "observability/log.hpp"
#include "records/model/access.hpp"
#include "records/model/limits.hpp"
#include "records/query/list_query.hpp"
#include "records/query/query_text.hpp"
#include "records/search/multi_table_search.hpp"
#include "records/search/search_directory.hpp"
#include "records/search/search_words.hpp"
#include "routing/lease.hpp"
#include "routing/route.hpp"

namespace tenon::records {

namespace {

using Clock = std::chrono::steady_clock;

struct SearchRequest {
  std::string typed;
  std::size_t limit = default_search_hits;
};

SearchRequest read_search_request(std::string_view text) {
  SearchRequest request;
  for (auto& [name, value] : parse_query(text)) {
    if (name == "q") {
      request.typed = std::move(value);
    } else if (name == "limit") {
      request.limit = read_limit(value, max_search_hits);
    } else {
      refuse_query(name, "there is no such parameter");
    }
  }
  return request;
}

// One search, plugin by plugin.
class GlobalSearchRun {
 public:
  GlobalSearchRun(SearchRequest request, const expression::Context& context,
                  const SearchTimes& times)
      : request_(std::move(request)),
        context_(context),
        times_(times),
        end_(Clock::now() + times.all) {}

  void ask(const SearchDirectory::Entry& entry) {
    if (!entry.routes->gate().enter()) return;  // it is about to stop
    const routing::Lease lease(&entry.routes->gate());
    const auto end = std::min(Clock::now() + times_.plugin, end_);
    try {
      for (const auto& table_context : entry.table_contexts)
        ask(entry.plugin, *table_context, end);
    } catch (const base::Error& error) {
      // One plugin holds up no other.
      observability::log_warning("plugin search incomplete",
                                 {{"plugin", entry.plugin}, {"code", error.code()}});
      incomplete_.push_back(entry.plugin);
    }
  }

  std::string to_json() {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object().key("items");
    write_hits(json, std::move(hits_), request_.limit);
    json.key("incomplete").begin_array();
    for (const std::string& plugin : incomplete_)
      json.value(plugin);
    json.end_array().end_object();
    return text;
  }

 private:
  void ask(const std::string& plugin, const TableContext& table_context, Clock::time_point end) {
    find_hits(table_context,
              {.typed = request_.typed,
               .limit = request_.limit,
               .plugin = plugin,
               .timeout = time_until(end)},
              context_, hits_);
  }

  const SearchRequest request_;
  const expression::Context& context_;
  const SearchTimes& times_;
  const Clock::time_point end_;
  std::vector<SearchHit> hits_;
  std::vector<std::string> incomplete_;
};

}  // namespace

void GlobalSearch::handle(const http::ExchangePtr& exchange) {
  const expression::Context context = context_of(*exchange, permissions_);
  SearchRequest request = read_search_request(exchange->request().query);
  const bool has_words = !parse_search(request.typed).empty();
  GlobalSearchRun run(std::move(request), context, times_);
  if (has_words) {
    for (const auto& entry : directory_.all())
      run.ask(*entry);
  }
  http::Response& response = exchange->draft();
  response.content_type = "application/json";
  response.with("Cache-Control", "no-store");
  response.set_body(run.to_json());
  exchange->respond(std::move(response));
}

}  // namespace tenon::records
