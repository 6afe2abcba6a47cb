#include "crash/crash_record.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>

#include <semaphore.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "crash/area.hpp"
#include "observability/work.hpp"

namespace tenon::plugins {

namespace {

// How much of a stack is looked through for code of plugins.
constexpr std::size_t looked_through = std::size_t{64} << 10;
constexpr std::size_t page = 4096;

struct Registers {
  std::uintptr_t address = 0;
  std::uintptr_t stack = 0;
};

Registers registers_of(const void* context) noexcept {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return {static_cast<std::uintptr_t>(machine.gregs[REG_RIP]),
          static_cast<std::uintptr_t>(machine.gregs[REG_RSP])};
#elif defined(__aarch64__)
  return {static_cast<std::uintptr_t>(machine.pc), static_cast<std::uintptr_t>(machine.sp)};
#else
  static_cast<void>(machine);
  return {};
#endif
}

// Reads memory that may not be there: the system says so, instead of a second fault.
bool peek_bytes(const void* from, void* to, std::size_t bytes) noexcept {
  const iovec there{const_cast<void*>(from), bytes};
  const iovec here{to, bytes};
  return ::syscall(SYS_process_vm_readv, ::getpid(), &here, 1UL, &there, 1UL, 0UL) ==
         static_cast<long>(bytes);
}

void add_frame(CrashArea::Details& details, std::uintptr_t address) noexcept {
  if (details.trace_size == details.trace.size()) return;
  const RunningCalls::Location at = RunningCalls::locate(address);
  if (at.plugin != 0) details.trace[details.trace_size++] = {at.plugin, at.offset};
}

// Every word of the stack that points into a plugin's library: its return addresses, and now and
// then what an earlier call left. Needs no tables for unwinding, and survives a stack that is
// overwritten.
void add_frames(CrashArea::Details& details, std::uintptr_t stack) noexcept {
  std::array<std::uintptr_t, page / sizeof(std::uintptr_t)>
      words;  // NOLINT: filled before it is read
  std::uintptr_t at = stack & ~(sizeof(std::uintptr_t) - 1);
  const std::uintptr_t end = at + looked_through;
  bool was_there = false;
  while (at < end) {
    const std::size_t bytes = page - at % page;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const bool is_there = peek_bytes(reinterpret_cast<void*>(at), words.data(), bytes);
    // After the last page there may be none; before the first one lies the guard page.
    if (!is_there && was_there) return;
    if (is_there) {
      for (std::size_t i = 0; i < bytes / sizeof(std::uintptr_t); ++i)
        add_frame(details, words[i]);
    }
    was_there = is_there;
    at += bytes;
  }
}

// Copies as much as fits; returns the number of bytes.
template <std::size_t size>
std::size_t copy(std::string_view text, std::array<char, size>& room) noexcept {
  const std::size_t bytes = std::min(text.size(), room.size());
  std::copy_n(text.data(), bytes, room.data());
  return bytes;
}

extern "C" void note_fault(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  const Registers registers = registers_of(context);
  CrashRecord::note(registers.address, registers.stack);
  std::signal(signal, SIG_DFL);
  // Sent by a process: it does not recur by itself. A fault does, at the same instruction.
  if (info->si_code <= 0) ::raise(signal);
  errno = error;
}

template <typename T>
bool peek(const T* from, T& to) noexcept {
  return from != nullptr && peek_bytes(from, &to, sizeof(T));
}

std::string peek_text(std::string_view from) {
  constexpr std::size_t max_text = 512;
  std::string text(std::min(from.size(), max_text), 0);
  return peek_bytes(from.data(), text.data(), text.size()) ? text : std::string();
}

NamedCall named(std::uint32_t mark, std::string_view request, const CrashArea& area) {
  const auto& id = area.ids[std::min<std::size_t>(mark >> 8, RunningCalls::max_plugins)];
  return {.plugin = std::string(id.data(), ::strnlen(id.data(), id.size())),
          .operation = static_cast<Operation>(mark & 0xffU),
          .request = std::string(request),
          .route = {}};
}

}  // namespace

void CrashRecord::note(std::uintptr_t address, std::uintptr_t stack) noexcept {
  if (!RunningCalls::is_of_this_process()) return;
  CrashArea::Details& details = RunningCalls::area().details;
  if (details.is_begun.exchange(1, std::memory_order_acq_rel) != 0) return;
  details.mark = RunningCalls::slot().mark.load(std::memory_order_relaxed);
  if (const observability::Work* work = observability::current_work(); details.mark != 0 && work) {
    details.request_size = static_cast<std::uint8_t>(copy(work->request_id, details.request));
    details.route_size = static_cast<std::uint16_t>(copy(work->route, details.route));
  }
  add_frame(details, address);
  if (stack != 0) add_frames(details, stack);
  // The processor is in a plugin's code, on a thread that is not marked.
  if (details.mark == 0 && RunningCalls::locate(address).plugin != 0) {
    details.mark = details.trace[0].plugin << 8 | static_cast<std::uint32_t>(Operation::own_thread);
  }
  details.is_whole.store(1, std::memory_order_release);
}

namespace {

// The stack of a thread, which that thread writes.
struct StackCapture {
  CrashArea::Details details{};
  sem_t is_done{};
};
// Taken by the thread that the signal reaches.
constinit std::atomic<StackCapture*> wanted_stack{nullptr};
constinit std::atomic<pid_t> wanted_thread{0};
constinit std::mutex capture_mutex;

extern "C" void note_stack(int /*signal*/, siginfo_t* /*info*/, void* context) {
  const int error = errno;
  if (wanted_thread.load(std::memory_order_acquire) == ::gettid()) {
    if (StackCapture* capture = wanted_stack.exchange(nullptr, std::memory_order_acq_rel)) {
      const Registers registers = registers_of(context);
      add_frame(capture->details, registers.address);
      if (registers.stack != 0) add_frames(capture->details, registers.stack);
      ::sem_post(&capture->is_done);
    }
  }
  errno = error;
}

bool wait_for(StackCapture& capture) noexcept {
  constexpr std::int64_t timeout_ns = 500'000'000;
  timespec end{};
  ::clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += timeout_ns;
  end.tv_sec += end.tv_nsec / 1'000'000'000;
  end.tv_nsec %= 1'000'000'000;
  while (::sem_timedwait(&capture.is_done, &end) != 0) {
    if (errno == EINTR) continue;
    // If the thread took it meanwhile, it ends at once.
    if (wanted_stack.exchange(nullptr, std::memory_order_acq_rel) != nullptr) return false;
    ::sem_wait(&capture.is_done);
    return true;
  }
  return true;
}

std::vector<std::string> named_frames(const CrashArea::Details& details) {
  std::vector<std::string> trace;
  for (std::size_t i = 0; i < details.trace_size; ++i) {
    char offset[32];
    std::snprintf(offset, sizeof offset, "+0x%llx",
                  static_cast<unsigned long long>(details.trace[i].offset));
    trace.push_back(std::string(RunningCalls::id_of(details.trace[i].plugin)) + offset);
  }
  return trace;
}

}  // namespace

std::vector<std::string> running_stack(std::string_view plugin, std::string_view request) {
  const std::lock_guard lock(capture_mutex);
  pid_t thread = 0;
  const CrashArea& area = RunningCalls::area();
  for (std::size_t i = 0; i < area.slots.size() && thread == 0; ++i) {
    const CallSlot& slot = area.slots[i];
    const std::uint32_t mark = slot.mark.load(std::memory_order_acquire);
    if (slot.is_taken.load(std::memory_order_acquire) == 0 ||
        RunningCalls::id_of(mark >> 8) != plugin)
      continue;
    observability::Work work;
    std::uintptr_t innermost = 0;
    if (peek(reinterpret_cast<const std::uintptr_t*>(slot.work), innermost) &&
        peek(reinterpret_cast<const observability::Work*>(innermost), work) &&
        peek_text(work.request_id) == request)
      thread = RunningCalls::thread_of(i);
  }
  if (thread == 0) return {};
  struct sigaction action {};
  action.sa_sigaction = note_stack;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (::sigaction(SIGURG, &action, nullptr) != 0) return {};
  StackCapture capture;
  ::sem_init(&capture.is_done, 0, 0);
  wanted_thread.store(thread, std::memory_order_release);
  wanted_stack.store(&capture, std::memory_order_release);
  const bool is_sent = ::syscall(SYS_tgkill, ::getpid(), thread, SIGURG) == 0;
  if (!is_sent) wanted_stack.store(nullptr, std::memory_order_release);
  std::vector<std::string> trace;
  if (is_sent && wait_for(capture)) trace = named_frames(capture.details);
  ::sem_destroy(&capture.is_done);
  return trace;
}

void note_faults() noexcept {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  static FaultStack first;
  struct sigaction action {};
  action.sa_sigaction = note_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP})
    ::sigaction(signal, &action, nullptr);
