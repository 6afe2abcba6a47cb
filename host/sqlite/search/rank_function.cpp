#include "sqlite/search/rank_function.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include "base/error.hpp"
#include "data/search.hpp"
#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/search/fts5.hpp"
#include "sqlite/search/search_text.hpp"

namespace tenon::data::sqlite {

namespace {

// Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), 3.4, with
// the values of FTS5.
constexpr double saturation = 1.2;
constexpr double length_share = 0.75;
constexpr double min_rarity = 1e-6;  // of a phrase that most records have
// A prefix with more words counts once per record: reading each word of it would take longer.
constexpr int max_group_phrases = 16;

struct RankError {
  int code;
};

void check(int code) {
  if (code != SQLITE_OK) throw RankError{code};
}

struct PhraseGroup {
  int first = 0;
  int count = 1;
  double rarity = 1;
};

// The state of one search, from its first match to its last.
struct Ranking {
  std::vector<double> weights;
  std::vector<PhraseGroup> groups;
  double mean_length = 1;
  std::int64_t matches = 0;
};

constexpr std::int64_t max_counted_matches = max_ranked_matches(Dialect::sqlite);

// "[8,1]", up to the first value that is not a number.
std::vector<double> read_weights(std::string_view json) {
  std::vector<double> weights;
  while (!json.empty() && (json.front() == '[' || json.front() == ',')) {
    double weight = 1;
    const auto [end, error] = std::from_chars(json.data() + 1, json.data() + json.size(), weight);
    if (error != std::errc{}) break;
    weights.push_back(weight);
    json.remove_prefix(static_cast<std::size_t>(end - json.data()));
  }
  return weights;
}

int count_match(const Fts5ExtensionApi* /*api*/, Fts5Context* /*context*/, void* count) noexcept {
  return ++*static_cast<std::int64_t*>(count) < max_counted_matches ? SQLITE_OK : SQLITE_DONE;
}

double rarity_of(const Fts5ExtensionApi& api, Fts5Context* context, const PhraseGroup& group,
                 std::int64_t records) {
  std::int64_t found = 0;
  for (int i = 0; i < group.count && found < max_counted_matches; ++i)
    check(api.xQueryPhrase(context, group.first + i, &found, &count_match));
  const double rarity = std::log((static_cast<double>(records) - static_cast<double>(found) + 0.5) /
                                 (static_cast<double>(found) + 0.5));
  return rarity > min_rarity ? rarity : min_rarity;  // also where it is not a number
}

std::unique_ptr<Ranking> start_ranking(const Fts5ExtensionApi& api, Fts5Context* context,
                                       sqlite3_value** values) {
  auto ranking = std::make_unique<Ranking>();
  ranking->weights = read_weights(function_text(values[0]));
  sqlite3_int64 records = 0;
  sqlite3_int64 words = 0;
  check(api.xRowCount(context, &records));
  check(api.xColumnTotalSize(context, -1, &words));
  if (records > 0 && words > 0)
    ranking->mean_length = static_cast<double>(words) / static_cast<double>(records);
  // The expression has the phrases of the terms in this order (ranked_match.cpp).
  auto& tokenizer = *static_cast<SearchTokenizer*>(api.xUserData(context));
  const SearchRequest request = read_request(tokenizer, function_text(values[1]));
  int phrases = api.xPhraseCount(context);
  for (const SearchTerm& term : request.terms) {
    if (term.is_excluded && term.words.size() > 0) --phrases;
  }
  for (const SearchTerm& term : request.terms) {
    const int first = static_cast<int>(ranking->groups.size());
    if (term.is_excluded || term.words.size() == 0 || first >= phrases) continue;
    ranking->groups.push_back({.first = first, .count = term.is_beginning ? phrases - first : 1});
  }
  for (PhraseGroup& group : ranking->groups)
    group.rarity = rarity_of(api, context, group, records);
  return ranking;
}

double frequency_of(const Fts5ExtensionApi& api, Fts5Context* context, const PhraseGroup& group,
                    const std::vector<double>& weights) {
  if (group.count > max_group_phrases) return 1;
  double frequency = 0;
  for (int i = 0; i < group.count; ++i) {
    Fts5PhraseIter position{};
    int column = 0;
    int offset = 0;
    check(api.xPhraseFirst(context, group.first + i, &position, &column, &offset));
    while (column >= 0) {
      const auto number = static_cast<std::size_t>(column);
      frequency += number < weights.size() ? weights[number] : 1.0;
      api.xPhraseNext(context, &position, &column, &offset);
    }
  }
  return frequency;
}

double rank_of(const Fts5ExtensionApi& api, Fts5Context* context, Ranking& ranking) {
  double length = ranking.mean_length;
  if (++ranking.matches <= max_length_reads) {
    int words = 0;
    check(api.xColumnSize(context, -1, &words));
    length = words;
  }
  double score = 0;
  for (const PhraseGroup& group : ranking.groups) {
    const double frequency = frequency_of(api, context, group, ranking.weights);
    score += group.rarity *
             (frequency * (saturation + 1) /
              (frequency +
               saturation * (1 - length_share + length_share * length / ranking.mean_length)));
  }
  return -score;
}

void rank_match(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result,
                int count, sqlite3_value** values) noexcept {
  if (count != 2) {
    sqlite3_result_error(result, "tenon_rank_order() expects an index, weights and a request", -1);
    return;
  }
  try {
    auto* ranking = static_cast<Ranking*>(api->xGetAuxdata(context, 0));
    if (ranking == nullptr) {
      auto started = start_ranking(*api, context, values);
      ranking = started.get();
      // FTS5 deletes the ranking, also if xSetAuxdata fails.
      check(api->xSetAuxdata(context, started.release(),
                             [](void* old) { delete static_cast<Ranking*>(old); }));
    }
    sqlite3_result_double(result, rank_of(*api, context, *ranking));
  } catch (const RankError& error) {
    sqlite3_result_error_code(result, error.code);
  } catch (const base::Error& error) {
    sqlite3_result_error(result, error.what(), -1);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(result);
  }
}

}  // namespace

void add_rank_function(sqlite3* db) {
  fts5_api* fts5 = fts5_of(db);
  if (fts5 == nullptr) throw sqlite_error(db, SQLITE_ERROR);
  auto tokenizer = std::make_unique<SearchTokenizer>(db);
  const int code = fts5->xCreateFunction(
      fts5, "tenon_rank_order", static_cast<void*>(tokenizer.get()), &rank_match,
      [](void* old) { delete static_cast<SearchTokenizer*>(old); });
  if (code != SQLITE_OK) throw sqlite_error(db, code);
  static_cast<void>(tokenizer.release());
}

}  // namespace tenon::data::sqlite
