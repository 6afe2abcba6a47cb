#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "installer/exports/export_facts.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

/// An export in the folder.
struct ExportItem {
  std::string name;
  std::uint64_t bytes = 0;
  std::optional<ExportFacts> facts;  ///< nothing: `reason` says why they cannot be read
  std::optional<Reason> reason;
};

/// Exports of plugins' data: files in `<data>/exports`. One that is being written or uploaded, or
/// whose removal is not decided, has a dot before its name and is ignored. Reading and receiving
/// are thread-safe; other changes are made by one thread at a time. Blocks.
///
///   <data>/exports/<id>-<version>-<time>-<random>.tar
class ExportFolder {
 public:
  explicit ExportFolder(const std::string& data) : folder_(data + "/exports") {}

  /// Returns the newest first, at most ExportLimits::listed. Reads only the facts of each.
  std::vector<ExportItem> list() const;
  /// Throws Refusal 404 "plugins.export_unknown", and as ExportReader.
  ExportItem one(const std::string& name) const;
  /// Its file. Throws Refusal 404 "plugins.export_unknown".
  std::string find(const std::string& name) const;
  /// On disk at the return. Throws as find(), 503 "plugins.export_write_failed".
  void remove(const std::string& name);

  /// Returns a name for a new export; makes the folder. Throws Refusal
  /// "plugins.export_write_failed".
  std::string new_name(const std::string& plugin, const std::string& version);
  /// Returns the path at which an export is written before it is published.
  std::string begun(const std::string& name) const { return folder_ + "/." + name; }
  /// Publishes a written export, on disk at the return; a second call has no effect. Throws Refusal
  /// "plugins.export_write_failed", 409 "plugins.export_missing" where the file is gone.
  void publish(const std::string& name);
  /// Removes files that are not published, except `kept` (names) and uploads in progress.
  void sweep(const std::vector<std::string>& kept) noexcept;

  /// For ReceivedExport: returns a name for an upload, which sweep() leaves. Throws 503
  /// "plugins.export_busy", Refusal "plugins.export_write_failed".
  std::string begin_receiving();
  /// Removes the upload of this name, unless it was taken.
  void end_receiving(const std::string& name) noexcept;
  /// Publishes an upload, which is complete and on disk, under a name made from its facts. Throws
  /// 409 "plugins.export_exists", Refusal "plugins.export_write_failed".
  ExportItem take(const std::string& name, const ExportFacts& facts);

 private:
  ExportItem read(const std::string& name) const;
  void make() const;
  void require_new(const std::string& hash, std::uint64_t bytes) const;

  const std::string folder_;
  std::mutex receiving_;
  std::set<std::string> received_;  ///< names of uploads in progress
};

}  // namespace tenon::plugins
