#include "data/sqlite/search_rank.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "data/sqlite/fts5.hpp"
#include "data/sqlite/search_lengths.hpp"
#include "data/sqlite/sqlite_error.hpp"

namespace tenon::data::sqlite {

namespace {

// Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), 3.4; the
// values are those of FTS5.
constexpr double saturation = 1.2;
constexpr double length_share = 0.75;
// Of a phrase that stands in most records.
constexpr double least_weight = 1e-6;

// What one of SQLite's functions failed with.
struct Failure {
  int code = SQLITE_OK;
};

void check(int code) {
  if (code != SQLITE_OK) throw Failure{code};
}

// What is the same for all matches of a search.
struct Asked {
  double mean_length = 0;             // words of a record
  std::vector<double> phrase_weight;  // the rarer, the more
  std::vector<double> frequency;      // room: how often each phrase is in a record, weighted
};

int count_record(const Fts5ExtensionApi* /*api*/, Fts5Context* /*index*/, void* count) noexcept {
  ++*static_cast<sqlite3_int64*>(count);
  return SQLITE_OK;
}

std::unique_ptr<Asked> read_asked(const Fts5ExtensionApi& api, Fts5Context* index) {
  auto asked = std::make_unique<Asked>();
  sqlite3_int64 records = 0;
  sqlite3_int64 words = 0;
  check(api.xRowCount(index, &records));
  check(api.xColumnTotalSize(index, -1, &words));
  asked->mean_length = static_cast<double>(words) / static_cast<double>(records);
  const int phrases = api.xPhraseCount(index);
  for (int i = 0; i < phrases; ++i) {
    sqlite3_int64 found = 0;
    check(api.xQueryPhrase(index, i, &found, &count_record));
    const auto with = static_cast<double>(found);
    const double weight = std::log((static_cast<double>(records) - with + 0.5) / (with + 0.5));
    asked->phrase_weight.push_back(weight <= 0 ? least_weight : weight);
  }
  asked->frequency.resize(asked->phrase_weight.size());
  return asked;
}

int length_of(const Fts5ExtensionApi& api, Fts5Context* index, SearchLengths* lengths,
              std::uint32_t number) {
  const SearchLengths::Key key{number, api.xRowid(index)};
  int length = lengths == nullptr ? -1 : lengths->find(key);
  if (length >= 0) return length;
  check(api.xColumnSize(index, -1, &length));
  if (lengths != nullptr) lengths->keep(key, length);
  return length;
}

double rank_of(const Fts5ExtensionApi& api, Fts5Context* index, Asked& asked, double length,
               int weights, sqlite3_value** weight) {
  asked.frequency.assign(asked.frequency.size(), 0);
  int matches = 0;
  check(api.xInstCount(index, &matches));
  for (int i = 0; i < matches; ++i) {
    int phrase = 0;
    int column = 0;
    int offset = 0;
    check(api.xInst(index, i, &phrase, &column, &offset));
    asked.frequency[static_cast<std::size_t>(phrase)] +=
        column < weights ? sqlite3_value_double(weight[column]) : 1.0;
  }
  double score = 0;
  for (std::size_t i = 0; i < asked.frequency.size(); ++i) {
    const double frequency = asked.frequency[i];
    score +=
        asked.phrase_weight[i] *
        ((frequency * (saturation + 1.0)) /
         (frequency + saturation * (1 - length_share + length_share * length / asked.mean_length)));
  }
  return -score;
}

void search_rank(const Fts5ExtensionApi* api, Fts5Context* index, sqlite3_context* context,
                 int count, sqlite3_value** values) noexcept {
  if (count == 0) {
    sqlite3_result_error(context, "tenon_rank: the number of the index is missing", -1);
    return;
  }
  auto* lengths = static_cast<std::shared_ptr<SearchLengths>*>(api->xUserData(index))->get();
  try {
    auto* asked = static_cast<Asked*>(api->xGetAuxdata(index, 0));
    if (asked == nullptr) {
      auto read = read_asked(*api, index);
      asked = read.get();
      // FTS5 deletes it also where it fails.
      check(api->xSetAuxdata(index, read.release(),
                             [](void* old) { delete static_cast<Asked*>(old); }));
    }
    const auto number = static_cast<std::uint32_t>(sqlite3_value_int64(values[0]));
    const int length = length_of(*api, index, lengths, number);
    sqlite3_result_double(context, rank_of(*api, index, *asked, length, count - 1, values + 1));
  } catch (const Failure& failure) {
    sqlite3_result_error_code(context, failure.code);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

}  // namespace

void add_search_rank(sqlite3* db, std::shared_ptr<SearchLengths> lengths) {
  fts5_api* fts5 = fts5_of(db);
  if (fts5 == nullptr) throw sqlite_error(db, SQLITE_ERROR);
  auto shared = std::make_unique<std::shared_ptr<SearchLengths>>(std::move(lengths));
  const int code = fts5->xCreateFunction(
      fts5, "tenon_rank", static_cast<void*>(shared.get()), &search_rank,
      [](void* old) { delete static_cast<std::shared_ptr<SearchLengths>*>(old); });
  if (code != SQLITE_OK) throw sqlite_error(db, code);
  static_cast<void>(shared.release());
}

}  // namespace tenon::data::sqlite
