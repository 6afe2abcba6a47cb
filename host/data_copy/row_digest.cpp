#include "data_copy/row_digest.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include <sodium.h>

namespace tenon::data::copying {

namespace {

void append_word(std::string& bytes, std::uint64_t word) {
  for (int shift = 0; shift < 64; shift += 8)
    bytes += static_cast<char>(word >> shift & 0xFF);
}

void append_number(std::string& bytes, double number) {
  constexpr double exact = 9007199254740992.0;  // 2^53
  const bool is_whole = std::abs(number) < exact && std::trunc(number) == number;
  bytes += is_whole ? 'i' : 'r';
  append_word(bytes, is_whole ? static_cast<std::uint64_t>(static_cast<std::int64_t>(number))
                              : std::bit_cast<std::uint64_t>(number));
}

void append_cell(std::string& bytes, const Cell& cell) {
  switch (cell.kind()) {
    case CellKind::null:
      bytes += 'n';
      return;
    case CellKind::integer:
      bytes += 'i';
      append_word(bytes, static_cast<std::uint64_t>(cell.integer()));
      return;
    case CellKind::number:
      append_number(bytes, cell.number());
      return;
    case CellKind::text:
    case CellKind::blob:
      bytes += cell.kind() == CellKind::text ? 't' : 'b';
      append_word(bytes, cell.text().size());
      bytes += cell.text();
  }
}

}  // namespace

void RowDigest::add(std::span<const Cell> row) {
  constexpr std::size_t retained_bytes = 1024 * 1024;
  if (bytes_.capacity() > retained_bytes) bytes_ = std::string();
  bytes_.clear();
  for (const Cell& cell : row)
    append_cell(bytes_, cell);
  std::array<unsigned char, sizeof sum_> digest{};
  crypto_generichash(digest.data(), digest.size(),
                     reinterpret_cast<const unsigned char*>(bytes_.data()), bytes_.size(), nullptr,
                     0);
  for (std::size_t part = 0; part < sum_.size(); ++part) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < sizeof word; ++i)
      word |= std::uint64_t{digest[part * sizeof word + i]} << 8 * i;
    sum_[part] += word;
  }
  ++rows_;
}

std::string RowDigest::text() const {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t word : sum_) {
    for (int shift = 60; shift >= 0; shift -= 4)
      text += digits[word >> shift & 15];
  }
  return text;
}

}  // namespace tenon::data::copying
