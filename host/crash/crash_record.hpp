#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crash/running_calls.hpp"

namespace tenon::plugins {

/// A call that ran when the process ended.
struct NamedCall {
  std::string plugin;
  Operation operation = Operation::none;
  std::string request;  ///< id of the request or of the job; empty: it had none
  std::string route;    ///< pattern of the route; empty: not known, or no request

  bool operator==(const NamedCall&) const = default;
};

/// "the handler of a request (GET /api/notes/notes, request 4f2a…)"
std::string to_text(const NamedCall& call);

/// The report that an ended process left in its area.
struct CrashReport {
  /// The call of the thread that a fault or an exit came from.
  std::optional<NamedCall> call = {};
  /// Calls of other threads, one a plugin; without `call` each of these may be to blame.
  std::vector<NamedCall> others = {};
  /// Code of plugins on the stack of the thread, the innermost first: "notes+0x1a2b".
  std::vector<std::string> trace = {};

  /// The one to blame: `call`, else the only one there is. Null: none, or several may be.
  const NamedCall* culprit() const noexcept;
  bool is_empty() const noexcept { return !call && others.empty(); }
};

/// Returns the calls that the threads of this process run now. Each may end meanwhile, and then has
/// another request or none.
std::vector<NamedCall> running_calls();

/// Returns the code of plugins on the stack of the thread that runs a request inside `plugin`, the
/// innermost first: "notes+0x1a2b". Interrupts that thread by SIGURG, which may end a system call
/// of it early (EINTR): only for a thread that must not wait in one. Empty where the request has
/// left the plugin. Waits for that thread, at most half a second. Not on I/O threads.
std::vector<std::string> running_stack(std::string_view plugin, std::string_view request);

/// Reads what a process that has ended left in this area; nothing where it cannot be read.
std::optional<CrashReport> read_report(int descriptor);

/// Records the cause of a crash, on the crashing thread. Both may be called from
/// a signal handler and write to memory alone; only the first call of a process counts.
class CrashRecord {
 public:
  /// `address`: where the processor is; `stack`: its stack pointer. 0: not known.
  static void note(std::uintptr_t address, std::uintptr_t stack) noexcept;
};

/// Installs handlers that record a fault before its signal ends the process: SIGSEGV, SIGBUS,
/// SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP. To be called once, by the first thread. Sanitizers,
/// which have handlers of their own, keep them.
void note_faults() noexcept;

/// A stack for the handler of such a signal, on which a thread that has used up its own stack can
/// be noted. Lives on the stack of its thread, at the bottom.
class FaultStack {
 public:
  /// Bytes; threads with less than four times as much have none.
  static constexpr std::size_t size = std::size_t{32} << 10;

  FaultStack() noexcept;
  ~FaultStack();
  FaultStack(const FaultStack&) = delete;
  FaultStack& operator=(const FaultStack&) = delete;

 private:
  alignas(16) std::byte memory_[size];  // not touched before a fault
};

}  // namespace tenon::plugins
