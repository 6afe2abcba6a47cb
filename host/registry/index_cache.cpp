#include "registry/index_cache.hpp"

#include <filesystem>
#include <utility>

#include "base/clock.hpp"
#include "data/files/private_folder.hpp"
#include "packages/archive/file_access.hpp"
#include "packages/archive/limits.hpp"
#include "registry/limits.hpp"

namespace tenon::plugins {

namespace {

namespace fs = std::filesystem;

constexpr const char* unreadable = "plugins.registry_invalid";

// One file an index: its signature, an empty line, its text.
std::string cached_text(const FetchedIndex& fetched) {
  return fetched.signature + "\n" + fetched.text;
}

// Returns the content of a file; empty if it cannot be read.
std::string read_kept(const std::string& path) {
  std::error_code failure;
  if (!fs::exists(path, failure)) return {};
  try {
    return read_bounded(path, RegistryLimits::index + PackageLimits::signature + 1, unreadable);
  } catch (const Refusal&) {
    return {};
  }
}

// The index that was kept; null where it is none by this key.
std::shared_ptr<const PackageIndex> open_kept(const std::string& kept, const PublicKey& key) {
  const std::size_t end = kept.find("\n\n");
  if (end == std::string::npos) return nullptr;
  try {
    return std::make_shared<const PackageIndex>(open_index(
        std::string_view(kept).substr(end + 2), kept.substr(0, end + 1), key, index_name));
  } catch (const Refusal&) {
    return nullptr;
  }
}

}  // namespace

IndexCache::IndexCache(Options options) : options_(std::move(options)) {}

RegistryState IndexCache::known() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

bool IndexCache::is_due() const {
  const std::lock_guard lock(mutex_);
  const std::int64_t age = base::unix_milliseconds() - state_.tried_ms;
  return state_.tried_ms == 0 || age < 0 || age >= options_.refresh_interval.count();
}

RegistryState IndexCache::current() {
  if (!is_due()) return known();
  std::unique_lock refreshing(refreshing_, std::try_to_lock);
  // A caller without any index waits for the thread that reads it.
  if (!refreshing && !known().index) refreshing.lock();
  if (refreshing && is_due()) read();
  return known();
}

RegistryState IndexCache::refresh() {
  const std::lock_guard refreshing(refreshing_);
  read();
  return known();
}

FetchBounds IndexCache::bounds() const {
  return {std::chrono::steady_clock::now() + RegistryLimits::refresh, stop_.get_token()};
}

std::string IndexCache::picture(const Screenshot& screenshot) const {
  return fetch_picture(options_.location, screenshot, bounds());
}

void IndexCache::stop() {
  stop_.request_stop();
}

std::shared_ptr<const PackageIndex> IndexCache::take(const PublicKey& key) {
  // A registry at another place, or of another key, counts its serials from elsewhere.
  const std::string name =
      hash_text(hash_of(key.id() + " " + options_.location.text())).substr(0, 32);
  const std::string path = options_.folder + "/" + name + ".index";
  const std::string kept = read_kept(path);
  const std::shared_ptr<const PackageIndex> last = open_kept(kept, key);
  if (last) {
    const std::lock_guard lock(mutex_);
    state_.index = last;
  }
  FetchedIndex fetched = fetch_index(options_.location, key, bounds());
  if (last && fetched.index.serial < last->serial) {
    throw Refusal(
        {"plugins.registry_older",
         options_.location.text() + ": Its index has the serial " +
             std::to_string(fetched.index.serial) + ", and an earlier one had " +
             std::to_string(last->serial) +
             ". The registry serves an old index. If it was created again, delete " + path + ".",
         {},
         {}},
        502);
  }
  if (const std::string text = cached_text(fetched); std::string_view(text) != kept) {
    std::error_code failure;  // writing the file reports the fault
    data::make_private_folders(options_.folder, failure);
    replace_file(path, text);
  }
  return std::make_shared<const PackageIndex>(std::move(fetched.index));
}

void IndexCache::read() {
  std::shared_ptr<const PackageIndex> index;
  std::optional<Reason> error;
  try {
    index = take(read_public_key(
        read_bounded(options_.key_file, PackageLimits::key_file, "plugins.signature_key_invalid"),
        options_.key_file));
  } catch (const std::exception& failure) {
    error = reason_of(failure, "plugins.registry_unreachable");
  }
  const std::lock_guard lock(mutex_);
  state_.tried_ms = base::unix_milliseconds();
  state_.error = std::move(error);
  if (!index) return;
  state_.index = std::move(index);
  state_.read_ms = state_.tried_ms;
}

}  // namespace tenon::plugins
