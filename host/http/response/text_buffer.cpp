#include "http/response/text_buffer.hpp"

#include <algorithm>

namespace tenon::http {

void TextBuffer::grow(std::size_t size) {
  const std::size_t capacity = std::max({size_ + size, 2 * capacity_, min_capacity});
  std::unique_ptr<char[]> bytes(new char[capacity]);
  if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
  bytes_ = std::move(bytes);
  capacity_ = capacity;
}

}  // namespace tenon::http
