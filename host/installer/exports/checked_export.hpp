#pragma once

#include <string>

#include "installer/exports/export_facts.hpp"

namespace tenon::settings {
class Store;
}

namespace tenon::plugins {

/// An export that was read once as a whole and matches its own facts and the hash of all its bytes.
/// Its unpacked database is kept until the object is destroyed.
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

  /// Reads the export again, and restores settings, blobs and claims of the plugin; on disk at the
  /// return. A failure leaves what was restored before it. Throws as the constructor, as Blobs and
  /// the host's database (413, 507), and Refusal "plugins.export_damaged" if a claim names a blob
  /// that is missing.
  void restore_to(settings::Store& settings, blobs::Blobs& blobs) const;

 private:
  const std::string file_;
  std::string database_;
  ExportFacts facts_;
};

}  // namespace tenon::plugins
