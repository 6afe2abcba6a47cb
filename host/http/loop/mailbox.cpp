#include "http/loop/mailbox.hpp"

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

namespace tenon::http {

namespace {

thread_local const Mailbox* current_mailbox = nullptr;
constinit thread_local const Mailbox::Quiet* current_quiet = nullptr;

class CloseMarker final : public LoopTask {
 public:
  void deliver() noexcept override {}
};
CloseMarker close_marker;

}  // namespace

Mailbox::Mailbox() : descriptor_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

Mailbox::~Mailbox() {
  ::close(descriptor_);
}

bool Mailbox::post(LoopTask& task) noexcept {
  LoopTask* newest = newest_.load(std::memory_order_relaxed);
  do {
    if (newest == &close_marker) return false;
    task.next_task_ = newest;
  } while (!newest_.compare_exchange_weak(newest, &task, std::memory_order_seq_cst,
                                          std::memory_order_relaxed));
  // A thread that changes the state after this check finds the task: the task is in the list before
  // the check, and that thread looks at the list after its change, all in one order.
  if (current_quiet != nullptr && &current_quiet->mailbox_ == this &&
      current_quiet->state_.load(std::memory_order_seq_cst) == current_quiet->value_)
    return true;
  if (is_sleeping_.load(std::memory_order_seq_cst) && is_sleeping_.exchange(false)) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(descriptor_, &one, sizeof one);
  }
  return true;
}

bool Mailbox::prepare_to_sleep() noexcept {
  is_sleeping_.store(true, std::memory_order_seq_cst);
  if (newest_.load(std::memory_order_seq_cst) == nullptr) return true;
  is_sleeping_.store(false, std::memory_order_relaxed);
  return false;
}

void Mailbox::awake() noexcept {
  is_sleeping_.store(false, std::memory_order_relaxed);
}

void Mailbox::deliver_all() noexcept {
  if (is_empty()) return;
  deliver(newest_.exchange(nullptr, std::memory_order_acquire));
}

void Mailbox::close() noexcept {
  deliver(newest_.exchange(&close_marker, std::memory_order_acq_rel));
}

void Mailbox::deliver(LoopTask* newest) noexcept {
  if (newest == &close_marker) return;
  LoopTask* oldest = nullptr;
  while (newest != nullptr)
    oldest = std::exchange(newest, std::exchange(newest->next_task_, oldest));
  while (oldest != nullptr) {
    // A delivered task may be posted again at once, or be gone.
    LoopTask* task = std::exchange(oldest, oldest->next_task_);
    task->deliver();
  }
}

Mailbox::Quiet::Quiet(const Mailbox& mailbox, const std::atomic<std::uint64_t>& state,
                      std::uint64_t value) noexcept
    : mailbox_(mailbox), state_(state), value_(value) {
  current_quiet = this;
}

Mailbox::Quiet::~Quiet() {
  current_quiet = nullptr;
}

const Mailbox* Mailbox::current() noexcept {
  return current_mailbox;
}

void Mailbox::make_current() const noexcept {
  current_mailbox = this;
}

void Mailbox::make_none_current() noexcept {
  current_mailbox = nullptr;
}

}  // namespace tenon::http