#endif
}

FaultStack::FaultStack() noexcept {
  stack_t stack{};
  stack.ss_sp = memory_;
  stack.ss_size = size;
  ::sigaltstack(&stack, nullptr);
}

FaultStack::~FaultStack() {
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  ::sigaltstack(&none, nullptr);
}

std::string to_text(const NamedCall& call) {
  std::string text(to_string(call.operation));
  if (call.operation == Operation::job && !call.request.empty()) return text + " " + call.request;
  if (call.route.empty() && call.request.empty()) return text;
  text += " (" + call.route;
  if (!call.request.empty())
    text += std::string(call.route.empty() ? "" : ", ") + "request " + call.request;
  return text + ")";
}

std::vector<NamedCall> running_calls() {
  std::vector<NamedCall> calls;
  const CrashArea& area = RunningCalls::area();
  for (const CallSlot& slot : area.slots) {
    const std::uint32_t mark = slot.mark.load(std::memory_order_acquire);
    if (slot.is_taken.load(std::memory_order_acquire) == 0 || mark >> 8 == 0) continue;
    observability::Work work;
    std::uintptr_t innermost = 0;
    const bool is_known = peek(reinterpret_cast<const std::uintptr_t*>(slot.work), innermost) &&
                          peek(reinterpret_cast<const observability::Work*>(innermost), work);
    NamedCall call = named(mark, {}, area);
    if (is_known) {
      call.request = peek_text(work.request_id);
      call.route = peek_text(work.route);
    }
    calls.push_back(std::move(call));
  }
  return calls;
}

