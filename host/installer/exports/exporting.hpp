#pragma once

#include <functional>
#include <map>
#include <string>

namespace tenon::blobs {
class Blobs;
}

namespace tenon::plugins {

/// The parts of a plugin that an export holds. The caller must not change them meanwhile.
struct ExportSource {
  std::string plugin;
  std::string version;
  /// Writes its database into a new file of SQLite, on disk at the return; false where it has none.
  std::function<bool(const std::string& path)> keep_data;
  std::map<std::string, std::string, std::less<>> settings;  ///< JSON by their keys
  blobs::Blobs& blobs;
};

/// Writes all parts into the new file `path`, on disk at the return. Uses bounded memory. A second
/// copy of the database is next to it meanwhile (`path`.db), so the disk must hold both. Throws as
/// ExportWriter, `keep_data`, and Blobs::open(); then no file remains.
void write_export(const ExportSource& source, const std::string& path);

}  // namespace tenon::plugins
