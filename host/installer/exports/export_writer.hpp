#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"
#include "blobs/sha256.hpp"
#include "packages/archive/file_access.hpp"

namespace tenon::plugins {

/// Writes an export, entry by entry: a tar archive whose last entry is the hash of all before it.
/// Removed again unless finish() was called. Holds a bounded piece of it in memory. Throws as
/// fail_export_write(). One thread at a time.
class ExportWriter {
 public:
  /// Makes the file, which must not exist, for the user alone.
  explicit ExportWriter(std::string path);
  ~ExportWriter();
  ExportWriter(const ExportWriter&) = delete;
  ExportWriter& operator=(const ExportWriter&) = delete;

  /// Begins an entry of exactly `size` bytes, which write() appends in pieces; end() closes it.
  void begin(const std::string& name, std::uint64_t size);
  void write(std::string_view piece);
  /// Throws Refusal 503 "plugins.export_write_failed" where another number of bytes came.
  void end();
  void add(const std::string& name, std::string_view content);
  /// Writes the hash and the end, and returns the bytes when the file and its name are on disk.
  std::uint64_t finish();

 private:
  void put(std::string_view bytes);
  void flush();

  const std::string path_;
  base::UniqueFd file_;
  std::string buffer_;
  blobs::Sha256 hash_;
  std::string name_;
  std::uint64_t size_ = 0;  ///< of the entry that is open
  std::uint64_t left_ = 0;
  std::uint64_t written_ = 0;
  bool is_finished_ = false;
};

}  // namespace tenon::plugins
