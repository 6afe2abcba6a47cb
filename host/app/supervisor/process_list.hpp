#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <sys/types.h>

namespace tenon::app {

/// A process, from `/proc/PID/stat` (proc(5)).
struct ProcessFacts {
  pid_t process = 0;
  pid_t parent = 0;
  std::uint64_t started = 0;  ///< clock ticks since the system started
};

/// Returns nothing when there is no such process; one that ended and is not reaped yet still is.
std::optional<ProcessFacts> facts_of_process(pid_t process);

/// Returns all processes of the system that this one may see.
std::vector<ProcessFacts> processes();

}  // namespace tenon::app
