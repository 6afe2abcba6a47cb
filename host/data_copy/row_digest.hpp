#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "data/cell.hpp"

namespace tenon::data::copying {

/// A checksum over rows that does not ask for their order: the sum, modulo 2^256 in four parts, of
/// the BLAKE2b of each row. The cells of a row are written as bytes that say their kind, so that
/// NULL, 0, an empty text and an empty blob differ; a number without a fraction is written as the
/// integer, for what is one on one engine may be the other elsewhere (and SQLite keeps no -0).
class RowDigest {
 public:
  void add(std::span<const Cell> row);

  std::int64_t rows() const noexcept { return rows_; }
  /// 64 hexadecimal digits.
  std::string text() const;
  bool operator==(const RowDigest& other) const noexcept {
    return rows_ == other.rows_ && sum_ == other.sum_;
  }

 private:
  std::int64_t rows_ = 0;
  std::array<std::uint64_t, 4> sum_{};
  std::string bytes_;
};

}  // namespace tenon::data::copying
