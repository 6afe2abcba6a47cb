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
/// of binutils. `library_of` returns the library of a plugin; empty: none. An address that cannot
/// be named stays as it is. Blocks for the time of that program.
std::vector<std::string> name_functions(
    const std::vector<std::string>& trace,
    const std::function<std::string(const std::string& plugin)>& library_of);

/// Reports why the process before this one crashed, if a plugin is to blame: the constructor notes
/// it in `crashes`, and a thread adds the names of functions, which it also logs.
class CrashReporter {
 public:
  using LibraryOf = std::function<std::string(const std::string& plugin)>;

  /// `restart` and `crashes` outlive it. `library_of` is called between start() and the destructor.
  CrashReporter(const plugins::Restart& restart, console::LastCrashes& crashes,
                LibraryOf library_of);
  /// Waits for the thread.
  ~CrashReporter();
  CrashReporter(const CrashReporter&) = delete;
  CrashReporter& operator=(const CrashReporter&) = delete;

  /// Starts the thread, if there is a stack. Call it once the plugins are known.
  void start();

 private:
  const plugins::Restart& restart_;
  console::LastCrashes& crashes_;
  const LibraryOf library_of_;
  std::thread thread_;
};

}  // namespace tenon::app
