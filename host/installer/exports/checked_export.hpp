#pragma once

#include <string>

#include "installer/exports/export_facts.hpp"

namespace tenon::plugins {

class SettingsStore;

/// An export that was read once as a whole and is what it says, with the hash of all its bytes. Its
/// database lies unpacked beside until the object goes.
class CheckedExport {
 public:
  /// Reads `file`, in bounded memory; the database becomes a new file in the folder `staging`,
  /// which is made. Throws as read_export(), and Refusal "plugins.export_write_failed".
  CheckedExport(std::string file, const std::string& staging);
  ~CheckedExport();
  CheckedExport(const CheckedExport&) = delete;
  CheckedExport& operator=(const CheckedExport&) = delete;

  const ExportFacts& facts() const noexcept { return facts_; }
  const std::string& file() const noexcept { return file_; }
  /// The file of SQLite; empty where the plugin had none.
  const std::string& database() const noexcept { return database_; }

  /// Reads it again, and gives the plugin its settings, blobs and claims; on disk at the return.
  /// What fails in between leaves what was given already. Throws as the constructor, what Blobs and
  /// the host's database throw (413, 507), and Refusal "plugins.export_damaged" where a claim is of
  /// a blob that is not there.
  void restore_to(SettingsStore& settings, blobs::Blobs& blobs) const;

 private:
  const std::string file_;
  std::string database_;
  ExportFacts facts_;
};

}  // namespace tenon::plugins
