#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <tenon/entry.h>

#include "packages/elf/library_facts.hpp"

namespace tenon::plugins {

/// An open shared library whose entry has passed every check. Not thread-safe.
class Library {
 public:
  /// Opens a private copy; `source` is the file it was copied from, for messages. Throws Refusal.
  Library(std::string path, const std::string& source, LibraryFacts facts);
  /// Closes it unless close() or leave_open() was called.
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const tenon_plugin_entry& entry() const noexcept { return *entry_; }
  const LibraryFacts& facts() const noexcept { return facts_; }
  const std::string& path() const noexcept { return path_; }

  /// Closes it; true if it is unmapped, and then its file is removed.
  bool close(bool keeps_file = false) noexcept;
  /// Leaves it open for the rest of the process: its code may still run.
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

}  // namespace tenon::plugins
