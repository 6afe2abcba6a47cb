#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/error.hpp"
#include "data/snapshot/snapshot.hpp"

namespace tenon::data {

/// Bytes read and written at once by a copy.
inline constexpr std::size_t copied_at_once = 1024 * 1024;

/// A file that is written whole under a name of its own and then put in its place; removed when it
/// is not. Never one that SQLite has open. Throws 507 data.disk_full, 503 data.io.
class AtomicFileWriter {
 public:
  /// Makes it anew, for the user alone, with room for so many bytes.
  AtomicFileWriter(std::string name, std::uint64_t bytes);
  ~AtomicFileWriter();
  AtomicFileWriter(const AtomicFileWriter&) = delete;
  AtomicFileWriter& operator=(const AtomicFileWriter&) = delete;

  void write(std::span<const char> bytes);
  /// In the place of bytes that were written.
  void write_at(std::uint64_t at, std::span<const char> bytes);
  /// What was written is on disk; put() has then only to bring there what came later.
  void sync();
  const std::string& name() const noexcept { return name_; }
  /// The whole of another file, shared with it where the file system can.
  void copy(const std::string& from, std::uint64_t bytes, const CopyProgress& progress);
  /// On disk, and under `place`. `replaces`: what is there goes, else 409 data.snapshot_exists.
  void commit(const std::string& place, bool replaces);

 private:
  const std::string name_;
  int file_ = -1;
  std::uint64_t written_ = 0;
  std::uint64_t flushed_ = 0;  ///< bytes that the kernel was asked to begin writing
};

/// 507 or 503 for an errno, with what was done to which file.
base::Error file_error(int reason, const std::string& what);
/// Throws 409 data.snapshot_cancelled where `progress` says so.
void report_progress(const CopyProgress& progress, std::uint64_t done, std::uint64_t total);
/// Names made or removed in the folder of `path` are on disk. Throws 503 data.io.
void sync_folder(const std::string& path);

}  // namespace tenon::data
