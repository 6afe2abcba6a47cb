#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "blobs/disk_store.hpp"
#include "blobs/sha256.hpp"
#include "maintenance/doctor/checks.hpp"
#include "maintenance/doctor/host_tables.hpp"
#include "packages/manifest/manifest.hpp"
#include "records/service/orphaned_claims.hpp"
#include "sqlite/connection/inspection.hpp"

namespace tenon::console {

namespace {

// More would not help to decide.
constexpr std::size_t max_blob_findings = 5;
// Bytes that a check which is not in full reads, of randomly chosen files.
constexpr std::uint64_t sample_bytes = std::uint64_t{64} * 1024 * 1024;
constexpr std::size_t read_piece = 256 * 1024;
// A claim that stays longer than this is not of a change in progress.
constexpr std::chrono::seconds change_time{2};

struct BlobRow {
  std::string plugin;
  std::string id;
  std::uint64_t bytes = 0;
};

std::string hash_of(const blobs::Content& content) {
  blobs::Sha256 hash;
  std::string piece(read_piece, '\0');
  std::uint64_t offset = 0;
  while (const std::size_t got = content.read(offset, piece.data(), piece.size())) {
    hash.add({piece.data(), got});
    offset += got;
  }
  return hash.hex();
}

// Returns the fault of the file; empty if it is sound.
std::string look_at(blobs::DiskStore& store, const BlobRow& blob, bool is_read) {
  try {
    const std::shared_ptr<const blobs::Content> content = store.open(blob.plugin, blob.id);
    if (!content) return "The file is missing.";
    if (content->size() != blob.bytes) {
      return "The file has " + std::to_string(content->size()) + " bytes instead of " +
             std::to_string(blob.bytes) + ".";
    }
    if (is_read && hash_of(*content) != blob.id)
      return "The content is not what was stored: its hash is another.";
  } catch (const base::Error& error) {
    return "The file cannot be read: " + error.message();
  }
  return {};
}

// A server that runs may have removed it meanwhile.
bool is_recorded(HostTables& database, const BlobRow& blob) {
  return database
      .number("SELECT 1 FROM blobs_files WHERE plugin = '" + blob.plugin + "' AND id = '" +
              blob.id + "'")
      .has_value();
}

// Keys of claims that were made for records and imports of the plugin and belong to none.
std::vector<std::string> find_orphaned_claims(const CheckContext& context,
                                              const std::string& plugin) {
  HostTables host(context);
  std::vector<std::string> claims;
  host.each("SELECT key, 0 FROM blobs_claims WHERE plugin = '" + plugin +
                "' AND key >= 'records/' AND key < 'records0'",
            [&claims](const std::string& key, std::int64_t) { claims.push_back(key); });
  if (claims.empty()) return claims;
  // Read after the claims: a change of a running server writes them in the reverse order.
  data::sqlite::Inspection own(context.installation.data + "/" + plugin + ".db",
                               context.has_server);
  std::unordered_set<std::string> known;
  const auto collect = [&known](const std::string& claim, std::int64_t) { known.insert(claim); };
  const bool has_files = own.each("SELECT claim, 0 FROM tenon_files", collect);
  const bool has_imports = own.each("SELECT claim, 0 FROM tenon_imports", collect);
  std::erase_if(claims, [&](const std::string& key) {
    const bool is_of_room = (has_files && records::is_record_claim(key)) ||
                            (has_imports && records::is_import_claim(key));
    return !is_of_room || known.contains(key);
  });
  return claims;
}

// How many there are; of a running server those that are no changes on their way.
std::size_t count_orphaned_claims(const CheckContext& context, const std::string& plugin) {
  std::vector<std::string> left = find_orphaned_claims(context, plugin);
  if (left.empty() || !context.has_server) return left.size();
  std::this_thread::sleep_for(change_time);
  const std::vector<std::string> later = find_orphaned_claims(context, plugin);
  std::erase_if(left, [&](const std::string& key) {
    return std::find(later.begin(), later.end(), key) == later.end();
  });
  return left.size();
}

}  // namespace

void check_blobs(CheckContext& context) {
  Report& report = context.report;
  report.begin("blobs");
  if (!context.is_there) return report.summarize("not looked at");
  const std::string folder = context.installation.data + "/blobs";
  HostTables database(context);
  std::vector<BlobRow> all;
  const bool is_listed = database.each(
      "SELECT plugin || '/' || id, bytes FROM blobs_files ORDER BY "
      "random()",
      [&all](const std::string& name, std::int64_t bytes) {
        const std::size_t slash = name.find('/');
        all.push_back(
            {name.substr(0, slash), name.substr(slash + 1), static_cast<std::uint64_t>(bytes)});
      });
  if (!is_listed) return report.summarize("none");
  blobs::DiskStore store(folder);
  std::uint64_t bytes = 0;
  std::uint64_t read = 0;
  std::size_t findings = 0;
  for (const BlobRow& blob : all) {
    if (!blobs::is_blob_id(blob.id)) continue;  // the database is damaged, which has its own check
    bytes += blob.bytes;
    const bool is_read = context.installation.is_full || read + blob.bytes <= sample_bytes;
    if (is_read) read += blob.bytes;
    const std::string what = look_at(store, blob, is_read);
    if (what.empty() || !is_recorded(database, blob)) continue;
    if (++findings > max_blob_findings) continue;
    report.error("blobs.damaged", folder + "/" + blob.plugin + "/" + blobs::blob_path(blob.id),
                 what,
                 "Put the file back from a backup; storing the same content again repairs it too. "
                 "Check the disk and the memory.");
  }
  std::vector<std::string> plugins;
  database.each("SELECT DISTINCT plugin, 0 FROM blobs_claims",
                [&plugins](const std::string& plugin, std::int64_t) { plugins.push_back(plugin); });
  for (const std::string& plugin : plugins) {
    if (!plugins::is_plugin_id(plugin)) continue;  // damaged as well
    const std::size_t left = count_orphaned_claims(context, plugin);
    if (left == 0) continue;
    report.note("blobs.orphaned_claims", plugin,
                std::to_string(left) +
                    (left == 1 ? " file is kept for a record that does not have it"
                               : " files are kept for records that do not have them") +
                    ": the server ended in the middle of a change.",
                "Nothing: the next start of the server with this plugin active releases them.");
  }
  report.summarize(std::to_string(all.size()) + " files, " + show_bytes(bytes) + ", " +
                   show_bytes(read) + " of it read" +
                   (findings == 0 ? "" : ", " + std::to_string(findings) + " damaged"));
}

}  // namespace tenon::console
