#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/database.hpp>

#include "store/access.hpp"
#include "store/notebooks.hpp"

namespace notes::store {

/// A file of a batch.
struct ImportFile {
  std::string path;
  std::string text;
  std::optional<std::string> modified;  ///< RFC 3339 UTC with milliseconds
};

enum class ImportResult : std::uint8_t { created, unchanged, skipped, failed };
std::string_view name_of(ImportResult result) noexcept;

/// The result for a file.
struct Imported {
  ImportResult result = ImportResult::failed;
  std::string note;     ///< id, of created and unchanged
  std::string file;     ///< of created, when it could not have its own name
  std::string code;     ///< of skipped and failed
  std::string message;  ///< of skipped and failed
};

/// One import: the id that the client made for it, where it goes. It is that of who asks.
struct Import {
  std::string id;
  Location location;
};

/// Imports the files of one batch in one transaction; repeating it makes nothing twice. Results are
/// in the order of the files.
std::vector<Imported> import_files(Scope& scope, const Import& import,
                                   const std::vector<ImportFile>& files);

}  // namespace notes::store
