#include "plugins/bridge/closed_databases.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "data/new_file.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view last_line = "end";

// Builds of one version differ in what they make of a declaration, too.
std::string title_of(const std::string& host_version) {
  struct stat program {};
  ::stat("/proc/self/exe", &program);
  return "tenon-closed " + host_version + " " + std::to_string(program.st_size) + " " +
         std::to_string(program.st_mtim.tv_sec) + "." + std::to_string(program.st_mtim.tv_nsec);
}

std::string line_of(const std::string& plugin, const data::ClosedFile& closed) {
  std::ostringstream line;
  line << plugin << ' ' << closed.declaration << ' ' << closed.schema << ' ' << closed.mark.device
       << ' ' << closed.mark.inode << ' ' << closed.mark.bytes << ' ' << closed.mark.written << ' '
       << closed.mark.changed << '\n';
  return line.str();
}

// Nothing where it is another program's, or was not written to its end.
std::map<std::string, data::ClosedFile> read_record(const std::string& path,
                                                    const std::string& title) {
  std::map<std::string, data::ClosedFile> known;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != title) return {};
  while (std::getline(file, line)) {
    if (line == last_line) return known;
    std::istringstream words(line);
    std::string plugin;
    data::ClosedFile closed;
    if (!(words >> plugin >> closed.declaration >> closed.schema >> closed.mark.device >>
          closed.mark.inode >> closed.mark.bytes >> closed.mark.written >> closed.mark.changed))
      return {};
    known.insert_or_assign(std::move(plugin), std::move(closed));
  }
  return {};
}

}  // namespace

ClosedDatabases::ClosedDatabases(const std::string& data, const std::string& host_version)
    : path_(data + "/run/closed"), title_(title_of(host_version)) {}

void ClosedDatabases::begin() {
  const std::lock_guard lock(mutex_);
  std::error_code failure;
  if (!fs::exists(path_, failure)) return;
  auto known = read_record(path_, title_);
  try {
    if (::unlink(path_.c_str()) != 0) throw data::file_error(errno, path_ + " cannot be removed");
    data::sync_folder(path_);
    known_ = std::move(known);
  } catch (const base::Error& error) {
    observability::log_warning("what was known of the plugins' files is not believed",
                               {{"reason", error.message()}});
  }
}

std::optional<data::ClosedFile> ClosedDatabases::find(const std::string& plugin,
                                                      const std::string& file,
                                                      const std::string& declaration) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(plugin);
  if (found == known_.end() || found->second.declaration != declaration) return std::nullopt;
  if (data::mark_of_closed(file) != found->second.mark) return std::nullopt;
  return found->second;
}

void ClosedDatabases::put(const std::string& plugin, std::optional<data::ClosedFile> closed) {
  const std::lock_guard lock(mutex_);
  // What was known at the start is so no more.
  known_.erase(plugin);
  if (closed && !closed->declaration.empty())
    closed_.insert_or_assign(plugin, *std::move(closed));
  else
    closed_.erase(plugin);
}

void ClosedDatabases::end() noexcept {
  const std::lock_guard lock(mutex_);
  if (closed_.empty()) return;
  const std::string part = path_ + ".part";
  std::error_code ignored;
  try {
    std::ofstream file(part);
    fs::permissions(part, fs::perms::owner_read | fs::perms::owner_write, ignored);
    file << title_ << '\n';
    for (const auto& [plugin, closed] : closed_)
      file << line_of(plugin, closed);
    file << last_line << '\n';
    file.close();
    if (file) fs::rename(part, path_, ignored);
  } catch (const std::exception&) {  // no memory
  }
  fs::remove(part, ignored);
}

}  // namespace tenon::plugins
