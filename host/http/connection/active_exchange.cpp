#include "http/connection/active_exchange.hpp"

#include <exception>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "http/connection/body_intake.hpp"
#include "http/connection/connection.hpp"
#include "http/connection/inline_run.hpp"
#include "http/connection/streamed_response.hpp"
#include "http/event_stream/sse_stream.hpp"
#include "http/loop/server_context.hpp"
#include "http/response/compression.hpp"

namespace tenon::http {

namespace {
// A pooled exchange keeps the memory that ordinary requests need, not that of the largest.
constexpr std::size_t max_retained_text = 4096;
// A larger body may take its handler longer than the bodies that its time was measured with.
constexpr std::size_t max_quick_body = 4096;

// Frees a text that is too large to keep. Its bytes remain; they are overwritten before they are
// read.
void bound(std::string& text) noexcept {
  if (text.capacity() > max_retained_text) [[unlikely]]
    std::string().swap(text);
}
}  // namespace

void ExchangeRelease::operator()(ActiveExchange* exchange) const noexcept {
  exchange->drop_owner();
}

ActiveExchange::ActiveExchange(std::shared_ptr<ServerContext> context,
                               std::shared_ptr<Mailbox> mailbox)
    : context_(std::move(context)), mailbox_(std::move(mailbox)) {}

ActiveExchange::~ActiveExchange() {
  forget_body();
}

bool ActiveExchange::add_body(std::string_view bytes) {
  const std::uint64_t before =
      context_->body_memory.fetch_add(bytes.size(), std::memory_order_relaxed);
  memory.body.append(bytes);
  return before + bytes.size() <= context_->options.limits.body_memory;
}

void ActiveExchange::forget_body() noexcept {
  if (memory.body.empty()) return;
  context_->body_memory.fetch_sub(memory.body.size(), std::memory_order_relaxed);
  bound(memory.body);
  memory.body.clear();
}

bool ActiveExchange::claim(ResponseForm form) noexcept {
  ResponseForm none = ResponseForm::none;
  return claimed_.compare_exchange_strong(none, form, std::memory_order_acq_rel);
}

void ActiveExchange::set_ready() noexcept {
  is_ready_.store(true, std::memory_order_release);
  // The connection looks at it when its inline handler has returned.
  if (const LoopReclaim reclaim(InlineRun::of(*this)); reclaim) return;
  notify();
}

void ActiveExchange::notify() noexcept {
  if (Mailbox::current() == mailbox_.get()) {
    if (connection_ != nullptr) connection_->touch();
    return;
  }
  post();
}

void ActiveExchange::post() noexcept {
  if (is_posted_.exchange(true, std::memory_order_acq_rel)) return;
  add_owner();
  if (mailbox_->post(*this)) return;
  end_streams();
  drop_owner();
}

void ActiveExchange::deliver() noexcept {
  is_posted_.store(false, std::memory_order_release);
  if (connection_ != nullptr)
    connection_->touch();
  else
    end_streams();
  drop_owner();
}

// Closes the streams of an exchange whose connection is gone, perhaps while the response was begun.
void ActiveExchange::end_streams() noexcept {
  if (!is_ready()) return;
  if (streamed_) streamed_->close();
  if (events_) events_->lost();
}

// Returns the run of the inline handler on this thread if its handle is the only one: then no other
// thread can respond.
InlineRun* ActiveExchange::run_alone() const noexcept {
  InlineRun* const run = InlineRun::of(*this);
  return run != nullptr && handles_.load(std::memory_order_acquire) == 1 ? run : nullptr;
}

bool ActiveExchange::claim_alone(ResponseForm form) noexcept {
  if (claimed_.load(std::memory_order_relaxed) != ResponseForm::none) return false;
  claimed_.store(form, std::memory_order_relaxed);
  return true;
}

bool ActiveExchange::respond_with(Response&& response, std::string_view body) {
  if (InlineRun* const run = run_alone();
      run != nullptr && &response == &draft_ && response.is_checked) {
    const LoopReclaim reclaim(run);
    if (reclaim && connection_ != nullptr && connection_->may_write_now(*this, body.size())) {
      if (!claim_alone(ResponseForm::whole)) return false;
      given_ = &draft_;
      connection_->write_now(*this, body);
      is_ready_.store(true, std::memory_order_release);
      return true;
    }
  }
  response.set_body(body);
  return respond(std::move(response));
}

bool ActiveExchange::respond(Response&& response) {
  // On the I/O thread a long compression would hold up every other connection.
  const bool is_on_loop = Mailbox::current() == mailbox_.get() || InlineRun::of(*this) != nullptr;
  if (!claim(ResponseForm::whole)) return false;
  if (!is_on_loop) compress(request_, response, context_->options.limits);
  if (&response == &draft_)
    given_ = &draft_;
  else
    response_ = std::move(response);
  set_ready();
  return true;
}

bool ActiveExchange::respond_error(const base::Error& error) {
  if (!claim(ResponseForm::whole)) return false;
  response_ = problem_response(error, request_.request_id);
  set_ready();
  return true;
}

bool ActiveExchange::respond_problem(int problem_status, const char* code, const char* message) {
  return respond_error(base::Error(problem_status, code, message));
}

void ActiveExchange::failed(const char* what) noexcept {
  context_->application.failed(request_, what);
  respond_problem(500, "http.internal",
                  "Something went wrong here; the log has the reason under this request's id.");
}

bool ActiveExchange::begin(Response response_head, std::uint64_t content_length) {
  if (!claim(ResponseForm::streamed)) return false;
  response_ = std::move(response_head);
  streamed_ = std::make_unique<StreamedResponse>(*this, content_length, std::move(on_writable_));
  on_writable_ = nullptr;
  set_ready();
  return true;
}

WriteResult ActiveExchange::write(std::string_view bytes) {
  if (claimed() != ResponseForm::streamed || !is_ready()) return WriteResult::closed;
  return streamed_->write(bytes);
}

bool ActiveExchange::end() {
  return claimed() == ResponseForm::streamed && is_ready() && streamed_->end();
}

void ActiveExchange::abort() {
  if (claimed() == ResponseForm::streamed && is_ready()) streamed_->abort();
}

void ActiveExchange::on_writable(std::function<void()> callback) {
  if (claimed() == ResponseForm::none)
    on_writable_ = std::move(callback);
  else if (claimed() == ResponseForm::streamed && is_ready())
    streamed_->set_on_writable(std::move(callback));
}

std::shared_ptr<EventStream> ActiveExchange::begin_events() {
  if (!claim(ResponseForm::events)) return nullptr;
  events_ = std::make_shared<SseStream>(mailbox_, context_->options.limits.event_buffer);
  std::shared_ptr<EventStream> stream = events_;
  set_ready();
  return stream;
}

void ActiveExchange::read_body(std::unique_ptr<BodySink> sink) {
  if (intake_) intake_->set_sink(std::move(sink));
}

WorkerShare& ActiveExchange::share() const noexcept {
  return share_ != nullptr ? *share_ : *context_->own_share;
}

void ActiveExchange::release() noexcept {
  // The last handle: no other thread can take one.
  if (handles_.load(std::memory_order_acquire) != 1 &&
      handles_.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  abandoned();
  drop_owner();
}

void ActiveExchange::abandoned() noexcept {
  if (claimed() == ResponseForm::streamed) {
    if (is_ready()) streamed_->abort();
    return;
  }
  if (claimed() == ResponseForm::none)
    respond_problem(500, "http.no_answer", "The handler of this request sent no response.");
}

void ActiveExchange::drop_owner() noexcept {
  if (owners_.load(std::memory_order_acquire) != 1 &&
      owners_.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  if (Mailbox::current() == mailbox_.get() && pool_ != nullptr)
    pool_->give_back(*this);
  else
    delete this;
}

void ActiveExchange::cancel(int sink_status) noexcept {
  connection_ = nullptr;
  is_cancelled = true;
  is_closed_.store(true, std::memory_order_release);
  // A claimed response that is still being built is simply never looked at.
  claim(ResponseForm::cancelled);
  if (hold_) leave_hold();
  if (intake_) intake_->abort(sink_status);
  end_streams();
}

Hold::Entry ActiveExchange::wait_for(const std::shared_ptr<Hold>& hold) noexcept {
  is_resumed_.store(false, std::memory_order_relaxed);
  // The hold's, until it resumes this.
  add_owner();
  const Hold::Entry entry = hold->enter(*this);
  if (entry == Hold::Entry::waits) {
    hold_ = hold;
    was_held = true;
  } else {
    drop_owner();
  }
  return entry;
}

bool ActiveExchange::leave_hold() noexcept {
  if (!hold_->leave(*this)) return false;
  hold_.reset();
  drop_owner();
  return true;
}

// Posts a task also on the connection's own thread: the connection may be in the middle of
// something there, and would not look again.
void ActiveExchange::resume() noexcept {
  is_resumed_.store(true, std::memory_order_release);
  post();
  drop_owner();
}

void ActiveExchange::set_plan(Plan& plan) {
  attachment_ = std::move(plan.attachment);
  handler_ = plan.handler;
  time_ = plan.time;
  share_ = plan.share;
  body_mode = plan.body;
  body_limit = plan.body_limit;
  if (body_mode == BodyMode::streamed) intake_ = std::make_unique<BodyIntake>(*this);
}

bool ActiveExchange::dispatch() {
  add_owner();
  if (context_->workers.submit(*share_, *this)) return true;
  // All that were held come at once. That they were let in was the hold's to say.
  if (was_held && context_->workers.resume(*share_, *this)) return true;
  drop_owner();
  return false;
}

void ActiveExchange::run() noexcept {
  // One that waited beyond its deadline, or whose client left, is not worth running.
  std::int64_t time = base::monotonic_nanoseconds();
  run_unless_claimed(time);
  drop_owner();
}

bool ActiveExchange::is_quick() const noexcept {
  // Requests that change something wait for the disk. The more of them wait together, the fewer
  // waits there are.
  const bool is_read = request_.method == Method::get || request_.method == Method::head;
  return is_read && share_ != nullptr && body_mode != BodyMode::streamed &&
         request_.body.size() <= max_quick_body && time_ != nullptr && time_->is_quick();
}

void ActiveExchange::run_unless_claimed(std::int64_t& time) noexcept {
  if (is_claimed()) return;
  const std::int64_t begin = time;
  // The handler may be gone with its plugin when it has returned, and this exchange with its
  // response.
  HandlerTime* const learned = time_;
  run_handler();
  time = base::monotonic_nanoseconds();
  if (learned != nullptr) learned->add(time - begin);
}

void ActiveExchange::run_handler() noexcept {
  handles_.store(1, std::memory_order_relaxed);  // the first
  add_owner();
  const ExchangePtr own(this, false);
  handle(own);
}

void ActiveExchange::run_inline() noexcept {
  handles_.store(1, std::memory_order_relaxed);
  add_owner();
  ExchangePtr own(this, false);
  handle(own);
  own.detach();
}

// The connection's queue has the exchange until this returned, on this thread, so that where there
// is one owner more it is that of the handles.
void ActiveExchange::end_inline() noexcept {
  if (handles_.load(std::memory_order_acquire) != 1 || owners_.load(std::memory_order_acquire) != 2)
    return release();
  abandoned();
  owners_.store(1, std::memory_order_relaxed);
}

void ActiveExchange::handle(const ExchangePtr& exchange) noexcept {
  const Entered entered(attachment_.get());
  try {
    if (body_mode == BodyMode::json && !request_.body.empty()) {
      const Limits& limits = context_->options.limits;
      base::check_json(request_.body,
                       {.max_bytes = limits.json_body, .max_depth = limits.json_depth});
    }
    handler_->handle(exchange);
  } catch (const base::Error& error) {
    respond_error(error);
  } catch (const std::exception& error) {
    failed(error.what());
  } catch (...) {
    failed("an exception of unknown type");
  }
}

void ActiveExchange::recycle() noexcept {
  forget_body();
  attachment_.reset();
  streamed_.reset();
  intake_.reset();
  events_.reset();
  if (hold_) hold_.reset();
  if (on_writable_) on_writable_ = nullptr;
  handler_ = nullptr;
  time_ = nullptr;
  share_ = nullptr;
  connection_ = nullptr;
  if (given_ == &response_) response_.clear();
  if (has_draft_) draft_.clear();
  has_draft_ = false;
  given_ = &response_;
  request_ = Request();
  bound(memory.head);
  bound(memory.path);
  claimed_.store(ResponseForm::none, std::memory_order_relaxed);
  is_ready_.store(false, std::memory_order_relaxed);
  is_posted_.store(false, std::memory_order_relaxed);
  is_closed_.store(false, std::memory_order_relaxed);
  owners_.store(1, std::memory_order_relaxed);
  head = Head();
  body_mode = BodyMode::none;
  body_limit = 0;
  has_valid_head = owes_continue = is_head_written = is_written = is_last = is_cancelled =
      owes_end = was_held = false;
  is_body_read = true;
  started = deadline = 0;
  output_begin = output_end = 0;
  status = 0;
  next = nullptr;
}

ExchangePool::ExchangePool(std::shared_ptr<ServerContext> context, std::shared_ptr<Mailbox> mailbox)
    : context_(std::move(context)), mailbox_(std::move(mailbox)) {}

ExchangePool::~ExchangePool() {
  while (free_ != nullptr)
    delete std::exchange(free_, free_->next);
}

OwnedExchange ExchangePool::take() {
  if (free_ == nullptr) {
    auto* fresh = new ActiveExchange(context_, mailbox_);
    fresh->set_pool(this);
    return OwnedExchange(fresh);
  }
  ActiveExchange* exchange = std::exchange(free_, free_->next);
  --count_;
  exchange->next = nullptr;
  return OwnedExchange(exchange);
}

void ExchangePool::give_back(ActiveExchange& exchange) noexcept {
  if (count_ >= kept) {
    delete &exchange;
    return;
  }
  exchange.recycle();
  exchange.next = free_;
  free_ = &exchange;
  ++count_;
}

}  // namespace tenon::http
