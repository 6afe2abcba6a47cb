#include "registry/downloads.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "data/files/private_folder.hpp"
#include "packages/archive/archive.hpp"
#include "packages/archive/file_access.hpp"
#include "packages/archive/file_list.hpp"
#include "packages/archive/limits.hpp"
#include "packages/archive/pack.hpp"
#include "packages/reason.hpp"
#include "registry/fetch.hpp"
#include "registry/index_cache.hpp"
#include "registry/limits.hpp"

namespace tenon::plugins {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view under_way = "fetched-";  // how fetch_package() begins its names

[[noreturn]] void refuse_unknown(std::string message) {
  throw Refusal({"plugins.registry_unknown", std::move(message), {}, {}}, 404);
}

const IndexedVersion* find_version(const IndexedPlugin& plugin, const std::string& version) {
  if (version.empty()) return &plugin.latest();
  const auto found =
      std::find_if(plugin.versions.begin(), plugin.versions.end(),
                   [&version](const IndexedVersion& one) { return one.version_text == version; });
  return found == plugin.versions.end() ? nullptr : &*found;
}

// That the file which the index names is the plugin which the index says.
void require_named(const Archive& archive, const std::string& id, const IndexedVersion& version) {
  const Manifest manifest = manifest_of(Contents::unchecked(archive), archive.file());
  if (manifest.id == id && manifest.version_text == version.version_text) return;
  throw Refusal({"plugins.registry_damaged",
                 "The index says that it is " + id + " " + version.version_text + ", and it is " +
                     manifest.id + " " + manifest.version_text +
                     ". Report this to the owner of the registry.",
                 version.file,
                 {}},
                502);
}

}  // namespace

std::string_view to_string(DownloadState state) noexcept {
  switch (state) {
    case DownloadState::running:
      return "running";
    case DownloadState::done:
      return "done";
    case DownloadState::failed:
      return "failed";
    case DownloadState::stopped:
      break;
  }
  return "stopped";
}

struct Downloads::Entry {
  Download download;
  std::jthread thread;
};

Downloads::Downloads(IndexCache* cache, std::string folder, Keep keep)
    : cache_(cache), folder_(std::move(folder)), keep_(std::move(keep)) {}

Downloads::~Downloads() {
  stop();
}

std::shared_ptr<const PackageIndex> Downloads::look_up(const std::string& id,
                                                       const std::string& version,
                                                       const IndexedVersion*& found) const {
  if (cache_ == nullptr) {
    refuse_unknown(
        "No registry is configured. Set registry.url and registry.key, or install a file.");
  }
  const RegistryState state = cache_->current();
  const IndexedPlugin* plugin = state.index ? state.index->find(id) : nullptr;
  if (plugin == nullptr && !state.index && state.error) throw Refusal(*state.error, 502);
  if (plugin == nullptr) refuse_unknown("The registry has no plugin \"" + id + "\".");
  found = find_version(*plugin, version);
  if (found == nullptr)
    refuse_unknown("The registry has no version " + version + " of \"" + id + "\".");
  return state.index;
}

void Downloads::prepare_folder() {
  const std::lock_guard lock(mutex_);
  if (is_prepared_) return;
  std::error_code failure;
  data::make_private_folders(folder_, failure);
  if (failure) {
    refuse_write("made", folder_, failure.value());
  }
  for (const auto& entry : fs::directory_iterator(folder_, failure)) {
    std::error_code ignored;
    if (entry.path().filename().string().starts_with(under_way)) fs::remove(entry, ignored);
  }
  is_prepared_ = true;
}

