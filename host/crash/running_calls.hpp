#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::observability {
struct Work;
}

namespace tenon::plugins {

struct CrashArea;

/// The kind of call into a plugin that a thread runs.
enum class Operation : std::uint8_t {
  none,
  load,        ///< the constructors of its library
  create,      ///< tenon_plugin_entry::create
  start,       ///< tenon_plugin::start
  stop,        ///< quiesce, stop and destroy
  health,      ///< tenon_plugin::health
  migration,   ///< a migration that is a function
  route,       ///< the handler of a request
  body,        ///< a callback of a request's body or of a streamed response
  job,         ///< the handler of a job
  write,       ///< a function inside a transaction
  table,       ///< a callback of a table: before or after a change, or an extender of records
  service,     ///< the handler of a service that another plugin calls
  setting,     ///< a watcher of settings
  own_thread,  ///< a thread that the plugin began
};

/// "the handler of a request", as a sentence has it.
std::string_view to_string(Operation operation) noexcept;

/// The current call of a thread, readable after the process has ended. In memory shared with the
/// supervisor; written by its thread alone.
struct CallSlot {
  static constexpr std::size_t max_job = 47;  ///< bytes of an id; a longer one is cut

  std::atomic<std::uint32_t> is_taken;
  /// The plugin's number << 8 | Operation; without a number no plugin runs that is known.
  std::atomic<std::uint32_t> mark;
  /// Points to the thread's innermost work; in the memory of its process.
  const observability::Work* const* work;
  std::uint8_t job_size;
  std::array<char, max_job> job;  ///< id of the job that it runs, where it runs one

  void note_job(std::string_view id) noexcept {
    job_size = static_cast<std::uint8_t>(std::min(id.size(), job.size()));
    std::copy_n(id.data(), job_size, job.data());
  }
};

/// A plugin's id with the number that slots have of it.
struct PluginName {
  explicit PluginName(std::string plugin);

  std::string id;
  std::uint32_t number;  ///< 0: there were too many to number this one

  std::uint32_t mark(Operation operation) const noexcept {
    return number << 8 | static_cast<std::uint32_t>(operation);
  }
};

/// The current calls into plugins of all threads of the process. Both processes share an area that
/// was made before a fork; without one the process has its own, which no other sees. Thread-safe.
class RunningCalls {
 public:
  static constexpr std::size_t max_threads = 1024;  ///< further threads are not recorded
  static constexpr std::size_t max_plugins = 4095;  ///< further plugins are not recorded
  static constexpr std::size_t max_id = 64;         ///< bytes of a plugin's id

  /// Creates an area as a file in memory; -1 on failure. The caller closes it.
  static int make_area() noexcept;
  /// Uses the area of this descriptor for the process. Call it before there are threads. Ignores an
  /// area that cannot be mapped.
  static void use_area(int descriptor) noexcept;

  /// The slot of the calling thread.
  static CallSlot& slot() noexcept {
    CallSlot* const mine = slot_;
    return mine != nullptr ? *mine : take_slot();
  }

  /// Returns false in a process that a plugin forked: it has the memory of the host.
  static bool is_of_this_process() noexcept;
  /// The area of the process.
  static CrashArea& area() noexcept;

  /// Returns the number of a plugin; stable for an id.
  static std::uint32_t number_of(std::string_view plugin) noexcept;
  /// Returns the id of a number; empty for an unknown one. Async-signal-safe.
  static std::string_view id_of(std::uint32_t number) noexcept;

  /// Returns the thread that has a slot of the area, by the slot's index; 0 for none.
  static int thread_of(std::size_t slot) noexcept;

  /// Registers memory as a plugin's: the segments of its library, from load to close.
  static void add_module(std::uint32_t plugin, std::uintptr_t begin, std::uintptr_t end) noexcept;
  static void remove_module(std::uintptr_t begin) noexcept;
  struct Location {
    std::uint32_t plugin = 0;  ///< 0: no plugin's
    std::uintptr_t offset = 0;
  };
  /// Returns the plugin whose code is at `address`. Async-signal-safe.
  static Location locate(std::uintptr_t address) noexcept;

 private:
  static CallSlot& take_slot() noexcept;

  static constinit thread_local CallSlot* slot_;
};

/// Marks a call into a plugin as running. Lives on the stack of the calling thread. The request is
/// in observability::current_work().
class RunningCall {
 public:
  explicit RunningCall(std::uint32_t mark) noexcept
      : slot_(RunningCalls::slot()), outer_(slot_.mark.load(std::memory_order_relaxed)) {
    slot_.mark.store(mark, std::memory_order_release);
  }
  ~RunningCall() { slot_.mark.store(outer_, std::memory_order_release); }
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

 private:
  CallSlot& slot_;
  const std::uint32_t outer_;
};

}  // namespace tenon::plugins
