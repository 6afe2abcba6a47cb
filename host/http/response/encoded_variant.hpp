#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "http/response/response.hpp"

struct stat;

namespace tenon::http {

struct StaticOptions;

/// Larger files have a tag of size and time instead of a hash: reading them through for one request
/// would keep the others of its thread waiting.
inline constexpr std::uint64_t hashed_file_bytes = 1024 * 1024;

/// The contents of a file that responses need, once it was read.
struct StaticContent {
  std::string etag;
  SharedBody fields;                           ///< of a 200, 206 and 304
  SharedBody text;                             ///< null: it is sent from `file`
  std::shared_ptr<const base::UniqueFd> file;  ///< null: `text` is all of it
};

/// One encoded form of a file of a StaticTree, as it was when the tree was listed. Its content is
/// read at the first use. Stays where it is made. Thread-safe.
class EncodedVariant {
 public:
  /// `facts` are those of the file; `modified` is seconds since 1970, of the plain form; `coding`
  /// is "br", "gzip" or empty. All views must outlive it.
  EncodedVariant(const struct stat& facts, std::int64_t modified, std::string_view coding) noexcept;
  ~EncodedVariant();
  EncodedVariant(const EncodedVariant&) = delete;
  EncodedVariant& operator=(const EncodedVariant&) = delete;

  std::uint64_t size() const noexcept { return size_; }
  std::int64_t modified() const noexcept { return modified_; }

  /// Null until it was read.
  const StaticContent* content() const noexcept { return content_.load(std::memory_order_acquire); }

  /// Reads the file `name`, of the media type `type`; `has_forms` when there are several. Null when
  /// it cannot be read or is no longer what was listed; the next call tries again. Not by two
  /// threads at once.
  const StaticContent* read(const std::string& name, std::string_view type, bool has_forms,
                            const StaticOptions& options) const;

 private:
  std::string tag_of(std::string_view core) const;

  const std::uint64_t size_;
  const std::int64_t modified_;
  const std::int64_t changed_ns_;  // on disk, since 1970
  const std::string_view coding_;
  mutable std::atomic<const StaticContent*> content_{nullptr};
};

}  // namespace tenon::http
