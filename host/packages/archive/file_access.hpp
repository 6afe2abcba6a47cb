#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/unique_fd.hpp"

namespace tenon::plugins {

/// Returns the system's text of an error number.
std::string system_words(int error);

/// Throws Refusal "plugins.package_write_failed": the file cannot be `what`, "written" or "made";
/// status 507 if the disk is full, else 503. `error` is an errno.
[[noreturn]] void refuse_write(const std::string& what, const std::string& path, int error = errno);

/// Reads an open regular file of at most `max_bytes` bytes. Throws Refusal `code` that
/// names `path`, "plugins.package_too_large" where it is larger.
std::string read_bounded(const base::UniqueFd& file, const std::string& path,
                         std::uint64_t max_bytes, const char* code);
/// Reads a file by its path; follows a link.
std::string read_bounded(const std::string& path, std::uint64_t max_bytes, const char* code);

/// Makes a file that must not exist, synced with its name. Throws Refusal
/// "plugins.package_write_failed".
void create_file(const std::string& path, std::string_view content, unsigned mode);

/// Replaces the file `path` atomically: it is written next to it (".part"),
/// synced and renamed. Its mode is 0644 less the process's mask. Throws as create_file.
void replace_file(const std::string& path, std::string_view content);

/// Creates and fills a folder; removes it unless keep() is called. Not thread-safe.
class FreshFolder {
 public:
  /// `path` must not exist, the folder above it must. Throws Refusal
  /// "plugins.package_write_failed".
  explicit FreshFolder(const std::string& path);
  ~FreshFolder();
  FreshFolder(const FreshFolder&) = delete;
  FreshFolder& operator=(const FreshFolder&) = delete;

  /// A file of mode 0644 in folders of mode 0755, which are made; write() fills it, end_file()
  /// syncs it. Names are such as fault_of_name() passes, sorted by their bytes: a folder's files
  /// follow each other, and it is synced after the last one. They throw as the constructor.
  void begin_file(const std::string& name);
  void write(std::string_view piece);
  void end_file();
  /// Syncs the remaining folders and the name of this one.
  void keep();

 private:
  struct Folder {
    std::string name;
    base::UniqueFd file;
  };
  // Syncs and closes the open folders that do not hold `name`.
  void leave_folders(std::string_view name);
  void enter_folder(const std::string& name);

  std::string path_;
  std::vector<Folder> open_;  // "" is this one, each next one lies in the one before
  std::string name_;
  base::UniqueFd file_;
  bool is_kept_ = false;
};

}  // namespace tenon::plugins
