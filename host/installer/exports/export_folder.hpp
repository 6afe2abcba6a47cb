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

/// What is in the folder of exports.
struct ExportItem {
  std::string name;
  std::uint64_t bytes = 0;
  std::optional<ExportFacts> facts;  ///< nothing: `reason` says why they cannot be read
  std::optional<Reason> reason;
};

/// Exports of plugins' data: files in `<data>/exports`. One that is being written, or whose removal
/// is not decided, or that comes in, has a dot before its name and counts for nothing. Reading and
/// receiving are thread-safe; other changes are made by one thread at a time. Blocks.
///
///   <data>/exports/<id>-<version>-<time>-<random>.tar
class ExportFolder {
 public:
  explicit ExportFolder(const std::string& data) : folder_(data + "/exports") {}

  /// The newest first, at most ExportLimits::listed; of each what it says of itself was read, and
  /// nothing else was looked at.
  std::vector<ExportItem> list() const;
  /// Throws Refusal 404 "plugins.export_unknown", and as ExportReader.
  ExportItem one(const std::string& name) const;
  /// Its file. Throws Refusal 404 "plugins.export_unknown".
  std::string find(const std::string& name) const;
  /// On disk at the return. Throws as find(), 503 "plugins.export_write_failed".
  void remove(const std::string& name);

  /// A name for a new export; the folder is made. Throws Refusal "plugins.export_write_failed".
  std::string new_name(const std::string& plugin, const std::string& version);
  /// Where one is written that does not count yet.
  std::string begun(const std::string& name) const { return folder_ + "/." + name; }
  /// What was written counts from now on, on disk at the return; again is without effect. Throws
  /// Refusal "plugins.export_write_failed", 409 "plugins.export_missing" where the file is gone.
  void publish(const std::string& name);
  /// Removes what does not count, but for `kept` (names) and what comes in.
  void sweep(const std::vector<std::string>& kept) noexcept;

  /// For ReceivedExport: a name for what comes in, which sweep() leaves. Throws 503
  /// "plugins.export_busy", Refusal "plugins.export_write_failed".
  std::string begin_receiving();
  /// Removes what came under this name, unless it was taken.
  void end_receiving(const std::string& name) noexcept;
  /// What came, and is whole and on disk, counts from now on, under a name that says what it is.
  /// Throws 409 "plugins.export_exists", Refusal "plugins.export_write_failed".
  ExportItem take(const std::string& name, const ExportFacts& facts);

 private:
  ExportItem read(const std::string& name) const;
  void make() const;
  void require_new(const std::string& hash, std::uint64_t bytes) const;

  const std::string folder_;
  std::mutex receiving_;
  std::set<std::string> received_;  ///< names of what comes in
};

}  // namespace tenon::plugins
