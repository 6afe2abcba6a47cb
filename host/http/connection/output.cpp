#include "http/connection/output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "http/loop/system_calls.hpp"

namespace tenon::http {

namespace {
constexpr std::size_t max_pieces = 32;
constexpr std::uint64_t max_pass_bytes = 256 * 1024;
}  // namespace

BufferPool::BufferPool() {
  free_.reserve(kept);
}

TextBuffer BufferPool::make() {
  TextBuffer buffer;
  buffer.room(1);
  return buffer;
}

void BufferPool::give_back(TextBuffer&& buffer) noexcept {
  TextBuffer spent = std::move(buffer);
  if (spent.capacity() == 0 || bytes_ + spent.capacity() > retained_bytes || free_.size() >= kept)
    return;
  spent.clear();
  bytes_ += spent.capacity();
  free_.push_back(std::move(spent));  // has capacity for all that are kept
}

Output::~Output() {
  clear();
}

std::string_view Output::text_of(const Piece& piece) noexcept {
  if (const auto* buffer = std::get_if<TextBuffer>(&piece.content))
    return {buffer->data(), buffer->size()};
  if (const auto* text = std::get_if<std::string>(&piece.content)) return *text;
  return **std::get_if<SharedBody>(&piece.content);
}

std::uint64_t Output::size(const Piece& piece) noexcept {
  const auto* file = std::get_if<FileBody>(&piece.content);
  return file != nullptr ? file->size : text_of(piece).size();
}

void Output::push(Piece piece) {
  pieces_.push_back(std::move(piece));
  pending_ += size(pieces_.back());
}

TextBuffer& Output::text_after_pieces() {
  const auto* last = has_pieces() ? std::get_if<TextBuffer>(&pieces_.back().content) : nullptr;
  // A text is freed when all of it is written: one that always grows at its end never were.
  if (last == nullptr || last->size() >= full_text) push({pool_.take(), 0});
  auto& text = std::get<TextBuffer>(pieces_.back().content);
  text_seen_ = text.size();
  return text;
}

void Output::appended() noexcept {
  const std::size_t size =
      has_pieces() ? std::get<TextBuffer>(pieces_.back().content).size() : text_.size();
  pending_ += size - text_seen_;
}

void Output::append(std::string&& text) {
  if (!text.empty()) push({std::move(text), 0});
}

void Output::append(SharedBody text) {
  if (text && !text->empty()) push({std::move(text), 0});
}

void Output::append(FileBody file) {
  if (file.size > 0) push({std::move(file), 0});
}

std::size_t Output::memory() const noexcept {
  std::size_t sum = text_.empty() ? 0 : text_.capacity();
  for (const Piece& piece : pieces_) {
    if (const auto* buffer = std::get_if<TextBuffer>(&piece.content)) sum += buffer->capacity();
    if (const auto* text = std::get_if<std::string>(&piece.content)) sum += text->capacity();
  }
  return sum;
}

void Output::drop_text() noexcept {
  text_at_ = 0;
  pool_.give_back(std::move(text_));
}

void Output::drop_first() noexcept {
  if (auto* buffer = std::get_if<TextBuffer>(&pieces_[first_].content))
    pool_.give_back(std::move(*buffer));
  pieces_[first_].content.emplace<SharedBody>();
  if (++first_ == pieces_.size()) {
    pieces_.clear();
    first_ = 0;
    if (pieces_.capacity() > 4) pieces_.shrink_to_fit();
  } else if (first_ >= max_pieces) {
    pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
}

void Output::consume(std::uint64_t bytes) noexcept {
  pending_ -= bytes;
  total_written_ += bytes;
  if (!text_.empty()) {
    const std::size_t rest = text_.size() - text_at_;
    if (bytes < rest) {
      text_at_ += bytes;
      return;
    }
    bytes -= rest;
    drop_text();
    if (bytes == 0) return;
  }
  while (first_ < pieces_.size()) {
    Piece& piece = pieces_[first_];
    const std::uint64_t rest = size(piece) - piece.at;
    if (bytes < rest) {
      piece.at += bytes;
      return;
    }
    bytes -= rest;
    drop_first();
    if (bytes == 0) return;
  }
}

Output::Result Output::write_file(int socket, Piece& piece, std::uint64_t max) noexcept {
  const auto& file = std::get<FileBody>(piece.content);
  auto offset = static_cast<off_t>(file.offset + piece.at);
  const auto sent = ::sendfile(socket, file.file->get(), &offset,
                               static_cast<std::size_t>(std::min(file.size - piece.at, max)));
  if (sent > 0) {
    consume(static_cast<std::uint64_t>(sent));
    return Result::done;
  }
  if (sent < 0 && errno == EINTR) return Result::done;
  if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Result::blocked;
  return Result::failed;  // also when the file is shorter than it was
}

// Up to `max` bytes of what is in memory, in one call. -1 as the kernel says it; else bytes, of
// which `wanted` were given.
ssize_t Output::write_texts(int socket, std::size_t max, std::size_t& wanted) noexcept {
  const std::size_t rest = std::min(text_.size() - text_at_, max);
  if (!has_pieces()) {
    wanted = rest;
    return system_calls::send(socket, text_.data() + text_at_, rest, MSG_NOSIGNAL);
  }
  std::array<iovec, max_pieces> parts;
  std::size_t count = 0;
  wanted = 0;
  const auto add = [&](std::string_view text) noexcept {
    text = text.substr(0, max - wanted);
    parts[count++] = {const_cast<char*>(text.data()), text.size()};
    wanted += text.size();
  };
  if (!text_.empty()) add({text_.data() + text_at_, rest});
  std::size_t index = first_;
  for (; index < pieces_.size() && count < parts.size() && wanted < max; ++index) {
    const Piece& piece = pieces_[index];
    if (std::holds_alternative<FileBody>(piece.content)) break;
    add(text_of(piece).substr(piece.at));
  }
  const int flags = MSG_NOSIGNAL | (index < pieces_.size() ? MSG_MORE : 0);
  if (count == 1) return system_calls::send(socket, parts[0].iov_base, parts[0].iov_len, flags);
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = count;
  return ::sendmsg(socket, &message, flags);
}

Output::Result Output::write_to(int socket) noexcept {
  const std::uint64_t pass_end = total_written_ + max_pass_bytes;
  while (pending_ > 0) {
    if (total_written_ >= pass_end) return Result::interrupted;
    if (text_.empty() && std::holds_alternative<FileBody>(pieces_[first_].content)) {
      const Result result = write_file(socket, pieces_[first_], pass_end - total_written_);
      if (result != Result::done) return result;
      continue;
    }
    std::size_t wanted = 0;
    const ssize_t sent = write_texts(socket, pass_end - total_written_, wanted);
    if (sent < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK ? Result::blocked : Result::failed;
    }
    if (static_cast<std::uint64_t>(sent) == pending_ && !has_pieces()) {
      total_written_ += std::exchange(pending_, 0);
      drop_text();
      break;
    }
    consume(static_cast<std::uint64_t>(sent));
    if (static_cast<std::size_t>(sent) < wanted) return Result::blocked;
  }
  return Result::done;
}

void Output::clear() noexcept {
  drop_text();
  while (first_ < pieces_.size())
    drop_first();
  pieces_.clear();
  first_ = 0;
  pending_ = 0;
}

}  // namespace tenon::http
