#pragma once

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
  std::string data_file;  ///< the plugin's file of SQLite, which nobody has open; may not be there
  std::map<std::string, std::string, std::less<>> settings;  ///< JSON by their keys
  blobs::Blobs& blobs;
};

/// Writes all of it into the new file `path`, on disk at the return. A snapshot of the database
/// lies beside it meanwhile (`path`.db), so that room for two of them is needed. In bounded memory.
/// Throws as ExportWriter, data::snapshot, and Blobs::open(); nothing stays then.
void write_export(const ExportSource& source, const std::string& path);

}  // namespace tenon::plugins
