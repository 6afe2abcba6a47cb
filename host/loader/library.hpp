#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <tenon/entry.h>

namespace tenon::plugins {

/// What the section TENON_FACTS_SECTION of a library says.
struct LibraryFacts {
  std::string id;
  std::string version;
  std::uint32_t abi_major = 0;
  std::uint32_t abi_minor = 0;
  std::uint32_t needs_host_minor = 0;
  /// Why closing may not unmap it ("it holds a GNU_UNIQUE symbol"); empty: it does.
  std::string may_stay_mapped;
};

/// An open shared library whose entry has passed every check. Not thread-safe.
class Library {
 public:
  /// Opens a private copy; `source` is the file it was copied from, for messages. Throws Refusal.
  Library(std::string path, const std::string& source, LibraryFacts facts);
  /// Closes it when close() or leave_open() was not called.
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const tenon_plugin_entry& entry() const noexcept { return *entry_; }
  const LibraryFacts& facts() const noexcept { return facts_; }
  const std::string& path() const noexcept { return path_; }

  /// Closes it; true when it is unmapped, and its file is removed then.
  bool close(bool keeps_file = false) noexcept;
  /// Leaves it open for the rest of the process: code of it may still run.
  void leave_open() noexcept;

 private:
  struct Handle;

  std::string path_;
  LibraryFacts facts_;
  std::unique_ptr<Handle> handle_;
  const tenon_plugin_entry* entry_ = nullptr;
};

/// True while the dynamic loader has a library of this path mapped.
bool is_mapped(const std::string& path) noexcept;

/// Throws Refusal "plugins.abi_too_new" or "plugins.abi_too_old" when this host cannot run a plugin
/// that was built against `major`.x and needs at least minor `needs_minor` of the host.
void check_abi(std::uint32_t major, std::uint32_t needs_minor, const std::string& file);

}  // namespace tenon::plugins