std::string Downloads::fetch(const std::string& id, const IndexedVersion& version,
                             std::stop_token stop,
                             const std::function<void(std::uint64_t)>& progress) {
  prepare_folder();
  const FetchBounds bounds{std::chrono::steady_clock::now() + RegistryLimits::download,
                           std::move(stop)};
  const FetchedPackage file = fetch_package(
      cache_->location(), version, folder_, bounds,
      [&bounds, &progress](std::uint64_t done, std::uint64_t) {
        if (progress) progress(done);
        // A folder has no connection that a stop could cut.
        if (bounds.stop.stop_requested())
          throw Refusal({"plugins.registry_unreachable", "It was given up.", {}, {}}, 502);
      });
  const Archive archive(
      read_bounded(file.path(), PackageLimits::packed, "plugins.package_unreadable"), version.file);
  require_named(archive, id, version);
  std::string name = hex_of(hash_of(archive.list_text()));
  keep_(name, archive.bytes());
  return name;
}

void Downloads::run(Entry& entry, const IndexedVersion& version, const std::stop_token& stop) {
  std::string package;
  std::optional<Reason> error;
  try {
    package = fetch(entry.download.id, version, stop, [this, &entry](std::uint64_t done) {
      const std::lock_guard lock(mutex_);
      entry.download.done = done;
    });
  } catch (const std::exception& failure) {
    error = reason_of(failure, "plugins.registry_unreachable");
  }
  const std::lock_guard lock(mutex_);
  Download& download = entry.download;
  download.package = std::move(package);
  if (!error) {
    download.state = DownloadState::done;
  } else if (stop.stop_requested()) {
    download.state = DownloadState::stopped;
  } else {
    download.state = DownloadState::failed;
    download.error = std::move(error);
  }
  ended_.notify_all();
}

Download Downloads::start(const std::string& id, const std::string& version) {
  const IndexedVersion* wanted = nullptr;
  const std::shared_ptr<const PackageIndex> index = look_up(id, version, wanted);
  std::list<Entry> forgotten;  // joined after the lock
  const std::lock_guard lock(mutex_);
  const auto is_running = [](const Entry& entry) {
    return entry.download.state == DownloadState::running;
  };
  if (std::count_if(entries_.begin(), entries_.end(), is_running) >=
      static_cast<std::ptrdiff_t>(max_running)) {
    throw Refusal({"plugins.registry_busy",
                   "Two packages are on their way already. Wait for one of them, or cancel it.",
                   {},
                   {}},
                  503);
  }
  while (entries_.size() >= max_known) {
    const auto oldest = std::find_if_not(entries_.begin(), entries_.end(), is_running);
    forgotten.splice(forgotten.end(), entries_, oldest);
  }
  Entry& entry = entries_.emplace_back();
  entry.download.number = ++last_;
  entry.download.id = id;
  entry.download.version = wanted->version_text;
  entry.download.total = wanted->size;
  Download begun = entry.download;
  entry.thread = std::jthread(
      [this, &entry, index, wanted](const std::stop_token& stop) { run(entry, *wanted, stop); });
  if (stop_.stop_requested()) entry.thread.request_stop();
  return begun;
}

Download Downloads::find(std::uint64_t number) const {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.download.number == number) return entry.download;
  }
  refuse_unknown("There is no such download, or it ended a while ago. Begin it again.");
}

void Downloads::cancel(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.download.number != number) continue;
    // The fetch reports its progress under the lock, and another thread cuts it: no wait here.
    entry.thread.request_stop();
    return;
  }
  refuse_unknown("There is no such download, or it ended a while ago.");
}

std::string Downloads::fetch_and_keep(const std::string& id, const std::string& version) {
  const IndexedVersion* wanted = nullptr;
  const std::shared_ptr<const PackageIndex> index = look_up(id, version, wanted);
  return fetch(id, *wanted, stop_.get_token(), {});
}

void Downloads::stop() {
  std::unique_lock lock(mutex_);
  stop_.request_stop();
  for (Entry& entry : entries_)
    entry.thread.request_stop();
  ended_.wait(lock, [this] {
    return std::none_of(entries_.begin(), entries_.end(), [](const Entry& entry) {
      return entry.download.state == DownloadState::running;
    });
  });
}

}  // namespace tenon::plugins
