#include "blobs/blobs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/utf8.hpp"
#include "blobs/image_type.hpp"
#include "blobs/schema.hpp"
#include "data/database.hpp"
#include "observability/log.hpp"

namespace tenon::blobs {

namespace {

constexpr int max_blobs_per_sweep = 100;

base::Error not_found() {
  return {404, "blobs.not_found", "There is no such file; it may have been deleted."};
}

void check_key(std::string_view key) {
  const bool is_good = !key.empty() && key.size() <= max_key_bytes && base::is_valid_utf8(key) &&
                       std::none_of(key.begin(), key.end(), [](char c) {
                         return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
                       });
  if (is_good) return;
  throw base::Error(422, "blobs.key_invalid",
                    "The key of a claim is 1 to 200 bytes of UTF-8 without control characters.");
}

// A claim that ended may have been the last.
constexpr std::string_view note_unclaimed =
    "UPDATE blobs_files SET unclaimed_ms = ?1 WHERE plugin = ?2 AND id = ?3 AND NOT EXISTS "
    "(SELECT 1 FROM blobs_claims c WHERE c.plugin = ?2 AND c.id = ?3)";

void release_in(data::Transaction& transaction, std::string_view plugin, std::string_view id,
                std::string_view key, std::int64_t now) {
  const auto done = transaction.exec(
      "DELETE FROM blobs_claims WHERE plugin = ?1 AND key = ?2 AND id = ?3", {plugin, key, id});
  if (done.changes != 0) transaction.exec(note_unclaimed, {now, plugin, id});
}

void claim_in(data::Transaction& transaction, std::string_view plugin, std::string_view id,
              std::string_view key) {
  {
    auto rows =
        transaction.query("SELECT 1 FROM blobs_files WHERE plugin = ?1 AND id = ?2", {plugin, id});
    if (!rows.next()) throw not_found();
  }
  const auto done = transaction.exec(
      "INSERT INTO blobs_claims (plugin, key, id) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
      {plugin, key, id});
  if (done.changes == 0) return;
  auto rows = transaction.query("SELECT count(*) FROM blobs_claims WHERE plugin = ?1 AND key = ?2",
                                {plugin, key});
  rows.next();
  if (rows.integer(0) > static_cast<std::int64_t>(max_claims)) {
    throw base::Error(422, "blobs.too_many_claims",
                      "One key claims at limit 10,000 blobs: use a key for each thing that has "
                      "files.");
  }
}

void log_remaining(const std::string& plugin, std::size_t count) noexcept {
  observability::log_warning("claims of files could not be released and stay",
                             {{"plugin", plugin}, {"claims", count}});
}

// Returns the first text that sorts after all texts with the prefix.
std::string prefix_end(std::string_view prefix) {
  std::string end(prefix);
  ++end.back();
  return end;
}

}  // namespace

Blobs::Blobs(data::Database& database, std::unique_ptr<ContentStore> store, Limits limits)
    : Blobs(database, std::move(store), limits, base::unix_milliseconds) {}

Blobs::Blobs(data::Database& database, std::unique_ptr<ContentStore> store, Limits limits,
             Clock clock)
    : database_(database),
      store_(std::move(store)),
      limits_(limits),
      clock_(std::move(clock)),
      usage_(limits.plugin) {
  make_tables(database_);
  auto rows = database_.query("SELECT plugin, sum(bytes) FROM blobs_files GROUP BY plugin");
  while (rows.next())
    usage_.count(std::string(rows.text(0)), static_cast<std::uint64_t>(rows.integer(1)));
  try {
    for (const std::string& plugin : store_->plugins()) {
      for (const std::string& name : store_->drafts(plugin, ContentStore::DraftKind::passing))
        store_->remove_draft(plugin, ContentStore::DraftKind::passing, name);
    }
  } catch (const base::Error&) {  // is in the log; the next start tries again
  }
}

Blobs::~Blobs() = default;

std::unique_ptr<BlobWriter> Blobs::create(const std::string& plugin) {
  return std::make_unique<BlobWriter>(*this, plugin);
}

std::optional<Blob> Blobs::find(const std::string& plugin, std::string_view id) {
  if (!is_blob_id(id)) return std::nullopt;
  auto rows = database_.query(
      "SELECT bytes, type, created_ms, (SELECT count(*) FROM blobs_claims c WHERE c.plugin = ?1 "
      "AND "
      "c.id = ?2) FROM blobs_files WHERE plugin = ?1 AND id = ?2",
      {plugin, id});
  if (!rows.next()) return std::nullopt;
  Blob blob;
  blob.id = id;
  blob.bytes = static_cast<std::uint64_t>(rows.integer(0));
  blob.type = rows.text(1);
  blob.created_ms = rows.integer(2);
  blob.claims = static_cast<std::uint32_t>(rows.integer(3));
  return blob;
}

Blobs::Opened Blobs::open(const std::string& plugin, std::string_view id) {
  // It may be removed, and written again, between the looks at its row and at its file.
  constexpr int looks = 4;
  for (int look = 1;; ++look) {
    std::optional<Blob> blob = find(plugin, id);
    if (!blob) throw not_found();
    std::shared_ptr<const Content> content = store_->open(plugin, blob->id);
    if (content && content->size() == blob->bytes) return {*std::move(blob), std::move(content)};
    if (look < looks) continue;
    observability::log_error("the file of a blob is missing or has another size",
                             {{"plugin", plugin}, {"blob", blob->id}});
    throw base::Error(503, "blobs.damaged",
                      "This file is damaged on the server's disk. An admin can find out more with "
                      "`tenon doctor` and put it back from a backup.");
  }
}

void Blobs::claim(const std::string& plugin, std::string_view id, std::string_view key) {
  claim_all(plugin, {{std::string(id), std::string(key)}});
}

void Blobs::claim_all(const std::string& plugin, const std::vector<Claim>& claims) {
  for (const Claim& claim : claims) {
    check_key(claim.key);
    if (!is_blob_id(claim.blob)) throw not_found();
  }
  database_.write([&](data::Transaction& transaction) {
    for (const Claim& claim : claims)
      claim_in(transaction, plugin, claim.blob, claim.key);
  });
}

void Blobs::release(const std::string& plugin, std::string_view id, std::string_view key) {
  check_key(key);
  if (!is_blob_id(id)) return;
  const std::int64_t now = clock_();
  database_.write(
      [&](data::Transaction& transaction) { release_in(transaction, plugin, id, key, now); });
}

void Blobs::release_later(const std::string& plugin, std::vector<Claim> claims) noexcept {
  class Release final : public data::QueuedWrite {
   public:
    Release(std::string plugin, std::vector<Claim> claims, std::int64_t now)
        : plugin_(std::move(plugin)), claims_(std::move(claims)), now_(now) {}
    void work(data::Transaction& transaction) override {
      for (const Claim& claim : claims_)
        release_in(transaction, plugin_, claim.blob, claim.key, now_);
    }
    void done(std::exception_ptr error) noexcept override {
      if (error) log_remaining(plugin_, claims_.size());
    }

   private:
    const std::string plugin_;
    const std::vector<Claim> claims_;
    const std::int64_t now_;
  };
  if (claims.empty()) return;
  const std::size_t count = claims.size();
  try {
    database_.queue(std::make_unique<Release>(plugin, std::move(claims), clock_()));
  } catch (const std::exception&) {
    log_remaining(plugin, count);
  }
}

std::size_t Blobs::count_claims(const std::string& plugin, std::string_view prefix) {
  const std::string end = prefix_end(prefix);
  auto rows = database_.query(
      "SELECT count(*) FROM blobs_claims WHERE plugin = ?1 AND key >= ?2 AND key < ?3",
      {plugin, prefix, end});
  rows.next();
  return static_cast<std::size_t>(rows.integer(0));
}

std::vector<Blobs::Claim> Blobs::claims(const std::string& plugin, std::string_view prefix,
                                        const Claim& after, std::size_t limit) {
  std::vector<Claim> found;
  const std::string end = prefix_end(prefix);
  auto rows = database_.query(
      "SELECT id, key FROM blobs_claims WHERE plugin = ?1 AND key >= ?2 AND key < ?3 AND (key, id) "
      "> (?4, ?5) ORDER BY key, id LIMIT ?6",
      {plugin, prefix, end, after.key, after.blob, limit});
  while (rows.next())
    found.push_back({std::string(rows.text(0)), std::string(rows.text(1))});
  return found;
}

std::vector<Blobs::Claim> Blobs::all_claims(const std::string& plugin, const Claim& after,
                                            std::size_t limit) {
  std::vector<Claim> found;
  auto rows = database_.query(
      "SELECT id, key FROM blobs_claims WHERE plugin = ?1 AND (key, id) > (?2, ?3) ORDER BY key, "
      "id LIMIT ?4",
      {plugin, after.key, after.blob, limit});
  while (rows.next())
    found.push_back({std::string(rows.text(0)), std::string(rows.text(1))});
  return found;
}

std::vector<std::string> Blobs::claimed(const std::string& plugin, std::string_view after,
                                        std::size_t limit) {
  std::vector<std::string> found;
  auto rows = database_.query(
      "SELECT DISTINCT id FROM blobs_claims WHERE plugin = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
      {plugin, after, limit});
  while (rows.next())
    found.emplace_back(rows.text(0));
  return found;
}

Blobs::Total Blobs::total_claimed(const std::string& plugin) {
  auto rows = database_.query(
      "SELECT count(*), coalesce(sum(bytes), 0) FROM blobs_files f WHERE plugin = ?1 AND EXISTS "
      "(SELECT 1 FROM blobs_claims c WHERE c.plugin = ?1 AND c.id = f.id)",
      {plugin});
  rows.next();
  return {static_cast<std::uint64_t>(rows.integer(0)), static_cast<std::uint64_t>(rows.integer(1))};
}

void Blobs::forget(const std::string& plugin) {
  database_.write([&](data::Transaction& transaction) {
    transaction.exec("DELETE FROM blobs_claims WHERE plugin = ?1", {plugin});
    transaction.exec("UPDATE blobs_files SET unclaimed_ms = 0 WHERE plugin = ?1", {plugin});
    transaction.exec("UPDATE blobs_uploads SET expires_ms = 0 WHERE plugin = ?1", {plugin});
  });
}

void Blobs::release_all(const std::string& plugin, std::string_view key) {
  check_key(key);
  const std::int64_t now = clock_();
  database_.write([&](data::Transaction& transaction) {
    std::vector<std::string> ids;
    {
      auto rows = transaction.query("SELECT id FROM blobs_claims WHERE plugin = ?1 AND key = ?2",
                                    {plugin, key});
      while (rows.next())
        ids.emplace_back(rows.text(0));
    }
    transaction.exec("DELETE FROM blobs_claims WHERE plugin = ?1 AND key = ?2", {plugin, key});
    for (const std::string& id : ids)
      transaction.exec(note_unclaimed, {now, plugin, id});
  });
}

Blob Blobs::keep(const std::string& plugin, const Draft& draft, const std::string& id,
                 std::string_view type, const std::function<void(data::Transaction&)>& also) {
  const std::int64_t now = clock_();
  const std::uint64_t bytes = draft.size();
  const std::lock_guard lock(mutex_of(plugin, id));
  bool is_new = false;
  try {
    // Also where the content is there already: a damaged file is made good by it.
    store_->publish(plugin, draft, id);
    is_new = database_.write([&](data::Transaction& transaction) {
      const auto done = transaction.exec(
          "INSERT INTO blobs_files (plugin, id, bytes, type, created_ms, unclaimed_ms) "
          "VALUES (?1, ?2, ?3, ?4, ?5, ?5) ON CONFLICT DO NOTHING",
          {plugin, id, bytes, type, now});
      if (done.changes == 0)
        transaction.exec(
            "UPDATE blobs_files SET unclaimed_ms = ?1 WHERE plugin = ?2 AND id = ?3 AND "
            "unclaimed_ms < ?1",
            {now, plugin, id});
      also(transaction);
      return done.changes != 0;
    });
  } catch (...) {
    try {
      if (!is_acknowledged(plugin, id)) store_->remove(plugin, id);
    } catch (const base::Error&) {  // a stray, until the next start
    }
    throw;
  }
  if (!is_new) usage_.give_back(plugin, bytes);
  std::optional<Blob> blob = find(plugin, id);
  if (!blob) throw not_found();
  return *std::move(blob);
}

std::size_t Blobs::sweep() {
  const std::int64_t before = clock_() - limits_.grace_period.count();
  std::size_t count = 0;
  for (;;) {
    std::vector<std::pair<std::string, std::string>> due;
    {
      auto rows = database_.query(
          "SELECT plugin, id FROM blobs_files f WHERE unclaimed_ms < ?1 AND NOT EXISTS (SELECT 1 "
          "FROM blobs_claims c WHERE c.plugin = f.plugin AND c.id = f.id) LIMIT ?2",
          {before, max_blobs_per_sweep});
      while (rows.next())
        due.emplace_back(rows.text(0), rows.text(1));
    }
    std::size_t removed = 0;
    for (const auto& [plugin, id] : due)
      removed += remove_if_due(plugin, id, before) ? 1U : 0U;
    count += removed;
    if (removed == 0) return count;
  }
}

bool Blobs::remove_if_due(const std::string& plugin, const std::string& id, std::int64_t before) {
  const std::lock_guard lock(mutex_of(plugin, id));
  const std::int64_t bytes = database_.write([&](data::Transaction& transaction) -> std::int64_t {
    std::int64_t found = -1;
    {
      auto rows = transaction.query(
          "SELECT bytes FROM blobs_files f WHERE plugin = ?1 AND id = ?2 AND unclaimed_ms < ?3 AND "
          "NOT EXISTS (SELECT 1 FROM blobs_claims c WHERE c.plugin = ?1 AND c.id = ?2)",
          {plugin, id, before});
      if (rows.next()) found = rows.integer(0);
    }
    if (found >= 0)
      transaction.exec("DELETE FROM blobs_files WHERE plugin = ?1 AND id = ?2", {plugin, id});
    return found;
  });
  if (bytes < 0) return false;
  usage_.give_back(plugin, static_cast<std::uint64_t>(bytes));
  store_->remove(plugin, id);
  return true;
}

std::size_t Blobs::sweep_strays() {
  std::size_t count = 0;
  for (const std::string& plugin : store_->plugins()) {
    store_->for_each(plugin, [&](const std::string& id) {
      if (is_acknowledged(plugin, id)) return;
      const std::lock_guard lock(mutex_of(plugin, id));
      if (is_acknowledged(plugin, id)) return;
      store_->remove(plugin, id);
      ++count;
    });
  }
  return count;
}

bool Blobs::is_acknowledged(const std::string& plugin, const std::string& id) {
  return database_.query("SELECT 1 FROM blobs_files WHERE plugin = ?1 AND id = ?2", {plugin, id})
      .next();
}

std::mutex& Blobs::mutex_of(std::string_view plugin, std::string_view id) noexcept {
  const std::size_t hash =
      std::hash<std::string_view>{}(plugin)*31 + std::hash<std::string_view>{}(id);
  return mutexes_[hash % mutexes_.size()];
}

BlobWriter::BlobWriter(Blobs& blobs, std::string plugin)
    : blobs_(blobs),
      plugin_(std::move(plugin)),
      draft_(blobs.store().begin(plugin_, ContentStore::DraftKind::passing, base::new_id())) {}

BlobWriter::~BlobWriter() {
  blobs_.usage().give_back(plugin_, taken_);
}

void BlobWriter::write(std::string_view bytes) {
  if (has_failed_)
    throw base::Error(409, "blobs.write_failed", "An earlier write of this file failed.");
  if (bytes.size() > blobs_.limits().blob - std::min(blobs_.limits().blob, draft_->size())) {
    has_failed_ = true;
    throw base::Error(
        413, "blobs.too_large",
        "A file has at limit " + std::to_string(blobs_.limits().blob) + " bytes (blobs.max_size).");
  }
  try {
    blobs_.usage().take(plugin_, bytes.size());
    taken_ += bytes.size();
    draft_->append(bytes);
  } catch (...) {
    has_failed_ = true;
    throw;
  }
  hash_.add(bytes);
  if (head_.size() < image_head_bytes) head_ += bytes.substr(0, image_head_bytes - head_.size());
}

Blob BlobWriter::finish() {
  if (has_failed_)
    throw base::Error(409, "blobs.write_failed", "An earlier write of this file failed.");
  has_failed_ = true;  // whatever comes of it, nothing more may be written
  draft_->sync();
  Blob blob =
      blobs_.keep(plugin_, *draft_, hash_.hex(), image_type_of(head_), [](data::Transaction&) {});
  taken_ = 0;
  return blob;
}

}  // namespace tenon::blobs
