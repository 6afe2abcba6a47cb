#include "sqlite/search/search_rank.hpp"

#include <charconv>
#include <cmath>

#include "sqlite/search/search_lengths.hpp"

namespace tenon::data::sqlite {

namespace {

// Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), 3.4; the
// values are those of FTS5.
constexpr double saturation = 1.2;
constexpr double length_share = 0.75;
// Of a phrase that stands in most records.
constexpr double min_weight = 1e-6;

void check(int code) {
  if (code != SQLITE_OK) throw RankFailure{code};
}

int count_record(const Fts5ExtensionApi* /*api*/, Fts5Context* /*search*/, void* count) noexcept {
  ++*static_cast<sqlite3_int64*>(count);
  return SQLITE_OK;
}

}  // namespace

double SearchRank::weight_of(std::int64_t with) const {
  const auto records = static_cast<double>(records_);
  const auto found = static_cast<double>(with);
  const double weight = std::log((records - found + 0.5) / (found + 0.5));
  return weight <= 0 ? min_weight : weight;
}

void SearchRank::begin(const Fts5ExtensionApi& api, Fts5Context* search) {
  sqlite3_int64 records = 0;
  sqlite3_int64 words = 0;
  check(api.xRowCount(search, &records));
  check(api.xColumnTotalSize(search, -1, &words));
  records_ = records;
  mean_length_ = static_cast<double>(words) / static_cast<double>(records);
  phrases_.clear();
  const int phrases = api.xPhraseCount(search);
  for (int i = 0; i < phrases; ++i) {
    // One without words stands nowhere.
    if (api.xPhraseSize(search, i) != 0) phrases_.push_back({i});
  }
  if (phrases_.size() > 1 || rarity_ == Rarity::asked) {
    for (Phrase& phrase : phrases_) {
      sqlite3_int64 found = 0;
      check(api.xQueryPhrase(search, phrase.number, &found, &count_record));
      phrase.weight = weight_of(found);
    }
  }
  has_begun_ = true;
}

int SearchRank::length_of(const Fts5ExtensionApi& api, Fts5Context* search,
                          std::int64_t rowid) const {
  const SearchLengths::Key key{index_, rowid};
  int length = lengths_ == nullptr ? -1 : lengths_->find(key);
  if (length >= 0) return length;
  check(api.xColumnSize(search, -1, &length));
  if (lengths_ != nullptr) lengths_->keep(key, length);
  return length;
}

double SearchRank::frequency_of(const Fts5ExtensionApi& api, Fts5Context* search,
                                int phrase) const {
  double frequency = 0;
  Fts5PhraseIter place{};
  int column = 0;
  int offset = 0;
  check(api.xPhraseFirst(search, phrase, &place, &column, &offset));
  while (column >= 0) {
    const auto number = static_cast<std::size_t>(column);
    frequency += number < column_weight_.size() ? column_weight_[number] : 1.0;
    api.xPhraseNext(search, &place, &column, &offset);
  }
  return frequency;
}

double SearchRank::read(const Fts5ExtensionApi& api, Fts5Context* search) {
  if (!has_begun_) begin(api, search);
  ++read_;
  const auto length = static_cast<double>(length_of(api, search, api.xRowid(search)));
  double score = 0;
  for (const Phrase& phrase : phrases_) {
    const double frequency = frequency_of(api, search, phrase.number);
    score += phrase.weight *
             ((frequency * (saturation + 1.0)) /
              (frequency + saturation * (1 - length_share + length_share * length / mean_length_)));
  }
  // An index that is damaged may count no words at all.
  return std::isnan(score) ? 0 : -score;
}

double SearchRank::factor() const {
  return phrases_.size() == 1 && rarity_ == Rarity::counted ? weight_of(read_) : 1;
}

std::vector<double> read_weights(std::string_view json) {
  std::vector<double> weights;
  while (!json.empty() && (json.front() == '[' || json.front() == ',')) {
    double weight = 1;
    const auto [end, failure] = std::from_chars(json.data() + 1, json.data() + json.size(), weight);
    if (failure != std::errc{}) break;
    weights.push_back(weight);
    json.remove_prefix(static_cast<std::size_t>(end - json.data()));
  }
  return weights;
}

}  // namespace tenon::data::sqlite
