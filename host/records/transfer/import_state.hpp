#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "blobs/blobs.hpp"
#include "data/database.hpp"
#include "records/transfer/import_request.hpp"

namespace tenon::records {

/// The progress of an import.
struct ImportProgress {
  std::int64_t rows = 0;  ///< that were read, with the wrong ones
  std::int64_t created = 0;
  std::int64_t changed = 0;
  std::int64_t wrong = 0;   ///< rows
  std::int64_t errors = 0;  ///< that are kept
  bool is_finished = false;
  std::string failure;  ///< why nothing more is imported; empty: for no reason
};

/// An error of a row.
struct ImportError {
  std::uint64_t line = 0;
  std::string field;  ///< empty: the row
  std::string code;
  std::string message;
};

/// The state of imports, in the tables `tenon_imports` and `tenon_import_errors` of the plugin's
/// database, so that a batch and its progress are one transaction.
namespace imports {

/// Stores a new import. Deletes a bounded number of imports older than import_retention_ms and
/// returns the claims of their files, which the caller must release.
std::vector<blobs::Blobs::Claim> begin(data::Transaction& transaction, data::Dialect engine,
                                       const ImportRequest& request, std::int64_t now_ms);
std::optional<ImportProgress> find(data::Database& database, std::string_view id);
/// Returns the stored errors, in order.
std::vector<ImportError> errors(data::Database& database, std::string_view id);
/// Stores the progress. Stores errors of `found` up to max_import_errors, and counts them.
void keep(data::Transaction& transaction, std::string_view id, ImportProgress& tally,
          const std::vector<ImportError>& found);

}  // namespace imports
}  // namespace tenon::records
