#include "crash/running_calls.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "crash/area.hpp"
#include "observability/work.hpp"

namespace tenon::plugins {

namespace {

constinit CrashArea own{};
constinit CrashArea* used = &own;
constinit pid_t process = 0;  // that writes to it

constinit std::mutex names_mutex;
std::uint32_t names = 0;

// By index of the slot. Not in the area, whose form an older supervisor may share.
constinit std::array<std::atomic<pid_t>, RunningCalls::max_threads> threads{};

// The slot of threads that have none in the area: there are too many, or the thread is ending.
constinit thread_local CallSlot spare{};

// Gives the slot of its thread back when that ends.
struct SlotOwner {
  CallSlot* slot = nullptr;
  const CrashArea* area = nullptr;  // that it is in
  ~SlotOwner() {
    if (slot == nullptr) return;
    slot->mark.store(0, std::memory_order_relaxed);
    slot->is_taken.store(0, std::memory_order_release);
  }
};

struct Module {
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<std::uint32_t> plugin{0};
};
// As many as plugins, and those that an upgrade runs in addition.
constinit std::array<Module, RunningCalls::max_plugins> modules{};
// One after the last that is used, or was.
constinit std::atomic<std::size_t> modules_end{0};

}  // namespace

constinit thread_local CallSlot* RunningCalls::slot_ = nullptr;

std::string_view to_string(Operation operation) noexcept {
  switch (operation) {
    case Operation::none:
      break;
    case Operation::load:
      return "the constructors of its library";
    case Operation::create:
      return "its create";
    case Operation::start:
      return "its start";
    case Operation::stop:
      return "its stop";
    case Operation::health:
      return "its health check";
    case Operation::migration:
      return "a migration";
    case Operation::route:
      return "the handler of a request";
    case Operation::body:
      return "a callback of a body";
    case Operation::job:
      return "the handler of a job";
    case Operation::write:
      return "a function in a transaction";
    case Operation::table:
      return "a callback of a table";
    case Operation::service:
      return "the handler of a service";
    case Operation::setting:
      return "a watcher of settings";
    case Operation::own_thread:
      return "a thread of its own";
  }
  return "its code";
}

PluginName::PluginName(std::string plugin)
    : id(std::move(plugin)), number(RunningCalls::number_of(id)) {}

int RunningCalls::make_area() noexcept {
  const int area = ::memfd_create("tenon-calls", MFD_CLOEXEC);
  if (area >= 0 && ::ftruncate(area, sizeof(CrashArea)) == 0) return area;
  if (area >= 0) ::close(area);
  return -1;
}

void RunningCalls::use_area(int descriptor) noexcept {
  void* const memory =
      ::mmap(nullptr, sizeof(CrashArea), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return;
  used = static_cast<CrashArea*>(memory);
  process = ::getpid();
  slot_ = nullptr;
}

bool RunningCalls::is_of_this_process() noexcept {
  return process == 0 || process == ::getpid();
}

CrashArea& RunningCalls::area() noexcept {
  return *used;
}

CallSlot& RunningCalls::take_slot() noexcept {
  static thread_local SlotOwner owner;
  slot_ = &spare;
  if (owner.area == used) return spare;
  for (CallSlot& slot : used->slots) {
    std::uint32_t free = 0;
    if (slot.is_taken.load(std::memory_order_relaxed) != 0 ||
        !slot.is_taken.compare_exchange_strong(free, 1, std::memory_order_acquire))
      continue;
    slot.work = &observability::innermost_work;
    threads[static_cast<std::size_t>(&slot - used->slots.data())].store(::gettid(),
                                                                        std::memory_order_relaxed);
    slot_ = owner.slot = &slot;
    owner.area = used;
    break;
  }
  return *slot_;
}

int RunningCalls::thread_of(std::size_t slot) noexcept {
  return threads[slot].load(std::memory_order_relaxed);
}

std::uint32_t RunningCalls::number_of(std::string_view plugin) noexcept {
  const std::string_view id = plugin.substr(0, max_id);
  const std::lock_guard lock(names_mutex);
  for (std::uint32_t number = 1; number <= names; ++number) {
    if (id_of(number) == id) return number;
  }
  if (names == max_plugins) return 0;
  ++names;
  std::copy(id.begin(), id.end(), used->ids[names].begin());
  return names;
}

std::string_view RunningCalls::id_of(std::uint32_t number) noexcept {
  if (number == 0 || number > max_plugins) return {};
  const auto& id = used->ids[number];
  return {id.data(), ::strnlen(id.data(), id.size())};
}

void RunningCalls::add_module(std::uint32_t plugin, std::uintptr_t begin,
                              std::uintptr_t end) noexcept {
  const std::lock_guard lock(names_mutex);
  for (std::size_t i = 0; i < modules.size(); ++i) {
    Module& module = modules[i];
    if (module.plugin.load(std::memory_order_relaxed) != 0) continue;
    module.begin.store(begin, std::memory_order_relaxed);
    module.end.store(end, std::memory_order_relaxed);
    module.plugin.store(plugin, std::memory_order_release);
    modules_end.store(std::max(modules_end.load(std::memory_order_relaxed), i + 1),
                      std::memory_order_release);
    return;
  }
}

void RunningCalls::remove_module(std::uintptr_t begin) noexcept {
  const std::lock_guard lock(names_mutex);
  for (Module& module : modules) {
    if (module.plugin.load(std::memory_order_relaxed) == 0 ||
        module.begin.load(std::memory_order_relaxed) != begin)
      continue;
    module.end.store(0, std::memory_order_relaxed);
    module.plugin.store(0, std::memory_order_release);
    return;
  }
}

RunningCalls::Location RunningCalls::locate(std::uintptr_t address) noexcept {
  const std::size_t end = modules_end.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < end; ++i) {
    const Module& module = modules[i];
    const std::uint32_t plugin = module.plugin.load(std::memory_order_acquire);
    const std::uintptr_t begin = module.begin.load(std::memory_order_relaxed);
    if (plugin != 0 && address >= begin && address < module.end.load(std::memory_order_relaxed))
      return {plugin, address - begin};
  }
  return {};
}

}  // namespace tenon::plugins
