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

/// What a plugin did that has not proved itself.
enum class StartStage : std::uint8_t {
  loading,   ///< its library is opened: constructors run
  starting,  ///< create, its migrations, start
  young      ///< active, in the first minute after an admin changed it
};

/// "loading", "starting", "young"
std::string_view to_string(StartStage doing) noexcept;

struct ProbationEntry {
  std::string plugin;
  StartStage doing = StartStage::loading;
  bool is_suspect = false;  ///< an earlier process ended while it was one of these
  std::string tried;        ///< the version that a change tries; empty: the one that is installed

  bool operator==(const ProbationEntry&) const = default;
};

/// What a process of the host left in its record, those that changed last at the end.
struct LeftRecord {
  int process = 0;
  std::vector<ProbationEntry> unproved;
};

/// The record in the data directory `data`; nothing where there is none, or none that can be read.
/// Needs neither a thread nor the database.
std::optional<LeftRecord> read_loading_record(const std::string& data);

/// The file `run/loading`: which plugins of this process have not proved themselves at this moment,
/// for whoever looks when it is no more. Each change is one write of the whole file, which outlives
/// the process; one that is to outlive the machine is synced. What cannot be written is logged once
/// and then missing: the record is a help, no condition. Thread-safe; never throws but as said.
class CrashJournal {
 public:
  static constexpr std::chrono::milliseconds youth{60'000};
  /// Plugins that the record names; of more, only those that changed last.
  static constexpr std::size_t most = 64;

  /// `young_for`: other than `youth` in tests.
  explicit CrashJournal(const std::string& data, std::chrono::milliseconds young_for = youth);
  /// The file stays as it is.
  ~CrashJournal();
  CrashJournal(const CrashJournal&) = delete;
  CrashJournal& operator=(const CrashJournal&) = delete;

  /// Puts an empty record of this process in the place of what was left.
  void begin();

  /// In the place of what stands there of the plugin. A young one proves itself by time.
  void note(const ProbationEntry& unproved, bool is_synced);
  /// The plugin has proved itself, or is no more.
  void forget(std::string_view plugin);

  /// The process ends in order: removes the file.
  void end();

 private:
  struct Entry {
    ProbationEntry unproved;
    std::chrono::steady_clock::time_point grown_at;
  };

  void erase(std::string_view plugin);
  void write(bool is_synced);
  void complain(const char* what);
  void watch_the_young();
  void stop_watching();

  const std::string path_;
  const std::chrono::milliseconds youth_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry> entries_;
  std::thread watcher_;  // runs from the first young one on
  int file_ = -1;
  bool is_over_ = false;
  bool has_complained_ = false;
  bool is_named_ = false;  ///< its name is on disk
};

}  // namespace tenon::plugins
