#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "lifecycle/probation/quarantine.hpp"

namespace tenon::console {
class LastCrashes;
}

namespace tenon::app {

/// Names the functions and source lines of a stack of "plugin+0x1a2b", with the program addr2line
/// of binutils. `library_of` returns the library of a plugin; empty: none. A place that cannot be
/// named stays as it is. Blocks for the time of that program.
std::vector<std::string> name_functions(
    const std::vector<std::string>& trace,
    const std::function<std::string(const std::string& plugin)>& library_of);

/// Reports why the process before this one crashed, if a plugin is to blame: notes it at once in
/// `crashes`, and later, from a thread of its own, with the names of functions, which it also logs.
class CrashReporter {
 public:
  using LibraryOf = std::function<std::string(const std::string& plugin)>;

  /// `crashes` outlives it. `library_of` is called on the thread until the destructor.
  CrashReporter(const plugins::Restart& restart, console::LastCrashes& crashes,
                LibraryOf library_of);
  /// Waits for the thread.
  ~CrashReporter();
  CrashReporter(const CrashReporter&) = delete;
  CrashReporter& operator=(const CrashReporter&) = delete;

 private:
  std::thread thread_;
};

}  // namespace tenon::app
