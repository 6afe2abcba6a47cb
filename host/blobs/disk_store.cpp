#include "blobs/disk_store.hpp"

#include <cerrno>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "blobs/sha256.hpp"
#include "blobs/system_error.hpp"
#include "data/files/space_reserve.hpp"

namespace tenon::blobs {

namespace {

namespace fs = std::filesystem;

std::uint64_t size_of(int file, const std::string& path) {
  struct stat facts {};
  if (::fstat(file, &facts) != 0) fail_system(errno, "read", path);
  return static_cast<std::uint64_t>(facts.st_size);
}

std::size_t read_at(int file, const std::string& path, std::uint64_t offset, char* buffer,
                    std::size_t capacity) {
  std::size_t done = 0;
  while (done < capacity) {
    const ssize_t got =
        ::pread(file, buffer + done, capacity - done, static_cast<off_t>(offset + done));
    if (got == 0) break;
    if (got > 0)
      done += static_cast<std::size_t>(got);
    else if (errno != EINTR)
      fail_system(errno, "read", path);
  }
  return done;
}

void sync_folder(const std::string& path) {
  const base::UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::fsync(folder.get()) != 0) fail_system(errno, "written to disk", path);
}

class DiskDraft final : public Draft {
 public:
  DiskDraft(std::string path, base::UniqueFd file, std::uint64_t size,
            std::shared_ptr<data::SpaceReserve> reserve) noexcept
      : path_(std::move(path)), file_(std::move(file)), size_(size), reserve_(std::move(reserve)) {}
  ~DiskDraft() override {
    if (!is_kept_) ::unlink(path_.c_str());
  }

  void append(std::string_view bytes) override {
    // The reserve is for freeing space, not for files.
    if (reserve_ && reserve_->is_released() && !reserve_->has_space_again())
      fail_system(ENOSPC, "written", path_);
    while (!bytes.empty()) {
      const ssize_t written =
          ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(size_));
      if (written < 0) {
        if (errno == EINTR) continue;
        fail_system(errno, "written", path_);
      }
      size_ += static_cast<std::uint64_t>(written);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  std::uint64_t size() const noexcept override { return size_; }
  std::size_t read(std::uint64_t offset, char* buffer, std::size_t capacity) const override {
    return read_at(file_.get(), path_, offset, buffer, capacity);
  }
  void sync() override {
    if (::fsync(file_.get()) != 0) fail_system(errno, "written to disk", path_);
  }
  void keep() noexcept override { is_kept_ = true; }

  const std::string& path() const noexcept { return path_; }

 private:
  const std::string path_;
  const base::UniqueFd file_;
  std::uint64_t size_;
  const std::shared_ptr<data::SpaceReserve> reserve_;
  bool is_kept_ = false;
};

class DiskContent final : public Content {
 public:
  DiskContent(std::string path, base::UniqueFd file, std::uint64_t size) noexcept
      : path_(std::move(path)), file_(std::move(file)), size_(size) {}
  std::uint64_t size() const noexcept override { return size_; }
  std::size_t read(std::uint64_t offset, char* buffer, std::size_t capacity) const override {
    return read_at(file_.get(), path_, offset, buffer, capacity);
  }
  int duplicate_descriptor() const noexcept override {
    return ::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0);
  }

 private:
  const std::string path_;
  const base::UniqueFd file_;
  const std::uint64_t size_;
};

void unlink_if_there(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail_system(errno, "removed", path);
}

// Names of what is in a folder, of regular files or of folders; none when there is no such folder.
std::vector<std::string> names_in(const std::string& path, bool is_of_folders) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator at(path, failure), end; !failure && at != end;
       at.increment(failure)) {
    std::error_code ignored;
    if (at->is_directory(ignored) == is_of_folders) names.push_back(at->path().filename().string());
  }
  if (failure && failure != std::errc::no_such_file_or_directory)
    fail_system(failure.value(), "listed", path);
  return names;
}

}  // namespace

std::string blob_path(const std::string& id) {
  return id.substr(0, 2) + "/" + id.substr(2);
}

std::string DiskStore::draft_folder(const std::string& plugin, DraftKind kind) const {
  return plugin_folder(plugin) + (kind == DraftKind::passing ? "/tmp" : "/uploads");
}

