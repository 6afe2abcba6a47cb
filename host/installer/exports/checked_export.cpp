#include "installer/exports/checked_export.hpp"

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <fcntl.h>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "blobs/blobs.hpp"
#include "data/files/private_folder.hpp"
#include "installer/exports/export_reader.hpp"
#include "installer/exports/export_refusal.hpp"
#include "packages/archive/file_access.hpp"
#include "settings/store.hpp"

namespace tenon::plugins {

namespace {

namespace fs = std::filesystem;

class Unpack final : public ExportParts {
 public:
  Unpack(ExportFacts& facts, const std::string& path) : facts_(facts), path_(path) {}

  void facts(const ExportFacts& facts) override { facts_ = facts; }
  void begin_data(std::uint64_t) override {
    file_ = base::UniqueFd(
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file_) fail_export_write(errno, path_);
  }
  void data(std::string_view piece) override {
    while (!piece.empty()) {
      const ssize_t written = ::write(file_.get(), piece.data(), piece.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_export_write(errno, path_);
      piece.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void end_data() override { file_ = base::UniqueFd(); }

 private:
  ExportFacts& facts_;
  const std::string& path_;
  base::UniqueFd file_;
};

class ExportRestore final : public ExportParts {
 public:
  ExportRestore(std::string plugin, const std::string& file, settings::Store& settings,
                blobs::Blobs& blobs)
      : plugin_(std::move(plugin)), file_(file), settings_(settings), blobs_(blobs) {}

  void setting(const ExportedSetting& setting) override {
    settings_.change(plugin_, [&setting](const settings::Values&) -> std::vector<settings::Change> {
      return {{setting.key, setting.json}};
    });
  }
  void begin_blob(const std::string&, std::uint64_t) override { writer_ = blobs_.create(plugin_); }
  void blob(std::string_view piece) override { writer_->write(piece); }
  void end_blob(const std::string&) override {
    writer_->finish();
    writer_.reset();
  }
  void claims(const std::vector<blobs::Blobs::Claim>& claims) override {
    try {
      blobs_.claim_all(plugin_, claims);
    } catch (const base::Error& failure) {
      if (failure.status() >= 500) throw;
      refuse_export_damage("A claim of a file cannot be: " + failure.message(), file_);
    }
  }

 private:
  const std::string plugin_;
  const std::string& file_;
  settings::Store& settings_;
  blobs::Blobs& blobs_;
  std::unique_ptr<blobs::BlobWriter> writer_;
};

void remove_file(const std::string& path) noexcept {
  std::error_code ignored;
  for (const char* end : {"", "-wal", "-shm", "-journal"})
    fs::remove(path + end, ignored);
}

}  // namespace

CheckedExport::CheckedExport(std::string file, const std::string& staging)
    : file_(std::move(file)) {
  std::error_code failure;
  data::make_private_folders(staging, failure);
  if (failure) fail_export_write(failure.value(), staging);
  const std::string path = staging + "/" + base::new_id() + ".db";
  try {
    Unpack parts(facts_, path);
    read_export(file_, parts);
  } catch (...) {
    remove_file(path);
    throw;
  }
  if (facts_.data_bytes != 0) database_ = path;
}

CheckedExport::~CheckedExport() {
  if (!database_.empty()) remove_file(database_);
}

void CheckedExport::restore_to(settings::Store& settings, blobs::Blobs& blobs) const {
  ExportRestore parts(facts_.plugin, file_, settings, blobs);
  read_export(file_, parts);
}

}  // namespace tenon::plugins
