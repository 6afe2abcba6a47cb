#include "blobs/uploads.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "blobs/blobs.hpp"
#include "blobs/image_type.hpp"
#include "data/database.hpp"
#include "observability/log.hpp"

namespace tenon::blobs {

namespace {

using DraftKind = ContentStore::DraftKind;

constexpr std::size_t read_piece = 256 * 1024;
constexpr int max_uploads_per_sweep = 100;

// Changes when the kernel starts: until then, what was written to a file is there, on disk or not.
std::string read_boot() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(in, boot);
  return boot;
}

std::size_t unfinished_of(data::Transaction& transaction, std::string_view user) {
  auto rows = transaction.query(
      "SELECT count(*) FROM blobs_uploads WHERE \"user\" = ?1 AND blob IS NULL", {user});
  return rows.next() ? static_cast<std::size_t>(rows.integer(0)) : 0;
}

base::Error no_upload() {
  return {404, "blobs.no_upload", "There is no such upload, or it has expired. Start it again."};
}

}  // namespace

struct Uploads::Row {
  Upload upload;
  std::uint64_t synced = 0;
  std::string boot;
  std::string blob;  // id; empty: not finished
};

Uploads::Uploads(Blobs& blobs) : Uploads(blobs, read_boot()) {}

Uploads::Uploads(Blobs& blobs, std::string boot) : blobs_(blobs), boot_(std::move(boot)) {
  {
    auto rows = blobs_.database().query(
        "SELECT plugin, sum(bytes) FROM blobs_uploads WHERE blob IS NULL GROUP BY plugin");
    while (rows.next())
      blobs_.usage().count(std::string(rows.text(0)), static_cast<std::uint64_t>(rows.integer(1)));
  }
  try {
    sweep_drafts();
  } catch (const base::Error&) {  // is in the log; the next start tries again
  }
}

Uploads::~Uploads() = default;

// A process may have ended between a draft and its row.
void Uploads::sweep_drafts() {
  for (const std::string& plugin : blobs_.store().plugins()) {
    for (const std::string& id : blobs_.store().drafts(plugin, DraftKind::resumed)) {
      const std::optional<Row> row = row_of(id);
      if (!row || !row->blob.empty() || row->upload.plugin != plugin)
        blobs_.store().remove_draft(plugin, DraftKind::resumed, id);
    }
  }
}

Upload Uploads::create(const Request& request) {
  const Limits& limits = blobs_.limits();
  if (request.bytes > limits.blob) {
    throw base::Error(
        413, "blobs.too_large",
        "A file has at most " + std::to_string(limits.blob) + " bytes (blobs.max_size).");
  }
  Upload upload;
  upload.id = base::new_id();
  upload.plugin = request.plugin;
  upload.user = request.user;
  upload.bytes = request.bytes;
  upload.name = request.name;
  upload.metadata = request.metadata;
  upload.expires_ms = blobs_.now() + limits.upload.count();
  blobs_.usage().take(request.plugin, request.bytes);
  try {
    const std::unique_ptr<Draft> draft =
        blobs_.store().begin(request.plugin, DraftKind::resumed, upload.id);
    blobs_.database().write([&](data::Transaction& transaction) {
      if (unfinished_of(transaction, request.user) >= limits.uploads) {
        throw base::Error(429, "blobs.too_many_uploads",
                          "You have " + std::to_string(limits.uploads) +
                              " unfinished uploads already (blobs.uploads). Finish or cancel one, "
                              "or wait until they expire.");
      }
      transaction.exec(
          "INSERT INTO blobs_uploads (id, plugin, \"user\", bytes, name, metadata, expires_ms, "
          "synced, "
          "boot, blob) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, ?8, NULL)",
          {upload.id, upload.plugin, upload.user, upload.bytes, upload.name, upload.metadata,
           upload.expires_ms, boot_});
    });
    draft->keep();
  } catch (...) {
    blobs_.usage().give_back(request.plugin, request.bytes);
    throw;
  }
  return upload;
}

std::optional<Uploads::Row> Uploads::row_of(const std::string& id) {
  Row row;
  {
    auto rows = blobs_.database().query(
        "SELECT plugin, \"user\", bytes, name, metadata, expires_ms, synced, boot, blob FROM "
        "blobs_uploads WHERE id = ?1",
        {id});
    if (!rows.next()) return std::nullopt;
    row.upload.id = id;
    row.upload.plugin = rows.text(0);
    row.upload.user = rows.text(1);
    row.upload.bytes = static_cast<std::uint64_t>(rows.integer(2));
    row.upload.name = rows.text(3);
    row.upload.metadata = rows.text(4);
    row.upload.expires_ms = rows.integer(5);
    row.synced = static_cast<std::uint64_t>(rows.integer(6));
    row.boot = rows.text(7);
    row.blob = rows.text(8);
  }
  return row;
}

