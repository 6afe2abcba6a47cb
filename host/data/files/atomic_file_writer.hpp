#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/error_fwd.hpp"
#include "data/snapshot/snapshot.hpp"

namespace tenon::data {

/// Bytes read and written at once by a copy.
inline constexpr std::size_t copied_at_once = 1024 * 1024;

/// Writes a whole file under a temporary name and then renames it. The destructor removes a file
/// that was not committed. Must not be used for a file that SQLite has open. Throws 507
/// data.disk_full, 503 data.io.
class AtomicFileWriter {
 public:
  /// Creates the file with mode 0600. It replaces an older one. Throws 507 data.disk_full if the
  /// file system has less than `bytes` free.
  AtomicFileWriter(std::string name, std::uint64_t bytes);
  ~AtomicFileWriter();
  AtomicFileWriter(const AtomicFileWriter&) = delete;
  AtomicFileWriter& operator=(const AtomicFileWriter&) = delete;

  void write(std::span<const char> bytes);
  /// Overwrites bytes that are already written.
  void write_at(std::uint64_t at, std::span<const char> bytes);
  /// Syncs the bytes written so far; commit() then syncs only later ones.
  void sync();
  const std::string& name() const noexcept { return name_; }
  /// Copies a whole other file; shares its blocks if the file system supports that.
  void copy(const std::string& from, std::uint64_t bytes, const CopyProgress& progress);
  /// Syncs the file, renames it to `path` and syncs the folder. `replaces`: an existing file is
  /// replaced, else 409 data.snapshot_exists.
  void commit(const std::string& path, bool replaces);

 private:
  const std::string name_;
  int file_ = -1;
  std::uint64_t written_ = 0;
  std::uint64_t flushed_ = 0;  ///< bytes that the kernel was asked to begin writing
};

/// Makes 507 data.disk_full or 503 data.io from an errno. `what`: the operation and the file.
base::Error file_error(int reason, const std::string& what);
/// Calls `progress`. Throws 409 data.snapshot_cancelled if it returns false.
void report_progress(const CopyProgress& progress, std::uint64_t done, std::uint64_t total);
/// Syncs the folder of `path`, so that added and removed names are on disk. Throws 503 data.io.
void sync_folder(const std::string& path);

}  // namespace tenon::data
