#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace tenon::http {

/// Text that grows at its end. Unlike a std::string it gives room that is not filled with zeroes
/// first, and moving it moves three words. Belongs to one thread.
class TextBuffer {
 public:
  TextBuffer() = default;
  TextBuffer(TextBuffer&& other) noexcept
      : bytes_(std::move(other.bytes_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  TextBuffer& operator=(TextBuffer&& other) noexcept {
    bytes_ = std::move(other.bytes_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }
  ~TextBuffer() = default;

  /// Returns memory for `size` more bytes; follow with wrote(). Throws std::bad_alloc.
  char* room(std::size_t size) {
    if (capacity_ - size_ < size) grow(size);
    return bytes_.get() + size_;
  }
  /// So many bytes were written where room() said.
  void wrote(std::size_t size) noexcept { size_ += size; }
  TextBuffer& append(std::string_view text) {
    char* const at = room(text.size());
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    size_ += text.size();
    return *this;
  }

  const char* data() const noexcept { return bytes_.get(); }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  std::size_t capacity() const noexcept { return capacity_; }
  /// Keeps the memory.
  void clear() noexcept { size_ = 0; }

 private:
  static constexpr std::size_t min_capacity = 4096;  // bytes of memory, once there is any

  void grow(std::size_t size);

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace tenon::http