Uploads::Row Uploads::own_row(const std::string& plugin, const std::string& user,
                              const std::string& id) {
  std::optional<Row> row = base::is_id(id) ? row_of(id) : std::nullopt;
  if (!row || row->upload.plugin != plugin || row->upload.user != user ||
      row->upload.expires_ms <= blobs_.now())
    throw no_upload();
  return *std::move(row);
}

Upload Uploads::find(const std::string& plugin, const std::string& user, const std::string& id) {
  Row row = own_row(plugin, user, id);
  Upload& upload = row.upload;
  if (!row.blob.empty()) {
    upload.offset = upload.bytes;
    upload.blob = blobs_.find(plugin, row.blob);
    if (!upload.blob) throw no_upload();  // it was not claimed in time
    return upload;
  }
  const std::optional<std::uint64_t> there = blobs_.store().draft_size(plugin, id);
  if (!there) throw no_upload();
  upload.offset = row.boot == boot_ ? *there : std::min(*there, row.synced);
  return upload;
}

std::unique_ptr<UploadSession> Uploads::append(const std::string& plugin, const std::string& user,
                                               const std::string& id, std::uint64_t offset,
                                               std::vector<std::string> types) {
  own_row(plugin, user, id);
  auto hold = std::make_unique<Hold>(*this, id);
  Row row = own_row(plugin, user, id);  // as it is now that no other session has it
  Upload& upload = row.upload;
  const auto check_offset = [&] {
    if (offset == upload.offset) return;
    throw base::Error(409, "blobs.wrong_offset",
                      "The upload is at " + std::to_string(upload.offset) + " bytes, not at " +
                          std::to_string(offset) +
                          ". Ask for its offset (HEAD) and continue there.");
  };
  if (!row.blob.empty()) {
    upload.offset = upload.bytes;
    upload.blob = blobs_.find(plugin, row.blob);
    if (!upload.blob) throw no_upload();
    check_offset();
    return std::unique_ptr<UploadSession>(
        new UploadSession(*this, std::move(upload), nullptr, std::move(hold), std::move(types)));
  }
  const bool is_same_boot = row.boot == boot_;
  std::unique_ptr<Draft> draft =
      blobs_.store().resume(plugin, id, is_same_boot ? upload.bytes : row.synced);
  if (!draft) throw no_upload();
  upload.offset = draft->size();
  check_offset();
  std::unique_ptr<UploadSession> session(new UploadSession(
      *this, std::move(upload), std::move(draft), std::move(hold), std::move(types)));
  if (!is_same_boot) session->note_synced();
  session->catch_up();
  return session;
}

void Uploads::drop(const Row& row) {
  const bool was_there =
      blobs_.database().exec("DELETE FROM blobs_uploads WHERE id = ?1", {row.upload.id}).changes !=
      0;
  if (!was_there || !row.blob.empty()) return;
  blobs_.usage().give_back(row.upload.plugin, row.upload.bytes);
  blobs_.store().remove_draft(row.upload.plugin, DraftKind::resumed, row.upload.id);
}

void Uploads::remove(const std::string& plugin, const std::string& user, const std::string& id) {
  own_row(plugin, user, id);
  Hold hold(*this, id);
  drop(own_row(plugin, user, id));
  hold.forget();
}

bool Uploads::has_uploaded(const std::string& plugin, const std::string& user,
                           std::string_view blob) {
  return blobs_.database()
      .query(
          "SELECT 1 FROM blobs_uploads WHERE \"user\" = ?1 AND plugin = ?2 AND blob = ?3 AND "
          "expires_ms > ?4",
          {user, plugin, blob, blobs_.now()})
      .next();
}

std::size_t Uploads::sweep() {
  std::size_t count = 0;
  for (;;) {
    std::vector<std::string> due;
    {
      auto rows =
          blobs_.database().query("SELECT id FROM blobs_uploads WHERE expires_ms <= ?1 LIMIT ?2",
                                  {blobs_.now(), max_uploads_per_sweep});
      while (rows.next())
        due.emplace_back(rows.text(0));
    }
    std::size_t removed = 0;
    for (const std::string& id : due) {
      try {
        Hold hold(*this, id);
        if (const std::optional<Row> row = row_of(id)) drop(*row);
        hold.forget();
        ++removed;
      } catch (const base::Error& error) {
        if (error.code() != "blobs.upload_busy") throw;
      }
    }
    count += removed;
    if (removed == 0) return count;
  }
}

