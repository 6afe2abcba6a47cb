#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "data/files/clean_close.hpp"

namespace tenon::plugins {

/// Reads and writes `run/clean-shutdown`: the state of the plugins' database files when the
/// previous process closed them cleanly. A file that is unchanged, under the same declaration and
/// the same program, is not checked at startup. Thread-safe.
class CleanShutdownRecord {
 public:
  /// `data`: the data directory.
  explicit CleanShutdownRecord(const std::string& data);

  /// Reads the record and deletes its file, so that a killed process leaves none. If the file
  /// cannot be deleted, the record is empty.
  void begin();
  /// Returns the entry of the plugin's file, if the file is unchanged since it was closed and
  /// `declaration` (a digest) was applied to it.
  std::optional<data::CleanClose> find(const std::string& plugin, const std::string& file,
                                       const std::string& declaration) const;
  /// Sets the entry for the next process; none: it checks the file.
  void put(const std::string& plugin, std::optional<data::CleanClose> closed);
  /// Writes the record; entries put later are lost. Without a record the next start checks every
  /// file, so a failure is not reported.
  void end() noexcept;

 private:
  const std::string path_;
  mutable std::mutex mutex_;
  std::map<std::string, data::CleanClose> known_;
  std::map<std::string, data::CleanClose> closed_;
};

}  // namespace tenon::plugins
