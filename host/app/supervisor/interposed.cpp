#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "crash/crash_record.hpp"
#include "crash/running_calls.hpp"

// Functions that replace those of the C library for plugins and libraries, so that an end of the
// process and a thread have the name of their plugin.

namespace plugins = tenon::plugins;

namespace {

template <typename Function>
Function* real(const char* name) noexcept {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym gives
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// Only what a plugin does is noted: the host ends by itself.
void note_exit() noexcept {
  const auto caller = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (plugins::RunningCalls::slot().mark.load(std::memory_order_relaxed) != 0)
    plugins::CrashRecord::note(0, caller);
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] void _exit(int code) {
  note_exit();
  for (;;)
    ::syscall(SYS_exit_group, code);
}

[[gnu::visibility("default")]] void _Exit(int code) noexcept {
  ::_exit(code);
}

// Another thread than the first one would destroy data that the others use: they would continue to
// respond with freed texts, and use them in statements.
[[gnu::visibility("default")]] void exit(int code) noexcept {
  note_exit();
  if (::gettid() == ::getpid()) real<void(int)>("exit")(code);
  ::_exit(code);
}

[[gnu::visibility("default")]] void quick_exit(int code) noexcept {
  note_exit();
  real<void(int)>("quick_exit")(code);
  ::_exit(code);
}
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

using Routine = void*(void*);

struct Start {
  Routine* routine;
  void* argument;
  std::uint32_t mark;
};

void* run_on_its_stack(void* given) {
  const Start start = *std::unique_ptr<Start>(static_cast<Start*>(given));
  const plugins::RunningCall call(start.mark);
  return start.routine(start.argument);
}

void* run(void* given) {
  const plugins::FaultStack stack;
  return run_on_its_stack(given);
}

// The file that an address is of.
dl_find_object file_of(std::uintptr_t address) noexcept {
  dl_find_object file{};
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return ::_dl_find_object(reinterpret_cast<void*>(address), &file) == 0 ? file : dl_find_object{};
}

// Returns the code that a thread runs: the function, or with std::thread the virtual functions of
// the object that it calls.
std::uintptr_t code_of(Routine* routine, const void* argument) noexcept {
  auto code = reinterpret_cast<std::uintptr_t>(routine);
  const link_map* const file = file_of(code).dlfo_link_map;
  const bool is_std_thread = file != nullptr && std::strstr(file->l_name, "libstdc++") != nullptr;
  if (is_std_thread && argument != nullptr) std::memcpy(&code, argument, sizeof(code));
  return code;
}

// A thread that the host starts while it works for a plugin is not the plugin's; one that another
// library starts is.
std::uint32_t mark_of(Routine* routine, const void* argument) noexcept {
  const std::uintptr_t code = code_of(routine, argument);
  std::uint32_t plugin = plugins::RunningCalls::locate(code).plugin;
  if (plugin == 0) {
    const auto own = reinterpret_cast<std::uintptr_t>(&file_of);
    if (file_of(code).dlfo_link_map == file_of(own).dlfo_link_map) return 0;
    plugin = plugins::RunningCalls::slot().mark.load(std::memory_order_relaxed) >> 8;
  }
  return plugin == 0 ? 0 : plugin << 8 | static_cast<std::uint32_t>(plugins::Operation::own_thread);
}

bool has_stack_space(const pthread_attr_t* attributes) noexcept {
  std::size_t size = 0;
  return attributes == nullptr || (::pthread_attr_getstacksize(attributes, &size) == 0 &&
                                   size >= 4 * plugins::FaultStack::size);
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int pthread_create(pthread_t* thread,
                                                             const pthread_attr_t* attributes,
                                                             Routine* routine, void* argument) {
  static auto* const create =
      real<int(pthread_t*, const pthread_attr_t*, Routine*, void*)>("pthread_create");
  std::unique_ptr<Start> start(new (std::nothrow)
                                   Start{routine, argument, mark_of(routine, argument)});
  if (!start) return create(thread, attributes, routine, argument);
  const int code =
      create(thread, attributes, has_stack_space(attributes) ? run : run_on_its_stack, start.get());
  if (code == 0) static_cast<void>(start.release());
  return code;
}

#endif
