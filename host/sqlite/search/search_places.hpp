#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tenon::data::sqlite {

/// A record that a search finds.
struct SearchPlace {
  double rank = 0;  ///< never NaN
  std::int64_t rowid = 0;

  /// The smallest rank is the best; of the same rank, the smaller rowid.
  friend bool operator<(const SearchPlace& left, const SearchPlace& right) noexcept {
    return left.rank < right.rank || (left.rank == right.rank && left.rowid < right.rowid);
  }
};

/// The best places of a search: all are added, then the best is taken, and the next best. Keeps at
/// most `most` of them, twice as many while they are added. One thread at a time.
class SearchPlaces {
 public:
  explicit SearchPlaces(std::size_t most) noexcept : most_(most) {}

  /// Throws std::bad_alloc.
  void add(const SearchPlace& place);
  /// After the last one: multiplies each rank, by more than 0.
  void settle(double factor) noexcept;

  /// After settle(). Null: there are no more.
  const SearchPlace* best() const noexcept { return places_.empty() ? nullptr : &places_.front(); }
  void take() noexcept;
  /// That there were more than are kept, all of them worse.
  bool is_cut() const noexcept { return worst_.has_value(); }
  void clear() noexcept;

 private:
  void cut() noexcept;

  std::size_t most_;
  std::vector<SearchPlace> places_;  // once they are settled a heap, the best in front
  std::optional<SearchPlace> worst_;
};

}  // namespace tenon::data::sqlite
