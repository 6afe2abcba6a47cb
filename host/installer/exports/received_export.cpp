#include "installer/exports/received_export.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>

#include "installer/exports/export_reader.hpp"
#include "installer/exports/export_refusal.hpp"
#include "installer/exports/limits.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

constexpr const char* sent = "the export";  // what messages call one that has no name yet
constexpr std::uint64_t reserved_bytes = 1024 * 1024;

void require_free_space(const std::string& folder, std::uint64_t bytes) {
  std::error_code failure;
  const std::filesystem::space_info disk = std::filesystem::space(folder, failure);
  if (failure || disk.available >= bytes + reserved_bytes) return;
  throw Refusal({"data.disk_full",
                 "The disk is too full for the export: it has " + std::to_string(bytes / 1024) +
                     " KiB, and " + std::to_string(disk.available / 1024) +
                     " KiB are free. Free disk space, then send it again.",
                 folder,
                 {}},
                507);
}

class Facts final : public ExportParts {
 public:
  void facts(const ExportFacts& facts) override { facts_ = facts; }

  ExportFacts facts_;
};

}  // namespace

ReceivedExport::ReceivedExport(ExportFolder& folder, std::uint64_t bytes)
    : folder_(folder), name_(folder.begin_receiving()), path_(folder.begun(name_)) {
  try {
    require_free_space(std::filesystem::path(path_).parent_path().string(), bytes);
    file_ = base::UniqueFd(
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file_) fail_export_write(errno, path_);
  } catch (...) {
    folder_.end_receiving(name_);
    throw;
  }
}

ReceivedExport::~ReceivedExport() {
  folder_.end_receiving(name_);
}

void ReceivedExport::write(std::string_view piece) {
  bytes_ += piece.size();
  if (bytes_ > ExportLimits::upload) {
    throw Refusal(
        {"plugins.export_too_large",
         "An export that is sent has at most " + std::to_string(ExportLimits::upload) + " bytes.",
         sent,
         {}},
        413);
  }
  while (!piece.empty()) {
    const ssize_t written = ::write(file_.get(), piece.data(), piece.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_export_write(errno, sent);
    piece.remove_prefix(static_cast<std::size_t>(written));
  }
}

ExportItem ReceivedExport::finish(const std::string& plugin) {
  Facts whole;
  try {
    read_export(path_, whole);
  } catch (const Refusal& refusal) {
    Reason reason = refusal.reason();
    reason.file = sent;
    throw Refusal(std::move(reason), refusal.status());
  }
  const ExportFacts& facts = whole.facts_;
  if (!plugin.empty() && facts.plugin != plugin) {
    throw Refusal({"plugins.export_plugin_mismatch",
                   "It has the data of \"" + facts.plugin + "\", not of \"" + plugin + "\".",
                   sent,
                   {}});
  }
  if (::fsync(file_.get()) != 0) fail_export_write(errno, sent);
  return folder_.take(name_, facts);
}

}  // namespace tenon::plugins
