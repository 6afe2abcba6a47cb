#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <sqlite3.h>

namespace tenon::data::sqlite {

class SearchLengths;

/// What one of SQLite's functions failed with.
struct RankFailure {
  int code = SQLITE_OK;
};

/// The ranks of what one search finds: BM25 as FTS5's own bm25(weight…) counts it
/// (https://sqlite.org/fts5.html#the_bm25_function), to the last digit, with the lengths of records
/// from SearchLengths. The smallest is the best.
class SearchRank {
 public:
  /// How rare a phrase is that is looked for alone.
  enum class Rarity : std::uint8_t {
    counted,  ///< factor() says it at the end, when all that is found was read
    asked,    ///< the index is asked first, which is to search twice
    unknown   ///< it is left out: in the order of one search it changes nothing
  };

  /// `index` is search_number() of the table; `weights` are of its columns in order, 1 where there
  /// are no more. Null lengths: the index is asked. `lengths` is borrowed.
  SearchRank(SearchLengths* lengths, std::uint32_t index, std::vector<double> weights,
             Rarity rarity) noexcept
      : lengths_(lengths), index_(index), column_weight_(std::move(weights)), rarity_(rarity) {}

  /// Of the record where a search stands, but for factor(). Called for each record that is found,
  /// of one search. Throws RankFailure, std::bad_alloc.
  double read(const Fts5ExtensionApi& api, Fts5Context* search);

  /// What read() is to be multiplied by, once all records were read.
  double factor() const;

 private:
  struct Phrase {
    int number = 0;     // FTS5's
    double weight = 1;  // the rarer, the more
  };

  void begin(const Fts5ExtensionApi& api, Fts5Context* search);
  int length_of(const Fts5ExtensionApi& api, Fts5Context* search, std::int64_t rowid) const;
  double frequency_of(const Fts5ExtensionApi& api, Fts5Context* search, int phrase) const;
  double weight_of(std::int64_t with) const;

  SearchLengths* lengths_;
  std::uint32_t index_;
  std::vector<double> column_weight_;
  Rarity rarity_;
  bool has_begun_ = false;
  std::int64_t records_ = 0;  // of the index
  std::int64_t read_ = 0;     // of them
  double mean_length_ = 0;    // words of a record
  std::vector<Phrase> phrases_;
};

/// "[8,1]"; what is no number ends it. Throws std::bad_alloc.
std::vector<double> read_weights(std::string_view json);

}  // namespace tenon::data::sqlite
