#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "blobs/blobs.hpp"
#include "blobs/disk_store.hpp"
#include "blobs/uploads.hpp"
#include "data/database.hpp"
#include "engines/tests/each_engine.hpp"

namespace tenon::blobs::test {

inline constexpr std::int64_t day_ms = 24 * 3600 * 1000;

/// The code of the base::Error that `call` throws; "none" when it throws nothing.
template <typename Call>
std::string code_of(Call&& call) {
  try {
    call();
  } catch (const base::Error& error) {
    return std::to_string(error.status()) + " " + error.code();
  }
  return "none";
}

/// A path for a folder of a test's own, on a real file system.
inline std::string fresh_folder() {
  std::string path(TENON_BINARY_DIR);
  path += "/tests/blobs-";
  path += base::new_id();
  return path;
}

/// A data directory with blobs on a real file system; removed with the object if it made it.
class BlobStorage {
 public:
  explicit BlobStorage(Limits limits = {}, const std::string& given = {}, std::string boot = "boot")
      : folder(given.empty() ? fresh_folder() : given), is_own_(given.empty()), limits_(limits) {
    std::filesystem::create_directories(folder);
    open(std::move(boot));
  }
  ~BlobStorage() {
    close();
    std::error_code ignored;
    if (is_own_) std::filesystem::remove_all(folder, ignored);
  }
  BlobStorage(const BlobStorage&) = delete;
  BlobStorage& operator=(const BlobStorage&) = delete;

  void close() {
    uploads.reset();
    blobs.reset();
    database.reset();
  }
  /// As a process does that starts on what another left.
  void open(std::string boot = "boot") {
    database.emplace(options_);
    blobs.emplace(*database, std::make_unique<DiskStore>(folder + "/blobs"), limits_,
                  [this] { return now.load(); });
    uploads.emplace(*blobs, std::move(boot));
  }
  void restart(std::string boot = "boot") {
    close();
    open(std::move(boot));
  }

  Blob put(const std::string& content, const std::string& plugin = "notes") {
    const auto writer = blobs->create(plugin);
    writer->write(content);
    return writer->finish();
  }
  std::string content(const std::string& id, const std::string& plugin = "notes") {
    const Blobs::Opened opened = blobs->open(plugin, id);
    std::string text(static_cast<std::size_t>(opened.blob.bytes), '\0');
    text.resize(opened.content->read(0, text.data(), text.size()));
    return text;
  }
  Upload begin(std::uint64_t bytes, const std::string& user = "ada") {
    return uploads->create({"notes", user, bytes, "a.txt", {}});
  }
  Upload append(const std::string& id, std::uint64_t offset, const std::string& bytes,
                const std::string& user = "ada", std::vector<std::string> types = {}) {
    const auto session = uploads->append("notes", user, id, offset, std::move(types));
    session->write(bytes);
    return session->end();
  }
  /// Files of blobs and drafts.
  std::size_t files() const {
    std::size_t count = 0;
    if (!std::filesystem::exists(folder + "/blobs")) return count;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder + "/blobs"))
      count += entry.is_regular_file() ? 1U : 0U;
    return count;
  }
  std::string path_of(const std::string& id, const std::string& plugin = "notes") const {
    return folder + "/blobs/" + plugin + "/" + blob_path(id);
  }

  const std::string folder;
  std::atomic<std::int64_t> now{1'000'000'000};
  std::optional<data::Database> database;
  std::optional<Blobs> blobs;
  std::optional<Uploads> uploads;

 private:
  const bool is_own_;
  const data::DatabaseOptions options_ = data::test::fresh_host_database(folder + "/tenon.db");
  const Limits limits_;
};

}  // namespace tenon::blobs::test
