#pragma once

#include <chrono>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/unique_fd.hpp"

namespace tenon::app {

/// A program to run. It is found through PATH if `words[0]` has no slash.
struct ToolCommand {
  std::vector<std::string> words;  ///< program and arguments
  std::string folder;              ///< its working directory; empty: that of this process
  std::map<std::string, std::string> environment = {};  ///< in addition to that of this process
};

/// Another program that runs while this one does. It gets a SIGTERM when this process ends. Not
/// thread-safe.
class ChildProcess {
 public:
  struct Options {
    bool pipes_input = false;    ///< else its input is /dev/null
    bool pipes_output = false;   ///< else its output goes where that of this process goes
    bool merges_errors = false;  ///< its standard error goes where its output goes
    bool has_own_group = false;  ///< so that Ctrl-C in the terminal does not reach it
  };

  /// Starts it. Throws base::Error 500 "dev.not_started" if the program cannot be executed.
  ChildProcess(const ToolCommand& command, Options options);
  /// Stops it.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Returns the pipe of its output, for poll(); -1 without one.
  int output() const noexcept { return output_.get(); }
  /// Returns the next whole line of its output without its end, and waits for it. Empty at the end
  /// of the output.
  std::optional<std::string> read_line();
  /// True if read_line() has a whole line already.
  bool has_line() const noexcept { return buffer_.find('\n') != std::string::npos; }
  /// Writes to its input. Ignored if it has ended.
  void write(std::string_view text) const;

  /// Waits for its end. Returns its exit code, 128 + N if signal N ended it.
  int wait();
  /// Sends SIGTERM to it or its own group, and SIGKILL after `timeout`.
  void stop(std::chrono::milliseconds timeout = std::chrono::seconds(15));

 private:
  bool is_ended(int options);

  pid_t process_ = -1;
  pid_t signalled_ = -1;  ///< as of kill(2)
  std::optional<int> code_;
  base::UniqueFd input_;
  base::UniqueFd output_;
  std::string buffer_;
};

/// Runs a program to its end, with the output of this process. Returns its exit code. Throws as
/// ChildProcess.
int run_command_line(const ToolCommand& command);
/// Writes its standard output and standard error to `echo`, and also appends them to `output`.
int run_command_line(const ToolCommand& command, std::string& output, std::FILE* echo);

}  // namespace tenon::app
