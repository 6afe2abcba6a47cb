#include "packages/archive/deflate.hpp"

#include <algorithm>
#include <new>

#include <zlib.h>

#include "packages/archive/limits.hpp"

namespace tenon::plugins {

namespace {

constexpr int raw_window = -15;  // no header of zlib's, 32 KiB
constexpr std::size_t piece_bytes = 64 * 1024;

Bytef* bytes_of(std::string_view text) {
  // zlib does not write to its input, whatever the type says.
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

class Inflating {
 public:
  explicit Inflating(std::string_view packed) {
    if (::inflateInit2(&stream_, raw_window) != Z_OK) throw std::bad_alloc();
    stream_.next_in = bytes_of(packed);
    stream_.avail_in = static_cast<uInt>(packed.size());
  }
  ~Inflating() { ::inflateEnd(&stream_); }
  Inflating(const Inflating&) = delete;
  Inflating& operator=(const Inflating&) = delete;

  // Fills `room` as far as it goes; false when the bytes are damaged or cut off.
  bool fill(std::span<char> room, std::size_t& got) {
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = static_cast<uInt>(room.size());
    bool is_good = true;
    while (is_good && !is_finished_ && stream_.avail_out != 0) {
      // Z_BLOCK stops after each block and says how many bits of its last byte were not used.
      const int result = ::inflate(&stream_, Z_BLOCK);
      note_padding();
      is_finished_ = result == Z_STREAM_END;
      is_good = result == Z_OK || is_finished_;
    }
    got = room.size() - stream_.avail_out;
    return is_good;
  }

  bool is_finished() const noexcept { return is_finished_; }
  // All input was used, and the bits after the last block are zero, as zlib leaves them.
  bool is_clean() const noexcept { return stream_.avail_in == 0 && is_padding_zero_; }

 private:
  void note_padding() {
    constexpr int after_block = 128;
    constexpr int last_block = 64;
    if ((stream_.data_type & after_block) == 0 || (stream_.data_type & last_block) == 0) return;
    const auto unused = static_cast<unsigned>(stream_.data_type & 7);
    is_padding_zero_ = (stream_.next_in[-1] >> (8 - unused)) == 0;
  }

  z_stream stream_{};
  bool is_finished_ = false;
  bool is_padding_zero_ = true;
};

}  // namespace

DeflatedContent deflate_content(std::string_view content) {
  DeflatedContent plain{ZipMethod::stored, {}};
  if (!content.empty()) {
    z_stream stream{};
    if (::deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, raw_window, 8,
                       Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
    // Content that does not fit is not smaller, or too large for any package.
    std::string packed(std::min<std::size_t>(content.size() - 1, PackageLimits::packed), '\0');
    stream.next_in = bytes_of(content);
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = bytes_of(packed);
    stream.avail_out = static_cast<uInt>(packed.size());
    const bool is_smaller = ::deflate(&stream, Z_FINISH) == Z_STREAM_END;
    packed.resize(packed.size() - stream.avail_out);
    ::deflateEnd(&stream);
    if (is_smaller) return {ZipMethod::deflated, std::move(packed)};
  }
  plain.bytes = content;
  return plain;
}

std::string inflate_entry(const ZipEntry& entry,
                          const std::function<void(std::string_view)>& sink) {
  uLong crc = 0;
  const auto hand_on = [&](std::string_view piece) {
    crc = ::crc32_z(crc, bytes_of(piece), piece.size());
    sink(piece);
  };
  if (entry.method == ZipMethod::stored) {
    for (std::string_view rest = entry.packed; !rest.empty();) {
      hand_on(rest.substr(0, piece_bytes));
      rest.remove_prefix(std::min(rest.size(), piece_bytes));
    }
  } else {
    Inflating inflating(entry.packed);
    std::string room(piece_bytes, '\0');
    std::size_t left = entry.size;
    std::size_t got = 0;
    while (left != 0) {
      if (!inflating.fill({room.data(), std::min(left, room.size())}, got))
        return "Its bytes cannot be inflated.";
      if (got == 0) return "It is smaller than the package says.";
      hand_on({room.data(), got});
      left -= got;
    }
    // The end shows only when one more byte may be written.
    if (!inflating.is_finished() && (!inflating.fill({room.data(), 1}, got) || got != 0))
      return got != 0 ? "It is larger than the package says." : "Its bytes cannot be inflated.";
    if (!inflating.is_finished() || !inflating.is_clean())
      return "There are extra bytes after the end of its data.";
  }
  return crc == entry.crc ? "" : "Its checksum is wrong.";
}

}  // namespace tenon::plugins