const NamedCall* CrashReport::culprit() const noexcept {
  if (call) return &*call;
  return others.size() == 1 ? &others.front() : nullptr;
}

std::optional<CrashReport> read_report(int descriptor) {
  struct stat file {};
  if (descriptor < 0 || ::fstat(descriptor, &file) != 0 ||
      file.st_size != static_cast<off_t>(sizeof(CrashArea)))
    return std::nullopt;
  const auto unmap = [](void* memory) { ::munmap(memory, sizeof(CrashArea)); };
  void* const memory = ::mmap(nullptr, sizeof(CrashArea), PROT_READ, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return std::nullopt;
  const std::unique_ptr<void, decltype(unmap)> mapping(memory, unmap);
  // A plugin may have overwritten the area by mistake: every read is bounded.
  const auto& area = *static_cast<const CrashArea*>(memory);
  CrashReport report;
  const CrashArea::Details& details = area.details;
  if (details.is_whole.load(std::memory_order_acquire) != 0) {
    if (details.mark >> 8 != 0) {
      const std::size_t request =
          std::min<std::size_t>(details.request_size, details.request.size());
      const std::size_t route = std::min<std::size_t>(details.route_size, details.route.size());
      report.call = named(details.mark, {details.request.data(), request}, area);
      report.call->route.assign(details.route.data(), route);
    }
    const std::size_t frames = std::min<std::size_t>(details.trace_size, details.trace.size());
    for (std::size_t i = 0; i < frames; ++i) {
      const CrashArea::Frame& frame = details.trace[i];
      report.trace.push_back(named(frame.plugin << 8, {}, area).plugin + "+0x");
      constexpr std::size_t digits = 17;
      std::array<char, digits> offset{};
      std::snprintf(offset.data(), offset.size(), "%lx", static_cast<unsigned long>(frame.offset));
      report.trace.back() += offset.data();
    }
  }
  for (const CallSlot& slot : area.slots) {
    const std::uint32_t mark = slot.mark.load(std::memory_order_relaxed);
    if (mark >> 8 == 0) continue;
    const bool is_job = static_cast<Operation>(mark & 0xffU) == Operation::job;
    const std::size_t size = is_job ? std::min<std::size_t>(slot.job_size, slot.job.size()) : 0;
    NamedCall call = named(mark, {slot.job.data(), size}, area);
    const bool is_known =
        std::any_of(report.others.begin(), report.others.end(),
                    [&](const NamedCall& other) { return other.plugin == call.plugin; });
    if (!is_known && !(report.call && report.call->plugin == call.plugin))
      report.others.push_back(std::move(call));
  }
  return report;
}

}  // namespace tenon::plugins
