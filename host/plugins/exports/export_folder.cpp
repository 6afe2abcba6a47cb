#include "plugins/exports/export_folder.hpp"

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
#include "observability/log.hpp"
#include "plugins/exports/export_reader.hpp"
#include "plugins/exports/export_refusal.hpp"
#include "plugins/exports/limits.hpp"
#include "plugins/package/file_access.hpp"

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
  const FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
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

std::string ExportFolder::new_name(const std::string& plugin, const std::string& version) {
  if (::mkdir(folder_.c_str(), 0700) == 0)
    sync(fs::path(folder_).parent_path().string());
  else if (errno != EEXIST)
    fail_export_write(errno, folder_);
  std::string name =
      plugin + "-" + version + "-" + compact(base::rfc3339(base::unix_milliseconds()));
  // A version may have a build behind a "+", which means something else in an address.
  std::replace(name.begin(), name.end(), '+', '_');
  return name + "-" + base::new_id().substr(30) + std::string(ending);
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

void ExportFolder::sweep(const std::vector<std::string>& kept) noexcept {
  try {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder_, failure)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with('.') ||
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
