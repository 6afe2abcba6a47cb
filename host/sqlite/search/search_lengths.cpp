#include "sqlite/search/search_lengths.hpp"

#include <algorithm>
#include <cstdlib>

namespace tenon::data::sqlite {

namespace {

constexpr int length_bits = 24;

// Bits that all depend on all of the key: the finalizer of MurmurHash3. Never 0 in what is kept.
std::uint64_t hash(SearchLengths::Key key) noexcept {
  std::uint64_t value =
      static_cast<std::uint64_t>(key.rowid) ^ (static_cast<std::uint64_t>(key.index) << 33U);
  value ^= value >> 33U;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33U;
  value *= 0xc4ceb9fe1a85ec53ULL;
  value ^= value >> 33U;
  return value | (std::uint64_t{1} << 63U);
}

}  // namespace

std::uint32_t search_number(std::string_view table) noexcept {
  std::uint32_t number = 2166136261U;  // FNV-1a
  for (const char letter : table)
    number = (number ^ static_cast<unsigned char>(letter)) * 16777619U;
  return number & 0x7fffffffU;
}

// The system's zeros: memory that nothing was kept in is none.
SearchLengths::SearchLengths() noexcept
    : places_(static_cast<std::uint64_t*>(std::calloc(places, sizeof(std::uint64_t)))) {}

void SearchLengths::Free::operator()(std::uint64_t* memory) const noexcept {
  std::free(memory);
}

int SearchLengths::find(Key key) const noexcept {
  if (!places_) return -1;
  const std::uint64_t sought = hash(key);
  const std::uint64_t kept = place(sought).load(std::memory_order_relaxed);
  if (kept >> length_bits != sought >> length_bits) return -1;
  return static_cast<int>(kept & longest);
}

void SearchLengths::keep(Key key, int words) noexcept {
  if (!places_) return;
  const std::uint64_t kept = hash(key);
  const auto length = static_cast<std::uint64_t>(std::clamp(words, 0, int{longest}));
  place(kept).store(kept >> length_bits << length_bits | length, std::memory_order_relaxed);
  has_some_.store(true, std::memory_order_relaxed);
}

void SearchLengths::forget(Key key) noexcept {
  if (find(key) >= 0) place(hash(key)).store(0, std::memory_order_relaxed);
}

void SearchLengths::forget_all() noexcept {
  if (!has_some_.exchange(false, std::memory_order_relaxed)) return;
  for (std::size_t i = 0; i < places; ++i)
    place(i).store(0, std::memory_order_relaxed);
}

}  // namespace tenon::data::sqlite