void DiskStore::make_folder(const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (made_.contains(path)) return;
  std::vector<std::string> missing{path};
  while (missing.back() != folder_)
    missing.push_back(fs::path(missing.back()).parent_path().string());
  for (; !missing.empty(); missing.pop_back()) {
    const std::string& one = missing.back();
    if (made_.contains(one)) continue;
    if (::mkdir(one.c_str(), 0700) != 0 && errno != EEXIST) fail_system(errno, "written", one);
    if (!fs::is_directory(one)) fail_system(ENOTDIR, "written", one);
    // Also if it existed: the process that created it may have ended before this step.
    sync_folder(fs::path(one).parent_path().string());
    made_.insert(one);
  }
}

std::unique_ptr<Draft> DiskStore::begin(const std::string& plugin, DraftKind kind,
                                        const std::string& name) {
  const std::string folder = draft_folder(plugin, kind);
  make_folder(folder);
  std::string path = folder + "/" + name;
  base::UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) fail_system(errno, "written", path);
  auto draft = std::make_unique<DiskDraft>(std::move(path), std::move(file), 0, reserve_);
  // One that is resumed must be found after a loss of power.
  if (kind == DraftKind::resumed) sync_folder(folder);
  return draft;
}

std::unique_ptr<Draft> DiskStore::resume(const std::string& plugin, const std::string& name,
                                         std::uint64_t bytes) {
  std::string path = draft_folder(plugin, DraftKind::resumed) + "/" + name;
  base::UniqueFd file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file && errno == ENOENT) return nullptr;
  if (!file) fail_system(errno, "read", path);
  std::uint64_t size = size_of(file.get(), path);
  if (size > bytes) {
    if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
      fail_system(errno, "written", path);
    size = bytes;
  }
  auto draft = std::make_unique<DiskDraft>(std::move(path), std::move(file), size, reserve_);
  draft->keep();
  return draft;
}

std::optional<std::uint64_t> DiskStore::draft_size(const std::string& plugin,
                                                   const std::string& name) {
  const std::string path = draft_folder(plugin, DraftKind::resumed) + "/" + name;
  struct stat facts {};
  if (::stat(path.c_str(), &facts) == 0) return static_cast<std::uint64_t>(facts.st_size);
  if (errno != ENOENT) fail_system(errno, "read", path);
  return std::nullopt;
}

void DiskStore::remove_draft(const std::string& plugin, DraftKind kind, const std::string& name) {
  unlink_if_there(draft_folder(plugin, kind) + "/" + name);
}

std::vector<std::string> DiskStore::drafts(const std::string& plugin, DraftKind kind) {
  return names_in(draft_folder(plugin, kind), false);
}

void DiskStore::publish(const std::string& plugin, const Draft& draft, const std::string& id) {
  const auto& from = dynamic_cast<const DiskDraft&>(draft);
  const std::string path = plugin_folder(plugin) + "/" + blob_path(id);
  const std::string folder = path.substr(0, path.rfind('/'));
  // A second name, moved over what may be there: the draft stays until the caller lets it go.
  const std::string second = draft_folder(plugin, DraftKind::passing) + "/" + id;
  make_folder(folder);
  make_folder(draft_folder(plugin, DraftKind::passing));
  unlink_if_there(second);
  if (::link(from.path().c_str(), second.c_str()) != 0) fail_system(errno, "written", second);
  if (::rename(second.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(second.c_str());
    fail_system(reason, "written", path);
  }
  unlink_if_there(second);  // rename(2) leaves it where both names are of one file
  sync_folder(folder);
}

std::shared_ptr<const Content> DiskStore::open(const std::string& plugin, const std::string& id) {
  std::string path = plugin_folder(plugin) + "/" + blob_path(id);
  base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file && errno == ENOENT) return nullptr;
  if (!file) fail_system(errno, "read", path);
  const std::uint64_t size = size_of(file.get(), path);
  return std::make_shared<DiskContent>(std::move(path), std::move(file), size);
}

void DiskStore::remove(const std::string& plugin, const std::string& id) {
  unlink_if_there(plugin_folder(plugin) + "/" + blob_path(id));
}

std::vector<std::string> DiskStore::plugins() {
  return names_in(folder_, true);
}

void DiskStore::for_each(const std::string& plugin,
                         const std::function<void(const std::string& id)>& visit) {
  for (const std::string& folder : names_in(plugin_folder(plugin), true)) {
    if (folder.size() != 2) continue;
    for (const std::string& name : names_in(plugin_folder(plugin) + "/" + folder, false)) {
      const std::string id = folder + name;
      if (is_blob_id(id)) visit(id);
    }
  }
}

}  // namespace tenon::blobs
