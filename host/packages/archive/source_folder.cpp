#include "packages/archive/source_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "packages/archive/limits.hpp"
#include "packages/archive/names.hpp"
#include "packages/archive/package_refusal.hpp"

namespace tenon::plugins {

namespace {

constexpr const char* folder_invalid = "plugins.package_folder_invalid";

[[noreturn]] void refuse_system(const std::string& path) {
  refuse_package(folder_invalid, "It cannot be read: " + system_words(errno) + ".", path);
}

base::UniqueFd open_at(int folder, const std::string& name, int flags) {
  return base::UniqueFd(
      ::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags));
}

std::vector<std::string> names_in(const base::UniqueFd& folder, const std::string& path) {
  // A descriptor of its own: closing the stream closes it.
  const int copy = ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(copy < 0 ? nullptr : ::fdopendir(copy),
                                                   &::closedir);
  if (!stream) refuse_system(path);
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (!entry) break;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  if (errno != 0) refuse_system(path);
  std::sort(names.begin(), names.end());
  return names;
}

void require_name(const std::string& fault, const std::string& path, const std::string& name) {
  if (!fault.empty()) refuse_package("plugins.package_name_invalid", fault, path, name);
}

}  // namespace

SourceFolder::SourceFolder(std::string path) : path_(std::move(path)) {
  root_ = base::UniqueFd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root_) refuse_system(path_);
  walk(root_, "");
  std::sort(names_.begin(), names_.end());
  NameSet set;
  for (const std::string& name : names_)
    require_name(set.add(name), path_, name);
}

void SourceFolder::walk(const base::UniqueFd& folder, const std::string& prefix) {
  for (const std::string& last : names_in(folder, path_ + "/" + prefix)) {
    const std::string name = prefix + last;
    require_name(fault_of_name(name), path_, name);
    struct stat facts {};
    if (::fstatat(folder.get(), last.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0)
      refuse_system(path_ + "/" + name);
    if (S_ISDIR(facts.st_mode)) {
      const base::UniqueFd inner = open_at(folder.get(), last, O_DIRECTORY);
      if (!inner) refuse_system(path_ + "/" + name);
      walk(inner, name + "/");
      continue;
    }
    if (!S_ISREG(facts.st_mode)) {
      refuse_package(folder_invalid,
                     S_ISLNK(facts.st_mode)
                         ? "This is a link; a package has plain files alone. Put the file itself "
                           "in its place."
                         : "This is a device, a pipe or a socket; a package has plain files alone.",
                     path_, name);
    }
    if (names_.size() == PackageLimits::files)
      refuse_size("There are more than " + std::to_string(PackageLimits::files) + " files.", path_);
    names_.push_back(name);
  }
}

std::string SourceFolder::read(const std::string& name, std::uint64_t max_bytes) const {
  base::UniqueFd at;
  std::size_t begin = 0;
  // Part by part, so that no folder that became a link meanwhile is followed.
  for (std::size_t slash = name.find('/'); slash != std::string::npos;
       slash = name.find('/', begin)) {
    at = open_at(at ? at.get() : root_.get(), name.substr(begin, slash - begin), O_DIRECTORY);
    if (!at) refuse_system(path_ + "/" + name);
    begin = slash + 1;
  }
  const base::UniqueFd file = open_at(at ? at.get() : root_.get(), name.substr(begin), 0);
  if (!file) refuse_system(path_ + "/" + name);
  return read_bounded(file, path_ + "/" + name, max_bytes, folder_invalid);
}

}  // namespace tenon::plugins
