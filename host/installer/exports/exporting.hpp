#pragma once

#include <functional>
#include <map>
#include <string>

namespace tenon::blobs {
class Blobs;
}

namespace tenon::plugins {

/// What of a plugin an export holds. Nobody changes it meanwhile.
struct ExportSource {
  std::string plugin;
  std::string version;
  /// Writes its database into a new file of SQLite, on disk at the return; false where it has none.
  std::function<bool(const std::string& path)> keep_data;
  std::map<std::string, std::string, std::less<>> settings;  ///< JSON by their keys
  blobs::Blobs& blobs;
};

/// Writes all of it into the new file `path`, on disk at the return. The database lies beside it
/// meanwhile (`path`.db), so that room for two of them is needed. In bounded memory. Throws as
/// ExportWriter, `keep_data`, and Blobs::open(); nothing stays then.
void write_export(const ExportSource& source, const std::string& path);

}  // namespace tenon::plugins
