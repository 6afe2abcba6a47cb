#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tenon::blobs {
class Blobs;
}
namespace tenon::data {
class Database;
}

namespace tenon::records {

/// What the keys of claims of this room begin with.
inline constexpr std::string_view claim_prefix = "records/";

/// Whether a claim was made for a file of a record; for the file of an import.
bool is_record_claim(std::string_view key) noexcept;
bool is_import_claim(std::string_view key) noexcept;

/// Ends the claims that were made for records and imports of the plugin and belong to none: the
/// host's database has a claim and the plugin's has no change, because the server ended between the
/// two. How many. `database` is the plugin's. Only where nobody of this process has begun a change
/// of the plugin's records yet: what is on its way looks the same. A file that has never had a
/// record with files, or an import, is left alone: it may stand in for one that is missing.
/// Blocks on both databases, and throws what they throw.
std::size_t release_orphaned_claims(blobs::Blobs& blobs, const std::string& plugin,
                                    data::Database& database);

}  // namespace tenon::records
