#include "http/loop/loop.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/thread_slot.hpp"
#include "http/connection/connection.hpp"
#include "http/connection/inline_run.hpp"
#include "http/loop/server_context.hpp"
#include "http/loop/system_calls.hpp"
#include "http/response/head_writer.hpp"

namespace tenon::http {

namespace {
constexpr std::int64_t nanoseconds_a_millisecond = 1'000'000;

std::uint64_t random_number() {
  std::uint64_t number = 0;
  std::memcpy(&number, base::random_token(sizeof number).data(), sizeof number);
  return number;
}
}  // namespace

Loop::Loop(std::shared_ptr<ServerContext> context, unsigned index)
    : context_(std::move(context)),
      limits_(context_->options.limits),
      mailbox_(std::make_shared<Mailbox>()),
      owner_(std::make_shared<LoopOwner>()),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      now_(context_->now()),
      timers_(now_),
      exchanges_(context_, mailbox_),
      heads_(random_number()),
      scratch_(scratch_size, '\0'),
      stop_task_(*this) {
  // Unique over restarts by its random part, over threads by the number, and cheap by counting on.
  const std::string prefix = base::random_token(9) + "." + std::to_string(index) + ".";
  id_prefix_size_ = prefix.copy(id_.data(), id_.size() / 2);
  id_[id_prefix_size_] = '1';
  id_size_ = id_prefix_size_ + 1;
  if (epoll_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  const auto& beats = context_->options.beats;
  if (index < beats.size()) {
    heartbeat_task_.emplace(beats[index]);
    beats[index].store(1, std::memory_order_relaxed);
  }
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  event.data.ptr = nullptr;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, mailbox_->descriptor(), &event) != 0) {
    const int reason = errno;
    ::close(epoll_);
    throw std::system_error(reason, std::generic_category(), "epoll_ctl");
  }
}

Loop::~Loop() {
  ::close(epoll_);
}

bool Loop::watch(int descriptor, std::uint32_t events, Watched& watched) noexcept {
  epoll_event event{};
  event.events = events;
  event.data.ptr = &watched;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0) return true;
  return errno == EEXIST && epoll_ctl(epoll_, EPOLL_CTL_MOD, descriptor, &event) == 0;
}

void Loop::forget(int descriptor) noexcept {
  epoll_ctl(epoll_, EPOLL_CTL_DEL, descriptor, nullptr);
}

