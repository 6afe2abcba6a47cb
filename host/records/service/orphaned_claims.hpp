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

/// The prefix of the keys of this room's claims.
inline constexpr std::string_view claim_prefix = "records/";

/// Whether a claim was made for a file of a record; for the file of an import.
bool is_record_claim(std::string_view key) noexcept;
bool is_import_claim(std::string_view key) noexcept;

/// Ends the claims that were made for records and imports of the plugin and belong to none. Such a
/// claim remains in the host's database if the server ends between the claim and the change in the
/// plugin's database. Returns the number of ended claims. `database` is the plugin's. Call only
/// before this process begins a change of the plugin's records: a running change looks the same. A
/// database that has never had a record with files, or an import, is left alone: it may replace a
/// missing one. Blocks on both databases, and throws their errors.
std::size_t release_orphaned_claims(blobs::Blobs& blobs, const std::string& plugin,
                                    data::Database& database);

}  // namespace tenon::records