Uploads::Hold::Hold(Uploads& uploads, std::string id) : uploads_(uploads), id_(std::move(id)) {
  const std::lock_guard lock(uploads_.mutex_);
  live_ = &uploads_.live_[id_];
  if (std::exchange(live_->is_busy, true)) {
    throw base::Error(423, "blobs.upload_busy",
                      "Another request works on this upload. Try again in a moment.");
  }
}

Uploads::Hold::~Hold() {
  const std::lock_guard lock(uploads_.mutex_);
  live_->is_busy = false;
  if (must_forget_ || live_->offset == 0) uploads_.live_.erase(id_);
}

UploadSession::UploadSession(Uploads& uploads, Upload upload, std::unique_ptr<Draft> draft,
                             std::unique_ptr<Uploads::Hold> hold, std::vector<std::string> types)
    : uploads_(uploads),
      upload_(std::move(upload)),
      draft_(std::move(draft)),
      hold_(std::move(hold)),
      types_(std::move(types)) {}

UploadSession::~UploadSession() {
  if (is_ended_ || !draft_) return;
  try {
    draft_->sync();
    note_synced();
  } catch (const base::Error& error) {
    observability::log_warning("an upload that broke off may have to go back some way",
                               {{"upload", upload_.id}, {"reason", error.message()}});
  }
}

// Hashes up to the end of the draft: after a restart, or after a write that failed half-way.
void UploadSession::catch_up() {
  Uploads::OpenUpload& live = hold_->live();
  if (live.offset == draft_->size()) return;
  live = {.is_busy = true, .offset = 0, .hash = {}, .head = {}};
  Sha256 hash;
  std::string head;
  std::string piece(read_piece, '\0');
  std::uint64_t offset = 0;
  while (const std::size_t got = draft_->read(offset, piece.data(), piece.size())) {
    const std::string_view bytes(piece.data(), got);
    hash.add(bytes);
    if (head.size() < image_head_bytes) head += bytes.substr(0, image_head_bytes - head.size());
    offset += got;
  }
  live.hash = hash;
  live.head = std::move(head);
  live.offset = offset;
}

void UploadSession::write(std::string_view bytes) {
  if (!draft_ || bytes.size() > upload_.bytes - upload_.offset) {
    throw base::Error(413, "blobs.too_long",
                      "More bytes came than the " + std::to_string(upload_.bytes) +
                          " that this upload announced.");
  }
  draft_->append(bytes);
  upload_.offset = draft_->size();
  Uploads::OpenUpload& live = hold_->live();
  live.hash.add(bytes);
  if (live.head.size() < image_head_bytes)
    live.head += bytes.substr(0, image_head_bytes - live.head.size());
  live.offset = upload_.offset;
}

void UploadSession::note_synced() {
  uploads_.blobs_.database().exec("UPDATE blobs_uploads SET synced = ?1, boot = ?2 WHERE id = ?3",
                                  {draft_->size(), uploads_.boot_, upload_.id});
}

Upload UploadSession::end() {
  if (!draft_) return upload_;  // was finished before
  draft_->sync();
  if (upload_.offset < upload_.bytes) {
    note_synced();
  } else {
    upload_.blob = finish();
  }
  is_ended_ = true;
  return upload_;
}

Blob UploadSession::finish() {
  const Uploads::OpenUpload& live = hold_->live();
  const std::string_view type = image_type_of(live.head);
  if (!types_.empty() && std::find(types_.begin(), types_.end(), type) == types_.end()) {
    is_ended_ = true;
    hold_->forget();
    if (const auto row = uploads_.row_of(upload_.id)) uploads_.drop(*row);
    throw base::Error(415, "blobs.type_refused",
                      "The content of this file is of a type that is not taken here.");
  }
  Blobs& blobs = uploads_.blobs_;
  Blob blob = blobs.keep(upload_.plugin, *draft_, live.hash.hex(), type,
                         [&](data::Transaction& transaction) {
                           transaction.exec("UPDATE blobs_uploads SET blob = ?1 WHERE id = ?2",
                                            {live.hash.hex(), upload_.id});
                         });
  hold_->forget();
  try {
    blobs.store().remove_draft(upload_.plugin, DraftKind::resumed, upload_.id);
  } catch (const base::Error&) {  // is in the log; the next start tries again
  }
  return blob;
}

}  // namespace tenon::blobs
