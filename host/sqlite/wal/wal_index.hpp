#pragma once

#include <array>
#include <cstdint>

struct sqlite3;

namespace tenon::data::sqlite {

/// The index of a file's log, which SQLite keeps in memory that all connections of all processes
/// share (the file `-shm`), read without a call to SQLite or to the kernel. Its form is fixed:
/// https://www.sqlite.org/walformat.html, "WAL-Index File Format". Any thread.
class WalIndex {
 public:
  /// Identifies the content of the WAL: it changes with each commit of any process and when the WAL
  /// restarts. A version does not occur again.
  struct Version {
    std::array<std::uint64_t, 6> words{};
    bool operator==(const Version&) const = default;
  };

  /// Nothing is known before open().
  WalIndex() noexcept = default;
  /// Finds the index of a connection that has read from its file and lives longer than this. False
  /// when the file has none in shared memory.
  bool open(sqlite3* db) noexcept;
  explicit operator bool() const noexcept { return index_ != nullptr; }

  // The following after open() only.

  /// Returns the current version. A call after a COMMIT returned differs from a call before it
  /// began, on any thread and in any process.
  Version version() const noexcept;
  /// Pages in the log.
  std::uint32_t pages() const noexcept;
  /// True when all of them are in the file too: who begins to read now needs no page of the log,
  /// and does not keep it from starting again.
  bool is_copied() const noexcept;

 private:
  const std::byte* index_ = nullptr;
};

}  // namespace tenon::data::sqlite
