#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/unique_fd.hpp"
#include "installer/exports/export_folder.hpp"
#include "packages/archive/file_access.hpp"

namespace tenon::plugins {

/// An upload of an export, piece by piece. It is published once finish() has read it as a whole;
/// else it is removed. The folder outlives it. One thread at a time; blocks.
class ReceivedExport {
 public:
  /// `bytes` is the expected size, 0 if not known. Throws 503 "plugins.export_busy" while
  /// ExportLimits::received uploads run, 507 "data.disk_full" if the disk cannot hold them, Refusal
  /// "plugins.export_write_failed".
  ReceivedExport(ExportFolder& folder, std::uint64_t bytes);
  ~ReceivedExport();
  ReceivedExport(const ReceivedExport&) = delete;
  ReceivedExport& operator=(const ReceivedExport&) = delete;

  /// Throws Refusal "plugins.export_write_failed", 413 "plugins.export_too_large" beyond
  /// ExportLimits::upload.
  void write(std::string_view piece);
  /// Compares it with its hash, and gives it a name, on disk at the return. `plugin`, unless empty,
  /// is whose data are wanted. Throws as read_export(), of "the export"; Refusal 409
  /// "plugins.export_plugin_mismatch", 409 "plugins.export_exists" where the same file has a name
  /// already, "plugins.export_write_failed".
  ExportItem finish(const std::string& plugin);

 private:
  ExportFolder& folder_;
  const std::string name_;
  const std::string path_;
  base::UniqueFd file_;
  std::uint64_t bytes_ = 0;
};

}  // namespace tenon::plugins