void Loop::adopt(int descriptor, std::string_view peer) noexcept {
  LoopCounters::add(counters_.accepted, 1);
  std::unique_ptr<Connection> connection;
  try {
    connection = std::make_unique<Connection>(*this, descriptor, peer);
  } catch (const std::bad_alloc&) {
    ::close(descriptor);
  }
  if (!connection || is_stopping_ ||
      !watch(descriptor, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *connection)) {
    load_.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  LoopCounters::add(counters_.open, 1);
  connection->next_open = first_;
  if (first_ != nullptr) first_->previous_open = connection.get();
  first_ = connection.release();
}

void Loop::mark(Connection& connection) {
  marked_.push_back(&connection);
}

void Loop::abandon(Connection& connection) noexcept {
  if (connection.previous_open != nullptr)
    connection.previous_open->next_open = connection.next_open;
  else
    first_ = connection.next_open;
  if (connection.next_open != nullptr)
    connection.next_open->previous_open = connection.previous_open;
  counters_.open.store(counters_.open.load(std::memory_order_relaxed) - 1,
                       std::memory_order_relaxed);
  load_.fetch_sub(1, std::memory_order_relaxed);
  connection.next_open = abandoned_;
  abandoned_ = &connection;
}

void Loop::update_clock() noexcept {
  now_ = context_->now();
  timespec wall{};
  clock_gettime(CLOCK_REALTIME_COARSE, &wall);
  if (wall.tv_sec == lead_second_) return;
  lead_second_ = wall.tv_sec;
  head_lead_ = begin_head(wall.tv_sec);
}

std::size_t Loop::make_request_id(RequestId& out) noexcept {
  // The one that was made last time: what was just written cannot be copied quickly.
  out = id_;
  const std::size_t size = id_size_;
  std::size_t at = id_prefix_size_;
  while (at < id_size_ && id_[at] == 'v')
    id_[at++] = '0';
  if (at == id_size_)
    id_[id_size_++] = '1';
  else
    id_[at] = id_[at] == '9' ? 'a' : static_cast<char>(id_[at] + 1);
  return size;
}

int Loop::timeout() noexcept {
  if (has_marked() || !quick_.empty() || first_sender_ != nullptr) return 0;
  int wait = timers_.next_timeout(now_);
  if (is_stopping_) {
    const auto rest = std::max<std::int64_t>(0, cut_at_.load(std::memory_order_relaxed) - now_) /
                          nanoseconds_a_millisecond +
                      1;
    if (wait < 0 || rest < wait) wait = static_cast<int>(std::min<std::int64_t>(rest, 1000));
  }
  return wait;
}

bool Loop::run(LoopSupervisor& supervisor) {
  const LoopDriver driver{supervisor, owner_, owner_->term()};
  // Early, so that it is one of the first: what it counts is then its own.
  base::ThreadSlot::mine();
  be_current();
  update_clock();
  if (!resume(driver)) return false;
  while (!is_stopping_ || first_ != nullptr) {
    if (event_at_ == event_count_) wait_for_events();
    allow_sending();
    if (!take_events(driver)) return false;
    mailbox_->deliver_all();
    if (has_marked() && !proceed_marked(driver)) return false;
    timers_.run(now_);
    if (has_marked() && !proceed_marked(driver)) return false;
    if (first_sender_ != nullptr && !send_waiting(driver)) return false;
    if (!quick_.empty() && !run_quick(driver)) return false;
    if (inline_task_ != nullptr && !run_inline_task(driver)) return false;
    if (abandoned_ != nullptr && event_at_ == event_count_) delete_abandoned();
    if (is_stopping_ && now_ >= cut_at_.load(std::memory_order_relaxed)) cut_all();
  }
  cut_all();
  quick_.clear();
  mailbox_->close();
  set_current(nullptr);
  if (inline_task_ != nullptr) std::exchange(inline_task_, nullptr)->decline();
  delete_abandoned();
  return true;
}

void Loop::wait_for_events() noexcept {
  int wait = timeout();
  int count = wait != 0 && std::exchange(has_run_inline_task_, false) ? poll_for_next() : 0;
  if (count <= 0) {
    if (!mailbox_->prepare_to_sleep()) wait = 0;
    count = system_calls::wait(epoll_, events_.data(), static_cast<int>(events_.size()), wait);
  }
  mailbox_->awake();
  update_clock();
  event_at_ = 0;
  event_count_ = static_cast<std::size_t>(std::max(count, 0));
}

// Of many connections each has left the caches until it is asked again: what is known of it is
// fetched while others are served.
void Loop::fetch_ahead(std::size_t at) noexcept {
  if (at >= event_count_) return;
  const char* const begin = static_cast<const char*>(events_[at].data.ptr);
  for (std::size_t byte = 0; byte < sizeof(Connection); byte += 64)
    __builtin_prefetch(begin + byte, 1);
}

int Loop::poll_for_next() noexcept {
  static const bool has_cores = std::thread::hardware_concurrency() > 1;
  if (!has_cores) return 0;
  if (polls_to_skip_ > 0) {
    --polls_to_skip_;
    return 0;
  }
  const std::int64_t end = base::monotonic_nanoseconds() + poll_time;
  int count = 0;
  do {
    count = system_calls::wait(epoll_, events_.data(), static_cast<int>(events_.size()), 0);
  } while (count == 0 && mailbox_->is_empty() && base::monotonic_nanoseconds() < end);
  poll_rest_ = count > 0 ? 0 : std::min(max_poll_rest, poll_rest_ * 2 + 1);
  polls_to_skip_ = poll_rest_;
  return count;
}

// False when an inline handler did not return in time and another thread drives the loop: nothing
// of it may be touched then.
bool Loop::take_events(const LoopDriver& driver) noexcept {
  fetch_ahead(event_at_ + 1);
  is_taking_ = true;
  while (event_at_ < event_count_ && quick_.size() < max_quick_requests) {
    fetch_ahead(event_at_ + 2);
    const epoll_event& event = events_[event_at_++];
    // The mailbox's eventfd is edge-triggered: it never needs to be read.
    if (event.data.ptr != nullptr) static_cast<Watched*>(event.data.ptr)->on_ready(event.events);
    if (inline_ != nullptr && !run_inline(driver)) return false;
    if (unsent_count_ == unsent_.size()) send_unsent();
  }
  is_taking_ = false;
  send_unsent();
  return true;
}

bool Loop::send_later(Connection& connection) noexcept {
  if (!is_taking_) return false;
  unsent_[unsent_count_++] = &connection;
  return true;
}

void Loop::allow_sending() noexcept {
  send_limit_ = counters_.bytes_sent.load(std::memory_order_relaxed) + max_sent_in_round;
}

void Loop::wait_to_send(Connection& connection) noexcept {
  Connection::SendSlot& slot = connection.send_slot;
  if (slot.is_waiting) return;
  slot = {.is_waiting = true, .next = nullptr, .previous = last_sender_};
  (last_sender_ != nullptr ? last_sender_->send_slot.next : first_sender_) = &connection;
  last_sender_ = &connection;
}

void Loop::forget_sender(Connection& connection) noexcept {
  Connection::SendSlot& slot = connection.send_slot;
  if (!slot.is_waiting) return;
  (slot.previous != nullptr ? slot.previous->send_slot.next : first_sender_) = slot.next;
  (slot.next != nullptr ? slot.next->send_slot.previous : last_sender_) = slot.previous;
  slot = {};
}

// False as take_events().
bool Loop::send_waiting(const LoopDriver& driver) noexcept {
  allow_sending();
  while (first_sender_ != nullptr && may_send_more()) {
    Connection& connection = *first_sender_;
    forget_sender(connection);
    connection.take_send_slot();
    if (inline_ != nullptr && !run_inline(driver)) return false;
  }
  return true;
}

// One after another: the kernel's code for sending is then in the processor's caches, as ours is
// while requests are read.
void Loop::send_unsent() noexcept {
  const bool was_taking = std::exchange(is_taking_, false);
  for (std::size_t i = 0; i < unsent_count_; ++i)
    unsent_[i]->send_now();
  unsent_count_ = 0;
  is_taking_ = was_taking;
}

bool Loop::run_soon(ActiveExchange& exchange) {
  if (quick_time_ > max_quick_time) return false;
  quick_time_ += exchange.typical_time();
  exchange.add_owner();
  quick_.emplace_back(&exchange);
  return true;
}

// Continues with the work that the previous thread left when it lost the loop; none for the first
// thread.
bool Loop::resume(const LoopDriver& driver) noexcept {
  is_taking_ = false;
  running_.reset();  // the thread before has it until its handler returns
  if (inline_ != nullptr) {
    ActiveExchange& exchange = *std::exchange(inline_, nullptr);
    context_->application.stalled(exchange.request(), exchange.attachment());
    exchange.connection()->proceed();
    if (!run_inline(driver)) return false;
  }
  send_unsent();
  return proceed_marked(driver);
}

// Until the connection has no further request for an inline handler. False as take_events().
bool Loop::run_inline(const LoopDriver& driver) noexcept {
  while (inline_ != nullptr) {
    ActiveExchange& exchange = *inline_;
    {
      InlineRun run(*this, driver, exchange);
      exchange.run_inline();
      if (!run.end()) {
        exchange.release();
        return false;
      }
    }
    inline_ = nullptr;
    Connection& connection = *exchange.connection();
    exchange.end_inline();
    connection.continue_pass();
  }
  return true;
}

// False as take_events().
bool Loop::run_quick(const LoopDriver& driver) {
  std::int64_t time = base::monotonic_nanoseconds();
  while (quick_at_ < quick_.size()) {
    running_ = std::move(quick_[quick_at_++]);
    ActiveExchange& exchange = *running_;
    // Responses come through the mailbox as from any other thread: this one may have lost the loop
    // by then.
    be_none_current();
    driver.yield(LoopOwner::YieldTimeout::of_quick_handler);
    exchange.run_unless_claimed(time);
    if (!driver.take_back()) return false;
    be_current();
    running_.reset();
  }
  quick_.clear();
  quick_at_ = 0;
  quick_time_ = 0;
  mailbox_->deliver_all();
  return proceed_marked(driver);
}

void Loop::be_current() noexcept {
  mailbox_->make_current();
  set_current(this);
}

void Loop::be_none_current() noexcept {
  Mailbox::make_none_current();
  set_current(nullptr);
}

bool Loop::take(base::InlineTask& task) noexcept {
  if (inline_task_ != nullptr) return false;
  inline_task_ = &task;
  return true;
}

// Only for a client that is alone here: what others want meanwhile would have to change threads,
// and the writes of many are better done together.
bool Loop::may_run_inline_task() noexcept {
  const std::uint64_t requests = counters_.requests.load(std::memory_order_relaxed);
  const bool is_alone = requests - std::exchange(inline_task_requests_, requests) <= 1;
  if (!is_alone || event_at_ != event_count_ || !marked_.empty()) return false;
  if (inline_tasks_to_decline_ == 0) return true;
  --inline_tasks_to_decline_;
  return false;
}

// False when something happened here meanwhile and another thread drives the loop: nothing of it
// may be touched then.
bool Loop::run_inline_task(const LoopDriver& driver) {
  base::InlineTask& task = *std::exchange(inline_task_, nullptr);
  // From prepare_to_sleep() on, a post by another thread makes an event, which the standby thread
  // sees.
  if (!may_run_inline_task() || !driver.supervisor.has_standby(*this, epoll_) ||
      !mailbox_->prepare_to_sleep()) {
    task.decline();
    return true;
  }
  const std::shared_ptr<Mailbox> mailbox = mailbox_;
  be_none_current();
  driver.owner->yield(driver.term, LoopOwner::YieldTimeout::of_quick_handler);
  driver.supervisor.standby(*this, epoll_);
  driver.supervisor.on_yield(LoopOwner::YieldTimeout::of_quick_handler);
  {
    const auto quiet = driver.owner->quiet(*mailbox, driver.term);
    task.run();
  }
  if (!driver.take_back()) return false;
  driver.supervisor.stop_standby(*this, epoll_);
  mailbox_->awake();
  be_current();
  has_run_inline_task_ = true;
  inline_task_rest_ = std::max(min_rest, inline_task_rest_ - 1);
  update_clock();
  mailbox_->deliver_all();
  return proceed_marked(driver);
}

void Loop::disown() noexcept {
  if (inline_ != nullptr) return inline_->mark_stalled();
  if (running_) return running_->mark_slow();
  inline_tasks_to_decline_ = inline_task_rest_;
  inline_task_rest_ = std::min(max_rest, inline_task_rest_ * 2);
}

// Some of them, when they begin many requests. False as take_events().
bool Loop::proceed_marked(const LoopDriver& driver) noexcept {
  if (proceeding_at_ == proceeding_.size()) {
    if (marked_.empty()) return true;
    proceeding_.clear();
    proceeding_at_ = 0;
    proceeding_.swap(marked_);
  }
  const std::uint64_t end = counters_.requests.load(std::memory_order_relaxed) + max_begun_in_round;
  while (proceeding_at_ < proceeding_.size() &&
         counters_.requests.load(std::memory_order_relaxed) < end) {
    proceeding_[proceeding_at_++]->proceed();
    if (inline_ != nullptr && !run_inline(driver)) return false;
  }
  return true;
}

void Loop::stop(std::int64_t cut_at) noexcept {
  cut_at_.store(cut_at, std::memory_order_relaxed);
  mailbox_->post(stop_task_);
}

void Loop::beat() noexcept {
  if (heartbeat_task_ && heartbeat_task_->begin()) mailbox_->post(*heartbeat_task_);
}

void Loop::begin_stop() noexcept {
  is_stopping_ = true;
  for (Connection* connection = first_; connection != nullptr;) {
    Connection* next = connection->next_open;
    connection->begin_stop();
    connection = next;
  }
}

void Loop::delete_abandoned() noexcept {
  Connection* rest = std::exchange(abandoned_, nullptr);
  while (rest != nullptr) {
    Connection& connection = *std::exchange(rest, rest->next_open);
    // proceed() comes yet.
    if (has_marked() && connection.is_marked()) {
      connection.next_open = abandoned_;
      abandoned_ = &connection;
    } else {
      delete &connection;
    }
  }
}

void Loop::cut_all() noexcept {
  while (first_ != nullptr)
    first_->cut();
  marked_.clear();
  proceeding_at_ = proceeding_.size();
  event_at_ = event_count_;
  delete_abandoned();
}

}  // namespace tenon::http
