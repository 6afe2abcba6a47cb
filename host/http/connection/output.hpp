#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <sys/types.h>

#include "http/response/response.hpp"
#include "http/response/text_buffer.hpp"

namespace tenon::http {

/// Buffers of one I/O thread that go around between its connections, so that an idle connection
/// holds none and a busy one allocates none.
class BufferPool {
 public:
  BufferPool();
  TextBuffer take() {
    if (free_.empty()) return make();
    TextBuffer buffer = std::move(free_.back());
    free_.pop_back();
    bytes_ -= buffer.capacity();
    return buffer;
  }
  void give_back(TextBuffer&& buffer) noexcept;

 private:
  static TextBuffer make();

  static constexpr std::size_t kept = 64;
  static constexpr std::size_t retained_bytes = 4 * 1024 * 1024;
  std::vector<TextBuffer> free_;  // the last one was used last
  std::size_t bytes_ = 0;         // capacity of all that are free
};

/// The bytes that wait to be written to one socket, in order: copied text, shared text and parts of
/// files. Belongs to one I/O thread.
class Output {
 public:
  explicit Output(BufferPool& pool) noexcept : pool_(pool) {}
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// The text at the end, for appending; valid until the next call. Follow with appended().
  TextBuffer& text() {
    if (has_pieces() || text_.size() >= full_text) return text_after_pieces();
    if (text_.capacity() == 0) text_ = pool_.take();
    text_seen_ = text_.size();
    return text_;
  }
  void appended() noexcept;
  void append(std::string&& text);
  void append(SharedBody text);
  void append(FileBody file);

  enum class Result : std::uint8_t { done, blocked, failed, interrupted };
  /// Writes until all is written, the socket takes no more, or 256 KiB are written (`interrupted`):
  /// then others on this thread run first.
  Result write_to(int socket) noexcept;

  bool is_empty() const noexcept { return pending_ == 0; }
  /// Bytes that wait.
  std::uint64_t pending() const noexcept { return pending_; }
  /// Bytes of memory that its own texts take.
  std::size_t memory() const noexcept;
  /// Bytes ever appended, and ever written.
  std::uint64_t total_appended() const noexcept { return total_written_ + pending_; }
  std::uint64_t total_written() const noexcept { return total_written_; }
  void clear() noexcept;

 private:
  struct Piece {
    std::variant<TextBuffer, std::string, SharedBody, FileBody> content;
    std::uint64_t at = 0;  // bytes of it that are written
  };

  static constexpr std::size_t full_text = 64 * 1024;

  TextBuffer& text_after_pieces();
  static std::uint64_t size(const Piece& piece) noexcept;
  static std::string_view text_of(const Piece& piece) noexcept;
  void push(Piece piece);
  void consume(std::uint64_t bytes) noexcept;
  void drop_first() noexcept;
  Result write_file(int socket, Piece& piece, std::uint64_t max) noexcept;
  ssize_t write_texts(int socket, std::size_t max, std::size_t& wanted) noexcept;

  bool has_pieces() const noexcept { return first_ < pieces_.size(); }
  void drop_text() noexcept;

  BufferPool& pool_;
  TextBuffer text_;  // goes before all pieces; most responses are nothing else
  std::size_t text_at_ = 0;
  std::vector<Piece> pieces_;
  std::size_t first_ = 0;
  std::uint64_t pending_ = 0;
  std::uint64_t total_written_ = 0;
  std::uint64_t text_seen_ = 0;  // size of the last text when it was last counted
};

}  // namespace tenon::http
