#include "installer/exports/tar_form.hpp"

#include <algorithm>
#include <limits>

// Format: POSIX.1-1988, ustar; GNU tar's binary sizes.
namespace tenon::plugins {

namespace {

constexpr std::size_t size_at = 124;
constexpr std::size_t size_bytes = 12;
constexpr std::size_t sum_at = 148;
constexpr std::size_t sum_bytes = 8;
constexpr std::uint64_t first_binary = std::uint64_t{1} << 33;

using Header = std::array<char, tar_block>;

// `digits` of an octal number; the byte after them is zero already.
void put_octal(Header& header, std::size_t at, std::size_t digits, std::uint64_t value) {
  for (std::size_t i = digits; i-- > 0; value >>= 3)
    header[at + i] = static_cast<char>('0' + (value & 7));
}

void put_text(Header& header, std::size_t at, std::string_view text) {
  std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
}

void put_size(Header& header, std::uint64_t size) {
  if (size < first_binary) {
    put_octal(header, size_at, size_bytes - 1, size);
    return;
  }
  for (std::size_t i = size_bytes; i-- > 1; size >>= 8)
    header[size_at + i] = static_cast<char>(size & 0xff);
  header[size_at] = static_cast<char>(0x80);
}

// Of whatever bytes; what is no size is not written again as it was.
std::uint64_t get_size(std::string_view field) {
  std::uint64_t size = 0;
  if (field[0] == static_cast<char>(0x80)) {
    for (const char c : field.substr(size_bytes - 8))
      size = size << 8 | static_cast<unsigned char>(c);
    return size;
  }
  for (const char c : field.substr(0, size_bytes - 1))
    size = size << 3 | (static_cast<unsigned char>(c) & 7);
  return size;
}

}  // namespace

std::array<char, tar_block> tar_header(const TarEntry& entry) {
  Header header{};
  put_text(header, 0, entry.name);
  put_octal(header, 100, 7, 0600);
  put_octal(header, 108, 7, 0);  // user
  put_octal(header, 116, 7, 0);  // group
  put_size(header, entry.size);
  put_octal(header, 136, 11, 0);  // time
  header[156] = '0';              // a plain file
  put_text(header, 257, "ustar");
  put_text(header, 263, "00");
  put_octal(header, 329, 7, 0);  // device
  put_octal(header, 337, 7, 0);
  std::uint64_t sum = sum_bytes * ' ';
  for (const char c : header)
    sum += static_cast<unsigned char>(c);
  put_octal(header, sum_at, 6, sum);
  header[sum_at + 7] = ' ';
  return header;
}

std::optional<TarEntry> read_tar_header(std::string_view block) {
  if (block.size() != tar_block) return std::nullopt;
  TarEntry entry;
  entry.name = block.substr(0, std::min(block.find('\0'), max_tar_name));
  entry.size = get_size(block.substr(size_at, size_bytes));
  if (entry.name.empty()) return std::nullopt;
  const Header written = tar_header(entry);
  if (block != std::string_view(written.data(), written.size())) return std::nullopt;
  return entry;
}

}  // namespace tenon::plugins
