#include "lifecycle/probation/crash_journal.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "data/files/private_folder.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

namespace {

constexpr std::string_view title = "tenon-loading";
// One block, written whole each time, so that no write needs free space on a disk that became full.
constexpr std::size_t file_bytes = 4096;

std::string path_of(const std::string& data) {
  return data + "/run/loading";
}

std::optional<StartStage> doing_of(std::string_view name) {
  for (const StartStage stage :
       {StartStage::loading, StartStage::starting, StartStage::on_probation}) {
    if (to_string(stage) == name) return stage;
  }
  return std::nullopt;
}

std::optional<PreviousRecord> parse(const std::string& text) {
  std::istringstream lines(text);
  std::string word;
  PreviousRecord left;
  if (!(lines >> word >> left.process) || word != title) return std::nullopt;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && !line.empty()) {
    std::istringstream words(line);
    std::string name;
    ProbationEntry entry;
    if (!(words >> name >> entry.plugin)) return std::nullopt;
    const std::optional<StartStage> stage = doing_of(name);
    if (!stage) return std::nullopt;
    entry.stage = *stage;
    while (words >> word) {
      if (word == "suspect") entry.is_suspect = true;
      if (word == "tries" && !(words >> entry.tried)) return std::nullopt;
    }
    left.entries.push_back(std::move(entry));
  }
  return left;
}

}  // namespace

std::string_view to_string(StartStage stage) noexcept {
  switch (stage) {
    case StartStage::loading:
      return "loading";
    case StartStage::starting:
      return "starting";
    case StartStage::on_probation:
      return "young";
  }
  return "loading";
}

std::optional<PreviousRecord> read_crash_journal(const std::string& data) {
  const int file = ::open(path_of(data).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  std::array<char, file_bytes> bytes{};
  const ssize_t size = ::pread(file, bytes.data(), bytes.size(), 0);
  ::close(file);
  if (size <= 0) return std::nullopt;
  return parse(std::string(bytes.data(), static_cast<std::size_t>(size)));
}

CrashJournal::CrashJournal(const std::string& data, std::chrono::milliseconds period)
    : path_(path_of(data)), probation_period_(period) {}

CrashJournal::~CrashJournal() {
  stop_watching();
  if (file_ >= 0) ::close(file_);
}

void CrashJournal::begin() {
  const std::lock_guard lock(mutex_);
  std::error_code ignored;
  data::make_private_folders(std::filesystem::path(path_).parent_path().string(), ignored);
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file_ < 0) return complain("open");
  write(false);
}

void CrashJournal::note(const ProbationEntry& entry, bool is_synced) {
  const std::lock_guard lock(mutex_);
  erase(entry.plugin);
  if (entries_.size() == max_entries) entries_.erase(entries_.begin());
  entries_.push_back({entry, std::chrono::steady_clock::now() + probation_period_});
  write(is_synced);
  if (entry.stage != StartStage::on_probation || is_finished_) return;
  try {
    if (!watcher_.joinable()) watcher_ = std::thread([this] { watch_probation(); });
  } catch (const std::system_error&) {
    // No thread would end its probation.
    erase(entry.plugin);
    write(false);
  }
  changed_.notify_one();
}

void CrashJournal::forget(std::string_view plugin) {
  const std::lock_guard lock(mutex_);
  const std::size_t before = entries_.size();
  erase(plugin);
  if (entries_.size() != before) write(false);
}

void CrashJournal::end() {
  stop_watching();
  const std::lock_guard lock(mutex_);
  if (file_ < 0) return;
  ::close(std::exchange(file_, -1));
  ::unlink(path_.c_str());
}

void CrashJournal::erase(std::string_view plugin) {
  std::erase_if(entries_, [&](const TimedEntry& one) { return one.entry.plugin == plugin; });
}

void CrashJournal::write(bool is_synced) {
  if (file_ < 0) return;
  std::string text = std::string(title) + " " + std::to_string(::getpid()) + "\n";
  for (const auto& [entry, proved_at] : entries_) {
    text += std::string(to_string(entry.stage)) + " " + entry.plugin;
    if (entry.is_suspect) text += " suspect";
    if (!entry.tried.empty()) text += " tries " + entry.tried;
    text += '\n';
  }
  text.resize(file_bytes, '\n');
  if (::pwrite(file_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
    return complain("write");
  if (!is_synced) return;
  if (::fdatasync(file_) != 0) return complain("sync");
  if (is_named_) return;
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  is_named_ = ::fsync(opened) == 0;
  ::close(opened);
}

void CrashJournal::complain(const char* what) {
  if (std::exchange(has_complained_, true)) return;
  observability::log_warning(
      "cannot write the record of loaded plugins; if one of them crashes the server it will not be "
      "known which",
      {{"file", path_}, {"call", what}, {"reason", std::strerror(errno)}});
}

void CrashJournal::watch_probation() {
  using Clock = std::chrono::steady_clock;
  std::unique_lock lock(mutex_);
  while (!is_finished_) {
    const Clock::time_point now = Clock::now();
    auto next = Clock::time_point::max();
    const std::size_t proved_count = std::erase_if(entries_, [&](const TimedEntry& one) {
      if (one.entry.stage != StartStage::on_probation) return false;
      if (one.proved_at <= now) return true;
      next = std::min(next, one.proved_at);
      return false;
    });
    if (proved_count != 0) write(false);
    if (next == Clock::time_point::max())
      changed_.wait(lock);
    else
      changed_.wait_until(lock, next);
  }
}

void CrashJournal::stop_watching() {
  {
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
  }
  changed_.notify_one();
  if (watcher_.joinable()) watcher_.join();
}

}  // namespace tenon::plugins
