#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tenon::plugins {

/// The stage of a plugin that has not proved itself.
enum class StartStage : std::uint8_t {
  loading,      ///< its library is opened: constructors run
  starting,     ///< create, its migrations, start
  on_probation  ///< active, in the first minute after an admin changed it
};

/// Returns the name of the stage, as the file has it.
std::string_view to_string(StartStage stage) noexcept;

struct ProbationEntry {
  std::string plugin;
  StartStage stage = StartStage::loading;
  bool is_suspect = false;  ///< an earlier process ended while it was in one of these stages
  std::string tried;        ///< the version that a change tries; empty: the one that is installed

  bool operator==(const ProbationEntry&) const = default;
};

/// The record that a process of the host left, with the entries that changed last at the end.
struct PreviousRecord {
  int process = 0;
  std::vector<ProbationEntry> entries;
};

/// Returns the record in the data directory `data`; nothing if there is none, or none that can be
/// read. Needs neither a thread nor the database.
std::optional<PreviousRecord> read_crash_journal(const std::string& data);

/// The file `run/loading`, which lists the plugins of this process that have not proved themselves,
/// for the process that follows it. Each change is one write of the whole file, which survives the
/// end of the process; a change that must survive a power failure is synced. A failed write is
/// logged once and its change is missing: the record is a help, no condition. Thread-safe; never
/// throws.
class CrashJournal {
 public:
  static constexpr std::chrono::milliseconds probation_period{60'000};
  /// Plugins in the record; if there are more, only those that changed last.
  static constexpr std::size_t max_entries = 64;

  /// `period`: other than `probation_period` in tests.
  explicit CrashJournal(const std::string& data,
                        std::chrono::milliseconds period = probation_period);
  /// Leaves the file as it is.
  ~CrashJournal();
  CrashJournal(const CrashJournal&) = delete;
  CrashJournal& operator=(const CrashJournal&) = delete;

  /// Replaces the record of the earlier process with an empty one of this process.
  void begin();

  /// Replaces the plugin's entry. A plugin on probation proves itself after the period.
  void note(const ProbationEntry& entry, bool is_synced);
  /// Removes the plugin's entry: it has proved itself, or is gone.
  void forget(std::string_view plugin);

  /// Removes the file, because the process ends cleanly.
  void end();

 private:
  struct TimedEntry {
    ProbationEntry entry;
    std::chrono::steady_clock::time_point proved_at;
  };

  void erase(std::string_view plugin);
  void write(bool is_synced);
  void complain(const char* what);
  void watch_probation();
  void stop_watching();

  const std::string path_;
  const std::chrono::milliseconds probation_period_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<TimedEntry> entries_;
  std::thread watcher_;  // runs from the first plugin on probation on
  int file_ = -1;
  bool is_finished_ = false;
  bool has_complained_ = false;
  bool is_named_ = false;  ///< its name is on disk
};

}  // namespace tenon::plugins
