#include "records/search_everywhere.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/json_slice.hpp"
#include "base/json_writer.hpp"
#include "data/database.hpp"
#include "expression/evaluate.hpp"
#include "observability/log.hpp"
#include "records/access.hpp"
#include "records/dialect.hpp"
#include "records/found_query.hpp"
#include "records/limits.hpp"
#include "records/query_text.hpp"
#include "records/search_directory.hpp"
#include "records/search_words.hpp"
#include "routing/lease.hpp"
#include "routing/route.hpp"

namespace tenon::records {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Hit {
  double rank = 0;
  std::string json;
};

struct Question {
  std::string typed;
  std::size_t limit = default_search_hits;
};

Question read_question(std::string_view text) {
  Question question;
  for (auto& [name, value] : parse_query(text)) {
    if (name == "q") {
      question.typed = std::move(value);
    } else if (name == "limit") {
      question.limit = read_limit(value, max_search_hits);
    } else {
      refuse_query(name, "there is no such parameter");
    }
  }
  return question;
}

// The field that stands for a record: the first one that is searched.
const FieldModel* title_of(const TableModel& table, const expression::Context& context) {
  const auto found =
      std::find_if(table.fields.begin(), table.fields.end(), [&](const FieldModel& one) {
        return one.field.searchable && !one.field.hidden && is_seen_always(one, context);
      });
  return found == table.fields.end() ? nullptr : &*found;
}

// One search, plugin by plugin.
class Round {
 public:
  Round(Question question, const expression::Context& context, const SearchTimes& times)
      : question_(std::move(question)),
        context_(context),
        times_(times),
        end_(Clock::now() + times.all) {}

  void ask(const SearchDirectory::Entry& entry) {
    if (!entry.routes->gate().enter()) return;  // it is about to stop
    const routing::Lease lease(&entry.routes->gate());
    const auto end = std::min(Clock::now() + times_.plugin, end_);
    try {
      for (const auto& desk : entry.desks)
        ask(entry.plugin, *desk, end);
    } catch (const base::Error& error) {
      // One plugin holds up no other.
      observability::log_warning("a plugin was not searched to the end",
                                 {{"plugin", entry.plugin}, {"code", error.code()}});
      incomplete_.push_back(entry.plugin);
    }
  }

  std::string answer() {
    std::stable_sort(hits_.begin(), hits_.end(),
                     [](const Hit& left, const Hit& right) { return left.rank < right.rank; });
    if (hits_.size() > question_.limit) hits_.resize(question_.limit);
    std::string text;
    base::JsonWriter json(text);
    json.begin_object().key("items").begin_array();
    for (const Hit& hit : hits_)
      json.raw(hit.json);
    json.end_array().key("incomplete").begin_array();
    for (const std::string& plugin : incomplete_)
      json.value(plugin);
    json.end_array().end_object();
    return text;
  }

 private:
  void ask(const std::string& plugin, const Desk& desk, Clock::time_point end) {
    const TableModel& table = desk.table;
    const FieldModel* shown = title_of(table, context_);
    if (!shown || !lets_some(table.read, context_)) return;
    FieldModel title = *shown;
    title.value = dialect::beginning(title.value, max_hit_title);
    title.member = "title";
    FieldModel rank;
    rank.value = found_rank;
    rank.member = "rank";
    ListQuery query;
    query.sort = rank_sort();
    query.limit = question_.limit;
    auto search = std::make_unique<Search>(
        read_search(table, question_.typed, context_, table.read_slots.slots.size() + 1));
    search->is_ranked = true;
    query.fields = {&title, &search->highlight, &rank};
    query.search = std::move(search);
    const bool sees_all = expression::is_constant(table.read->checked, context_) == true;
    const Statement page =
        found_statement(desk, query, context_, sees_all ? Seen::all : Seen::some);
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    if (left <= milliseconds::zero())
      throw base::Error(503, "records.search_time", "The search took too long.");
    data::JsonText rows;
    desk.database->append_json(data::JsonShape::rows, rows, page.sql, page.cells, left);
    base::JsonSlice(rows.view()).each_element([&](const base::JsonSlice& row) {
      add(plugin, table.table.name, row);
    });
  }

  // The rank tells about records that cannot be seen, and stays here.
  void add(const std::string& plugin, const std::string& table, const base::JsonSlice& row) {
    Hit hit;
    base::JsonWriter json(hit.json);
    json.begin_object().member("plugin", plugin).member("table", table);
    row.each_member([&](const std::string& name, const base::JsonSlice& value) {
      if (name == "rank") {
        hit.rank = value.number();
      } else {
        json.key(name).raw(value.text());
      }
    });
    json.end_object();
    hits_.push_back(std::move(hit));
  }

  const Question question_;
  const expression::Context& context_;
  const SearchTimes& times_;
  const Clock::time_point end_;
  std::vector<Hit> hits_;
  std::vector<std::string> incomplete_;
};

}  // namespace

void SearchEverywhere::handle(const http::ExchangePtr& exchange) {
  const expression::Context context = context_of(*exchange, permissions_);
  Question question = read_question(exchange->request().query);
  const bool has_words = !parse_search(question.typed).empty();
  Round round(std::move(question), context, times_);
  if (has_words) {
    for (const auto& entry : directory_.all())
      round.ask(*entry);
  }
  http::Response& response = exchange->draft();
  response.content_type = "application/json";
  response.with("Cache-Control", "no-store");
  response.set_body(round.answer());
  exchange->answer(std::move(response));
}

}  // namespace tenon::records
