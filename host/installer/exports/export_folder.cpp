#include "installer/exports/export_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "installer/exports/export_reader.hpp"
#include "installer/exports/export_refusal.hpp"
#include "installer/exports/limits.hpp"
#include "installer/exports/tar_form.hpp"
#include "observability/log.hpp"
#include "packages/archive/file_access.hpp"

namespace tenon::plugins {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".tar";

bool is_name_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

bool is_export_name(std::string_view name) noexcept {
  return name.size() > ending.size() && name.size() <= ExportLimits::name && name.front() != '.' &&
         name.ends_with(ending) && std::all_of(name.begin(), name.end(), is_name_character);
}

void sync(const std::string& path) {
  const base::UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::fsync(folder.get()) != 0) fail_export_write(errno, path);
}

// "2026-11-20T08:15:30.123Z" as "20261120T081530Z".
std::string compact(const std::string& time) {
  std::string text;
  for (const char c : time.substr(0, time.find('.'))) {
    if (c != '-' && c != ':') text += c;
  }
  return text + "Z";
}

std::string name_of(const std::string& plugin, const std::string& version, std::int64_t time_ms,
                    std::string_view end) {
  std::string name = plugin + "-" + version + "-" + compact(base::rfc3339(time_ms));
  // A version may have a build after a "+", which has another meaning in a URL; that of an export
  // that came in may be anything.
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_name_character(c); }, '_');
  return name + "-" + std::string(end) + std::string(ending);
}

// Returns the hash in the last entry of a complete export; empty if it cannot be read.
std::string hash_in(const std::string& path, std::uint64_t bytes) {
  constexpr std::size_t digits = 64;
  constexpr std::size_t tail = 3 * tar_block;  // the entry's content, and the end
  const base::UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  std::string hash(digits, '\0');
  if (!file || bytes < tail ||
      ::pread(file.get(), hash.data(), digits, static_cast<off_t>(bytes - tail)) != digits)
    return {};
  return hash;
}

Refusal unknown(const std::string& name) {
  return Refusal(
      {"plugins.export_unknown", "There is no export with the name \"" + name + "\".", {}, {}},
      404);
}

}  // namespace

ExportItem ExportFolder::read(const std::string& name) const {
  ExportItem item;
  item.name = name;
  ExportReader reader(folder_ + "/" + name);
  item.bytes = reader.bytes();
  try {
    item.facts = read_facts(reader);
  } catch (const Refusal& refusal) {
    item.reason = refusal.reason();
  }
  return item;
}

std::vector<ExportItem> ExportFolder::list() const {
  std::vector<std::pair<fs::file_time_type, std::string>> names;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder_, failure)) {
    const std::string name = entry.path().filename().string();
    std::error_code ignored;
    if (is_export_name(name) && entry.is_regular_file(ignored))
      names.emplace_back(entry.last_write_time(ignored), name);
  }
  std::sort(names.rbegin(), names.rend());
  std::vector<ExportItem> items;
  for (const auto& [time, name] : names) {
    if (items.size() >= ExportLimits::listed) break;
    try {
      items.push_back(read(name));
    } catch (const Refusal&) {  // was removed meanwhile, or cannot be opened
    }
  }
  return items;
}

std::string ExportFolder::find(const std::string& name) const {
  std::error_code failure;
  if (!is_export_name(name)) throw unknown(name);
  std::string file = folder_ + "/" + name;
  if (!fs::is_regular_file(fs::symlink_status(file, failure))) throw unknown(name);
  return file;
}

ExportItem ExportFolder::one(const std::string& name) const {
  find(name);
  return read(name);
}

void ExportFolder::remove(const std::string& name) {
  const std::string file = find(name);
  if (::unlink(file.c_str()) != 0) {
    if (errno == ENOENT) throw unknown(name);
    fail_export_write(errno, file);
  }
  sync(folder_);
}

void ExportFolder::make() const {
  if (::mkdir(folder_.c_str(), 0700) == 0)
    sync(fs::path(folder_).parent_path().string());
  else if (errno != EEXIST)
    fail_export_write(errno, folder_);
}

std::string ExportFolder::new_name(const std::string& plugin, const std::string& version) {
  make();
  return name_of(plugin, version, base::unix_milliseconds(), base::new_id().substr(30));
}

void ExportFolder::publish(const std::string& name) {
  const std::string file = folder_ + "/" + name;
  if (::rename(begun(name).c_str(), file.c_str()) != 0) {
    const int error = errno;
    std::error_code failure;
    if (error != ENOENT) fail_export_write(error, file);
    if (!fs::exists(file, failure)) {
      throw Refusal({"plugins.export_missing",
                     "The export of the data is gone, so the data are not removed. Put it back.",
                     begun(name),
                     {}});
    }
  }
  sync(folder_);
}

std::string ExportFolder::begin_receiving() {
  make();
  const std::lock_guard lock(receiving_);
  if (received_.size() >= ExportLimits::received) {
    throw Refusal({"plugins.export_busy",
                   "Other exports are being sent. Send this one when they are here.",
                   {},
                   {}},
                  503);
  }
  return *received_.insert("received-" + base::new_id() + std::string(ending)).first;
}

void ExportFolder::end_receiving(const std::string& name) noexcept {
  const std::lock_guard lock(receiving_);
  ::unlink(begun(name).c_str());
  received_.erase(name);
}

void ExportFolder::require_new(const std::string& hash, std::uint64_t bytes) const {
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    std::error_code failure;
    if (!is_export_name(name) || entry.file_size(failure) != bytes || failure ||
        hash_in(entry.path().string(), bytes) != hash)
      continue;
    throw Refusal({"plugins.export_exists", "It is here already, as " + name + ".", {}, {}});
  }
}

ExportItem ExportFolder::take(const std::string& name, const ExportFacts& facts) {
  const std::lock_guard lock(receiving_);
  const std::string file = begun(name);
  const std::uint64_t bytes = fs::file_size(file);
  const std::string hash = hash_in(file, bytes);
  require_new(hash, bytes);
  constexpr std::size_t few = 6;
  for (std::size_t digits = few;; digits += few) {
    const std::string own = name_of(facts.plugin, facts.version, facts.taken_ms,
                                    std::string_view(hash).substr(0, digits));
    if (::link(file.c_str(), (folder_ + "/" + own).c_str()) != 0) {
      // Another one of that name is there.
      if (errno == EEXIST && digits == few) continue;
      fail_export_write(errno, own);
    }
    ::unlink(file.c_str());
    sync(folder_);
    return read(own);
  }
}

void ExportFolder::sweep(const std::vector<std::string>& kept) noexcept {
  try {
    const std::lock_guard lock(receiving_);
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder_, failure)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with('.') || received_.count(name.substr(1)) != 0 ||
          std::find(kept.begin(), kept.end(), name.substr(1)) != kept.end())
        continue;
      std::error_code refused;
      fs::remove(entry.path(), refused);
      if (refused) {
        observability::log_warning(
            "an export that was not ended was not removed",
            {{"file", entry.path().string()}, {"reason", refused.message()}});
      }
    }
  } catch (const std::exception& failure) {
    observability::log_warning("exports that were not ended were not removed",
                               {{"reason", failure.what()}});
  }
}

}  // namespace tenon::plugins
