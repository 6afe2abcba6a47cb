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

/// How far an import is.
struct ImportProgress {
  std::int64_t rows = 0;  ///< that were looked at, the wrong ones too
  std::int64_t created = 0;
  std::int64_t changed = 0;
  std::int64_t wrong = 0;   ///< rows
  std::int64_t errors = 0;  ///< that are kept
  bool is_finished = false;
  std::string failure;  ///< why nothing more is imported; empty: for no reason
};

/// What is wrong with a row.
struct ImportError {
  std::uint64_t line = 0;
  std::string field;  ///< empty: the row
  std::string code;
  std::string message;
};

/// What is kept of imports: the tables `tenon_imports` and `tenon_import_errors` of the plugin's
/// file, so that a batch and how far it was are one transaction.
namespace imports {

/// A new one. What is older than import_retention_ms goes, some at a time; the claims of its files,
/// which are to be ended.
std::vector<blobs::Blobs::Claim> begin(data::Transaction& transaction, data::Dialect engine,
                                       const ImportRequest& request, std::int64_t now_ms);
std::optional<ImportProgress> find(data::Database& database, std::string_view id);
/// The errors that are kept, in order.
std::vector<ImportError> errors(data::Database& database, std::string_view id);
/// Writes how far it is. Of `found` those are kept that max_import_errors lets, and counted.
void keep(data::Transaction& transaction, std::string_view id, ImportProgress& tally,
          const std::vector<ImportError>& found);

}  // namespace imports
}  // namespace tenon::records
