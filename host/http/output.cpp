#include "http/output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "http/system_calls.hpp"

namespace tenon::http {

namespace {
constexpr std::size_t fresh_buffer = 4096;
constexpr std::size_t full_text = 64 * 1024;
constexpr std::size_t most_pieces = 32;
constexpr std::uint64_t file_step = 1024 * 1024;
constexpr std::uint64_t most_in_a_turn = 4 * file_step;
}  // namespace

std::string BufferPool::take() {
  if (spare_.capacity() >= fresh_buffer) {
    bytes_ -= spare_.capacity();
    return std::exchange(spare_, std::string());
  }
  if (free_.empty()) {
    std::string fresh;
    fresh.reserve(fresh_buffer);
    return fresh;
  }
  std::string buffer = std::move(free_.back());
  free_.pop_back();
  bytes_ -= buffer.capacity();
  return buffer;
}

void BufferPool::give_back(std::string&& buffer) noexcept {
  const std::size_t capacity = buffer.capacity();
  if (capacity < fresh_buffer || bytes_ + capacity > kept_bytes || free_.size() >= kept) return;
  buffer.clear();
  if (spare_.capacity() < fresh_buffer) {
    spare_.swap(buffer);
    bytes_ += capacity;
    return;
  }
  try {
    free_.push_back(std::move(buffer));
    bytes_ += capacity;
  } catch (...) {
    // Without memory for the list the buffer is simply freed.
  }
}

Output::~Output() {
  clear();
}

std::uint64_t Output::size(const Piece& piece) noexcept {
  if (const auto* text = std::get_if<std::string>(&piece.content)) return text->size();
  if (const auto* shared = std::get_if<SharedBody>(&piece.content)) return (*shared)->size();
  return std::get<FileBody>(piece.content).size;
}

void Output::push(Piece piece) {
  pieces_.push_back(std::move(piece));
  pending_ += size(pieces_.back());
}

std::string& Output::text() {
  if (!has_pieces() && text_.size() < full_text) {
    if (text_.capacity() < fresh_buffer) text_ = pool_.take();
    text_seen_ = text_.size();
    return text_;
  }
  const auto* last =
      first_ == pieces_.size() ? nullptr : std::get_if<std::string>(&pieces_.back().content);
  // A text is freed when all of it is written: one that always grows at its end never were.
  if (last == nullptr || last->size() >= full_text) push({pool_.take(), 0});
  auto& text = std::get<std::string>(pieces_.back().content);
  text_seen_ = text.size();
  return text;
}

void Output::appended() noexcept {
  const std::string& text = has_pieces() ? std::get<std::string>(pieces_.back().content) : text_;
  pending_ += text.size() - text_seen_;
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
    if (const auto* text = std::get_if<std::string>(&piece.content)) sum += text->capacity();
  }
  return sum;
}

void Output::drop_text() noexcept {
  text_at_ = 0;
  pool_.give_back(std::exchange(text_, std::string()));
}

void Output::drop_first() noexcept {
  if (auto* text = std::get_if<std::string>(&pieces_[first_].content))
    pool_.give_back(std::move(*text));
  pieces_[first_].content.emplace<SharedBody>();
  if (++first_ == pieces_.size()) {
    pieces_.clear();
    first_ = 0;
    if (pieces_.capacity() > 4) pieces_.shrink_to_fit();
  } else if (first_ >= most_pieces) {
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

Output::Result Output::write_file(int socket, Piece& piece) noexcept {
  const auto& file = std::get<FileBody>(piece.content);
  auto offset = static_cast<off_t>(file.offset + piece.at);
  const auto sent = ::sendfile(socket, file.file->descriptor(), &offset,
                               static_cast<std::size_t>(std::min(file.size - piece.at, file_step)));
  if (sent > 0) {
    consume(static_cast<std::uint64_t>(sent));
    return Result::done;
  }
  if (sent < 0 && errno == EINTR) return Result::done;
  if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Result::blocked;
  return Result::failed;  // also when the file is shorter than it was
}

Output::Result Output::write_to(int socket) noexcept {
  const std::uint64_t turn_end = total_written_ + most_in_a_turn;
  while (pending_ > 0) {
    if (total_written_ >= turn_end) return Result::interrupted;
    if (text_.empty() && std::holds_alternative<FileBody>(pieces_[first_].content)) {
      const Result result = write_file(socket, pieces_[first_]);
      if (result != Result::done) return result;
      continue;
    }
    std::array<iovec, most_pieces> parts;
    std::size_t count = 0;
    std::size_t bytes = 0;
    std::size_t index = first_;
    if (!text_.empty()) {
      parts[count++] = {text_.data() + text_at_, text_.size() - text_at_};
      bytes = text_.size() - text_at_;
    }
    for (; index < pieces_.size() && count < parts.size(); ++index) {
      const Piece& piece = pieces_[index];
      const std::string* text = std::get_if<std::string>(&piece.content);
      if (const auto* shared = std::get_if<SharedBody>(&piece.content)) text = shared->get();
      if (text == nullptr) break;
      parts[count].iov_base = const_cast<char*>(text->data() + piece.at);
      parts[count].iov_len = text->size() - piece.at;
      bytes += parts[count++].iov_len;
    }
    const int flags = MSG_NOSIGNAL | (index < pieces_.size() ? MSG_MORE : 0);
    ssize_t sent = 0;
    if (count == 1) {
      sent = system_calls::send(socket, parts[0].iov_base, parts[0].iov_len, flags);
    } else {
      msghdr message{};
      message.msg_iov = parts.data();
      message.msg_iovlen = count;
      sent = ::sendmsg(socket, &message, flags);
    }
    if (sent < 0) {
      if (errno == EINTR) continue;
      return errno == EAGAIN || errno == EWOULDBLOCK ? Result::blocked : Result::failed;
    }
    consume(static_cast<std::uint64_t>(sent));
    if (static_cast<std::size_t>(sent) < bytes) return Result::blocked;
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
