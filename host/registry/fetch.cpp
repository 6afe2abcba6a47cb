#include "registry/fetch.hpp"

#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include "packages/archive/file_access.hpp"
#include "packages/archive/limits.hpp"
#include "packages/reason.hpp"
#include "registry/http_fetch.hpp"
#include "registry/limits.hpp"
#include "registry/registry_refusal.hpp"

namespace tenon::plugins {

namespace {

constexpr const char* unreachable = "plugins.registry_unreachable";
constexpr const char* damaged = "plugins.registry_damaged";

[[noreturn]] void refuse_damaged(const std::string& what, const RegistryLocation& location,
                                 const std::string& name) {
  throw Refusal({damaged,
                 location.at(name) + ": " + what +
                     " It was changed or damaged in transit; try again, or report this to the "
                     "owner of the registry.",
                 {},
                 {}},
                502);
}

// Fetches a file whose size is in the index.
void fetch_sized(const RegistryLocation& location, const std::string& name, std::uint64_t size,
                 const FetchBounds& bounds, const std::function<void(std::string_view)>& sink) {
  try {
    fetch_file(location, name, size, bounds, sink);
  } catch (const Refusal& refusal) {
    if (refusal.code() != "plugins.registry_too_large") throw;
    refuse_damaged("It is larger than the index says.", location, name);
  }
}

std::string fetch_text(const RegistryLocation& location, std::string_view name,
                       std::uint64_t max_bytes, const FetchBounds& bounds) {
  std::string text;
  fetch_file(location, name, max_bytes, bounds, [&text](std::string_view piece) { text += piece; });
  return text;
}

// A download of a package into a file.
class PackageDownload {
 public:
  PackageDownload(const RegistryLocation& location, const IndexedVersion& version,
                  const std::string& folder)
      : location_(location), version_(version), path_(folder + "/fetched-XXXXXX") {
    file_ = base::UniqueFd(::mkostemp(path_.data(), O_CLOEXEC));
    if (!file_) refuse_write("written", folder);
    kept_ = FetchedPackage(path_);
    crypto_generichash_init(&state_, nullptr, 0, sizeof(FileHash));
  }

  void take(std::string_view piece) {
    if (piece.size() > version_.size - size_) refuse_size();
    crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(piece.data()),
                              piece.size());
    size_ += piece.size();
    while (!piece.empty()) {
      const ssize_t written = ::write(file_.get(), piece.data(), piece.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) refuse_write("written", path_);
      piece.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  FetchedPackage finish() {
    if (size_ != version_.size) refuse_size();
    FileHash hash;
    crypto_generichash_final(&state_, hash.data(), hash.size());
    if (hash != version_.hash)
      refuse_damaged("This is not the file that the index has.", location_, version_.file);
    if (::fsync(file_.get()) != 0) refuse_write("written", path_);
    return std::move(kept_);
  }

  std::uint64_t size() const noexcept { return size_; }

 private:
  [[noreturn]] void refuse_size() const {
    refuse_damaged("The index says that it has " + std::to_string(version_.size) + " bytes.",
                   location_, version_.file);
  }

  const RegistryLocation& location_;
  const IndexedVersion& version_;
  std::string path_;
  base::UniqueFd file_;
  FetchedPackage kept_{std::string()};
  crypto_generichash_state state_{};
  std::uint64_t size_ = 0;
};

}  // namespace

FetchedPackage::~FetchedPackage() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

void fetch_file(const RegistryLocation& location, std::string_view name, std::uint64_t max_bytes,
                const FetchBounds& bounds, const std::function<void(std::string_view)>& sink) {
  if (location.is_remote()) return fetch_url(location.at(name), max_bytes, bounds, sink);
  std::string content;
  try {
    content = read_bounded(location.at(name), max_bytes, unreachable);
  } catch (const Refusal& refusal) {
    if (refusal.code() != "plugins.package_too_large") throw;
    refuse_index_size(refusal.reason().message, location.at(name));
  }
  sink(content);
}

FetchedIndex fetch_index(const RegistryLocation& location, const PublicKey& key,
                         const FetchBounds& bounds) {
  for (bool is_second = false;; is_second = true) {
    FetchedIndex fetched;
    fetched.text = fetch_text(location, index_name, RegistryLimits::index, bounds);
    fetched.signature =
        fetch_text(location, index_signature_name, PackageLimits::signature, bounds);
    try {
      fetched.index = open_index(fetched.text, fetched.signature, key, location.at(index_name));
      return fetched;
    } catch (const Refusal& refusal) {
      if (is_second || refusal.code() != "plugins.signature_invalid") throw;
    }
  }
}

std::string fetch_picture(const RegistryLocation& location, const Screenshot& screenshot,
                          const FetchBounds& bounds) {
  std::string content;
  fetch_sized(location, screenshot.file, screenshot.size, bounds,
              [&content](std::string_view piece) { content += piece; });
  if (content.size() != screenshot.size || hash_of(content) != screenshot.hash)
    refuse_damaged("This is not the file that the index has.", location, screenshot.file);
  return content;
}

FetchedPackage fetch_package(const RegistryLocation& location, const IndexedVersion& version,
                             const std::string& folder, const FetchBounds& bounds,
                             const FetchProgress& progress) {
  PackageDownload download(location, version, folder);
  fetch_sized(location, version.file, version.size, bounds, [&](std::string_view piece) {
    download.take(piece);
    if (progress) progress(download.size(), version.size);
  });
  return download.finish();
}

}  // namespace tenon::plugins
