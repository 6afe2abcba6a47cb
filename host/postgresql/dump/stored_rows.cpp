#include "postgresql/dump/stored_rows.hpp"

#include "base/error.hpp"

namespace tenon::data::postgresql {

namespace {

constexpr std::string_view signature("PGCOPY\n\377\r\n\0", 11);
constexpr std::size_t short_size = 2;
constexpr std::size_t long_size = 4;

// Numbers come with their high byte first.
std::uint64_t unsigned_in(std::string_view bytes) noexcept {
  std::uint64_t number = 0;
  for (const char byte : bytes)
    number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

[[noreturn]] void refuse() {
  throw base::Error(409, "data.snapshot_refused", "Rows of a table cannot be read.");
}

}  // namespace

std::int64_t number_in(std::string_view value) noexcept {
  return static_cast<std::int64_t>(unsigned_in(value));
}

void StoredRowParser::add(std::string_view bytes) {
  bytes_.erase(0, at_);
  at_ = 0;
  bytes_.append(bytes);
}

bool StoredRowParser::take_head() {
  const std::size_t fixed = signature.size() + 2 * long_size;
  if (bytes_.size() < fixed) return false;
  const std::string_view head(bytes_);
  if (!head.starts_with(signature)) refuse();
  const std::size_t all = fixed + unsigned_in(head.substr(fixed - long_size, long_size));
  if (bytes_.size() < all) return false;
  at_ = all;
  return has_head_ = true;
}

bool StoredRowParser::next() {
  if (!has_head_ && !take_head()) return false;
  const std::string_view bytes(bytes_);
  std::size_t at = at_;
  const auto has = [&](std::uint64_t size) { return bytes.size() - at >= size; };
  if (!has(short_size)) return false;
  const auto count = static_cast<std::int16_t>(unsigned_in(bytes.substr(at, short_size)));
  at += short_size;
  if (count < 0) return false;
  row_.clear();
  for (std::int16_t i = 0; i < count; ++i) {
    if (!has(long_size)) return false;
    const auto size = static_cast<std::int32_t>(unsigned_in(bytes.substr(at, long_size)));
    at += long_size;
    if (size < 0) {
      row_.emplace_back();
      continue;
    }
    if (!has(static_cast<std::uint64_t>(size))) return false;
    row_.emplace_back(bytes.substr(at, static_cast<std::size_t>(size)));
    at += static_cast<std::size_t>(size);
  }
  at_ = at;
  return true;
}

}  // namespace tenon::data::postgresql
