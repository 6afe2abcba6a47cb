#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "data/files/clean_close.hpp"

namespace tenon::plugins {

/// The file `run/closed`: what the process before knew of the files with the plugins' data when it
/// closed them in order. A file that is still so, under the same declaration (which another program
/// reads otherwise), needs no look at a start. Thread-safe.
class CleanShutdownRecord {
 public:
  /// `data`: the data directory.
  explicit CleanShutdownRecord(const std::string& data);

  /// Reads the record and takes it from the disk, so that a process that is killed leaves none.
  /// Where it cannot be taken away nothing is known.
  void begin();
  /// What is known of the plugin's file, where that is as it was closed and `declaration` (the
  /// digest) was applied to it.
  std::optional<data::CleanClose> find(const std::string& plugin, const std::string& file,
                                       const std::string& declaration) const;
  /// For the next process; nothing: it is to look at the file.
  void put(const std::string& plugin, std::optional<data::CleanClose> closed);
  /// Writes the record; what is put later is lost. Without one the next start looks at everything,
  /// so that no failure is told.
  void end() noexcept;

 private:
  const std::string path_;
  mutable std::mutex mutex_;
  std::map<std::string, data::CleanClose> known_;
  std::map<std::string, data::CleanClose> closed_;
};

}  // namespace tenon::plugins
