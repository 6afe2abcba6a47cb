#include "bridge/db/clean_shutdown_record.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "base/error.hpp"
#include "data/files/atomic_file_writer.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line = "tenon-closed 2";
constexpr std::string_view last_line = "end";

std::string line_of(const std::string& plugin, const data::CleanClose& closed) {
  std::ostringstream line;
  line << plugin << ' ' << closed.declaration << ' ' << closed.schema << ' ' << closed.mark.device
       << ' ' << closed.mark.inode << ' ' << closed.mark.bytes << ' ' << closed.mark.written << ' '
       << closed.mark.changed << '\n';
  return line.str();
}

// Nothing where it has another form, or was not written to its end.
std::map<std::string, data::CleanClose> read_record(const std::string& path) {
  std::map<std::string, data::CleanClose> known;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || line != first_line) return {};
  while (std::getline(file, line)) {
    if (line == last_line) return known;
    std::istringstream words(line);
    std::string plugin;
    data::CleanClose closed;
    if (!(words >> plugin >> closed.declaration >> closed.schema >> closed.mark.device >>
          closed.mark.inode >> closed.mark.bytes >> closed.mark.written >> closed.mark.changed))
      return {};
    known.insert_or_assign(std::move(plugin), std::move(closed));
  }
  return {};
}

}  // namespace

CleanShutdownRecord::CleanShutdownRecord(const std::string& data)
    : path_(data + "/run/clean-shutdown") {}

void CleanShutdownRecord::begin() {
  const std::lock_guard lock(mutex_);
  std::error_code failure;
  if (!fs::exists(path_, failure)) return;
  auto known = read_record(path_);
  try {
    if (::unlink(path_.c_str()) != 0) throw data::file_error(errno, path_ + " cannot be removed");
    data::sync_folder(path_);
    known_ = std::move(known);
  } catch (const base::Error& error) {
    observability::log_warning("what was known of the plugins' files is not believed",
                               {{"reason", error.message()}});
  }
}

std::optional<data::CleanClose> CleanShutdownRecord::find(const std::string& plugin,
                                                          const std::string& file,
                                                          const std::string& declaration) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(plugin);
  if (found == known_.end() || found->second.declaration != declaration) return std::nullopt;
  if (data::fingerprint_if_clean(file) != found->second.mark) return std::nullopt;
  return found->second;
}

void CleanShutdownRecord::put(const std::string& plugin, std::optional<data::CleanClose> closed) {
  const std::lock_guard lock(mutex_);
  // The entry read at the start is no longer valid.
  known_.erase(plugin);
  if (closed && !closed->declaration.empty())
    closed_.insert_or_assign(plugin, *std::move(closed));
  else
    closed_.erase(plugin);
}

void CleanShutdownRecord::end() noexcept {
  const std::lock_guard lock(mutex_);
  if (closed_.empty()) return;
  const std::string part = path_ + ".part";
  std::error_code ignored;
  try {
    std::ofstream file(part);
    fs::permissions(part, fs::perms::owner_read | fs::perms::owner_write, ignored);
    file << first_line << '\n';
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
