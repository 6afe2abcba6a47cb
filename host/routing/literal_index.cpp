#include "routing/literal_index.hpp"

#include <bit>
#include <cstring>

namespace tenon::routing {

namespace {

constexpr std::uint64_t factor = 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) noexcept {
  const std::uint64_t product = (hash ^ word) * factor;
  return product ^ (product >> 32);
}

// Hashes one of a few dozen known texts: there is nothing to gain from making texts collide.
std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = text.size();
  std::uint64_t word = 0;
  const char* at = text.data();
  std::size_t left = text.size();
  for (; left > sizeof word; left -= sizeof word, at += sizeof word) {
    std::memcpy(&word, at, sizeof word);
    hash = mix(hash, word);
  }
  word = 0;
  if (text.size() >= sizeof word)
    std::memcpy(&word, text.data() + text.size() - sizeof word, sizeof word);
  else
    for (std::size_t i = 0; i < left; ++i)
      word = word << 8 | static_cast<unsigned char>(at[i]);
  return mix(hash, word);
}

}  // namespace

void LiteralIndex::reset(std::size_t count) {
  entries_.assign(count == 0 ? 0 : std::bit_ceil(2 * count), Entry());
}

void LiteralIndex::add(const RouteSet::Literal& literal, const Section& section) noexcept {
  const std::uint64_t hash = hash_of(literal.path);
  const std::size_t mask = entries_.size() - 1;
  std::size_t at = hash & mask;
  while (entries_[at].section != nullptr)
    at = (at + 1) & mask;
  entries_[at] = {hash, literal, &section};
}

const LiteralIndex::Entry* LiteralIndex::find(std::string_view path) const noexcept {
  if (entries_.empty()) return nullptr;
  const std::uint64_t hash = hash_of(path);
  const std::size_t mask = entries_.size() - 1;
  for (std::size_t at = hash & mask; entries_[at].section != nullptr; at = (at + 1) & mask) {
    const Entry& entry = entries_[at];
    if (entry.hash == hash && entry.literal.path == path) return &entry;
  }
  return nullptr;
}

}  // namespace tenon::routing
