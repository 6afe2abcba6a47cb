#include "data/cursor.hpp"

#include <utility>

#include "data/engine/cursor_source.hpp"

namespace tenon::data {

Cursor::Cursor(std::unique_ptr<CursorSource> source) noexcept : source_(std::move(source)) {}
Cursor::Cursor(Cursor&& other) noexcept = default;
Cursor& Cursor::operator=(Cursor&& other) noexcept {
  if (this != &other) {
    close();
    source_ = std::move(other.source_);
  }
  return *this;
}
Cursor::~Cursor() {
  close();
}

std::span<const std::string_view> Cursor::names() const noexcept {
  return source_->names;
}

const Batch& Cursor::next() {
  return source_->next();
}

void Cursor::close() noexcept {
  if (source_) source_->close();
}

}  // namespace tenon::data
