#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/dev/child_process.hpp"

namespace tenon::app {

/// The TypeScript compiler in its watch mode, which checks the types of a plugin's page and writes
/// no files. Not thread-safe.
class TypeCheck {
 public:
  /// Starts it. Throws base::Error 500 "dev.not_started".
  explicit TypeCheck(const ToolCommand& command);

  /// Returns its output for poll().
  int descriptor() const noexcept { return process_.output(); }
  /// True if read() would not wait.
  bool has_line() const noexcept { return process_.has_line(); }
  /// Reads one line. Returns the errors of a check that this line completed, a line each; empty
  /// text if there are none. Nothing while a check runs.
  std::optional<std::string> read();
  /// True once it has ended; it is not to be read then.
  bool has_ended() const noexcept { return has_ended_; }

 private:
  ChildProcess process_;
  std::string errors_;
  bool has_ended_ = false;
};

}  // namespace tenon::app
