#include "installer/exports/exporting.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>

#include "base/clock.hpp"
#include "blobs/blobs.hpp"
#include "data/snapshot/snapshot.hpp"
#include "installer/exports/export_facts.hpp"
#include "installer/exports/export_refusal.hpp"
#include "installer/exports/export_writer.hpp"
#include "installer/exports/limits.hpp"
#include "packages/archive/file_access.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t piece_bytes = 256 * 1024;
constexpr std::size_t ids_at_once = 1'000;

// A database that goes with the object.
class SnapshotFile {
 public:
  explicit SnapshotFile(std::string path) : path_(std::move(path)) {}
  ~SnapshotFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  SnapshotFile(const SnapshotFile&) = delete;
  SnapshotFile& operator=(const SnapshotFile&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  const std::string path_;
};

[[noreturn]] void fail_reading_source(int error, const std::string& path) {
  throw Refusal(
      {"plugins.export_unreadable", "It cannot be read: " + system_words(error) + ".", path, {}},
      503);
}

void add_data(ExportWriter& writer, const std::string& path, std::uint64_t bytes) {
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) fail_reading_source(errno, path);
  writer.begin(data_entry, bytes);
  std::vector<char> piece(piece_bytes);
  for (;;) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_reading_source(errno, path);
    if (got == 0) break;
    writer.write({piece.data(), static_cast<std::size_t>(got)});
  }
  writer.end();
}

void add_blob(ExportWriter& writer, blobs::Blobs& blobs, const std::string& plugin,
              const std::string& id, std::vector<char>& piece) {
  const blobs::Blobs::Opened opened = blobs.open(plugin, id);
  writer.begin(blobs_folder + id, opened.blob.bytes);
  blobs::Sha256 hash;
  for (std::uint64_t at = 0; at < opened.blob.bytes;) {
    const std::size_t got = opened.content->read(at, piece.data(), piece.size());
    if (got == 0) break;
    hash.add({piece.data(), got});
    writer.write({piece.data(), got});
    at += got;
  }
  writer.end();
  if (hash.hex() != id) {
    throw Refusal({"plugins.export_incomplete",
                   "The file " + id +
                       " of a record is damaged on the server's disk, so an export would lose it. "
                       "Put it back from a backup (tenon doctor), or delete that record.",
                   {},
                   {}});
  }
}

void add_blobs(ExportWriter& writer, blobs::Blobs& blobs, const std::string& plugin) {
  std::vector<char> piece(piece_bytes);
  std::string after;
  for (;;) {
    const std::vector<std::string> ids = blobs.claimed(plugin, after, ids_at_once);
    if (ids.empty()) return;
    for (const std::string& id : ids)
      add_blob(writer, blobs, plugin, id, piece);
    after = ids.back();
  }
}

void add_claims(ExportWriter& writer, blobs::Blobs& blobs, const std::string& plugin) {
  blobs::Blobs::Claim after;
  for (std::size_t page = 1;; ++page) {
    const auto claims = blobs.all_claims(plugin, after, ExportLimits::claims);
    if (claims.empty()) return;
    writer.add(claims_folder + std::to_string(page) + ".json", claims_text(claims));
    after = claims.back();
  }
}

}  // namespace

void write_export(const ExportSource& source, const std::string& path) {
  ExportFacts facts;
  facts.plugin = source.plugin;
  facts.version = source.version;
  facts.taken_ms = base::unix_milliseconds();
  const SnapshotFile database(path + ".db");
  const bool has_data = source.keep_data(database.path());
  if (has_data) {
    data::SnapshotFacts known = data::snapshot_facts(database.path());
    facts.data_version = known.version;
    facts.migration = known.migration;
    facts.data_bytes = known.bytes;
    facts.tables = std::move(known.tables);
  }
  const blobs::Blobs::Total total = source.blobs.total_claimed(source.plugin);
  facts.files = total.count;
  facts.file_bytes = total.bytes;

  ExportWriter writer(path);
  writer.add(facts_entry, facts_text(facts));
  std::size_t number = 0;
  for (const auto& [key, json] : source.settings)
    writer.add(settings_folder + std::to_string(++number) + ".json", setting_text({key, json}));
  if (has_data) add_data(writer, database.path(), facts.data_bytes);
  add_blobs(writer, source.blobs, source.plugin);
  add_claims(writer, source.blobs, source.plugin);
  writer.finish();
}

}  // namespace tenon::plugins
