#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::blobs {

/// Bytes on their way to become a blob. Gone with the object unless keep() was called. One thread
/// at a time.
class Draft {
 public:
  virtual ~Draft() = default;
  virtual void append(std::string_view bytes) = 0;
  /// Bytes that are there.
  virtual std::uint64_t size() const noexcept = 0;
  /// Reads at most `capacity` bytes at `offset`; fewer only at the end.
  virtual std::size_t read(std::uint64_t offset, char* buffer, std::size_t capacity) const = 0;
  /// Returns when all of it is on disk.
  virtual void sync() = 0;
  /// It stays when the object goes, and can be resumed.
  virtual void keep() noexcept = 0;
};

/// A blob that is open. It stays readable when it is removed meanwhile. Thread-safe.
class Content {
 public:
  virtual ~Content() = default;
  virtual std::uint64_t size() const noexcept = 0;
  /// As Draft::read().
  virtual std::size_t read(std::uint64_t offset, char* buffer, std::size_t capacity) const = 0;
  /// A descriptor of the file whose bytes these are, the caller's to close; -1 where there is none.
  virtual int duplicate_descriptor() const noexcept = 0;
};

/// Stores the bytes of blobs, separate for each plugin. Knows no claims and no limits. Every
/// function that works on the store throws base::Error 507 "blobs.disk_full", 503 "blobs.io".
/// `plugin` is a plugin's id and `name` a name without slashes; ids are checked by the caller.
/// Thread-safe; of one id, publish() and remove() come one at a time.
class ContentStore {
 public:
  virtual ~ContentStore() = default;

  /// Drafts of these two kinds know nothing of each other.
  enum class DraftKind : std::uint8_t {
    passing,  ///< cannot be resumed by another process: swept at the next start
    resumed   ///< kept until it is removed
  };
  virtual std::unique_ptr<Draft> begin(const std::string& plugin, DraftKind kind,
                                       const std::string& name) = 0;
  /// A kept draft, cut to at most `bytes`. Null when there is none.
  virtual std::unique_ptr<Draft> resume(const std::string& plugin, const std::string& name,
                                        std::uint64_t bytes) = 0;
  /// Bytes of a kept draft; empty when there is none.
  virtual std::optional<std::uint64_t> draft_size(const std::string& plugin,
                                                  const std::string& name) = 0;
  virtual void remove_draft(const std::string& plugin, DraftKind kind, const std::string& name) = 0;
  virtual std::vector<std::string> drafts(const std::string& plugin, DraftKind kind) = 0;

  /// Makes a draft's content the blob `id`, which replaces what may be there, on disk at the
  /// return. The draft itself is left as it is. On an error there may be a blob or none, but a
  /// whole one.
  virtual void publish(const std::string& plugin, const Draft& draft, const std::string& id) = 0;
  /// Null when there is none.
  virtual std::shared_ptr<const Content> open(const std::string& plugin, const std::string& id) = 0;
  /// Without effect when there is none.
  virtual void remove(const std::string& plugin, const std::string& id) = 0;
  /// Plugins that have something here.
  virtual std::vector<std::string> plugins() = 0;
  /// Every blob that is there when it is listed.
  virtual void for_each(const std::string& plugin,
                        const std::function<void(const std::string& id)>& visit) = 0;
};

}  // namespace tenon::blobs
