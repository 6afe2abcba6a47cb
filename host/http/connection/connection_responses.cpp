#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "http/connection/body_intake.hpp"
#include "http/connection/connection.hpp"
#include "http/connection/streamed_response.hpp"
#include "http/event_stream/sse_stream.hpp"
#include "http/loop/server_context.hpp"
#include "http/response/head_writer.hpp"

namespace tenon::http {

namespace {

// Up to here copying into the buffer of the head is cheaper than another piece.
constexpr std::size_t max_copied = 8 * 1024;
// More takes the kernel so long to copy that nothing is gained by waiting for others.
constexpr std::uint64_t max_unsent = 16 * 1024;

std::uint64_t body_size(const Response& response) noexcept {
  if (const auto* text = std::get_if<std::string>(&response.body)) return text->size();
  if (const auto* shared = std::get_if<SharedBody>(&response.body))
    return *shared ? (*shared)->size() : 0;
  if (const auto* file = std::get_if<FileBody>(&response.body)) return file->size;
  return 0;
}

// Says whether a response with a body of `size` bytes has a Content-Length and sends its body.
struct BodyRules {
  BodyRules(int status, std::uint64_t size, Method method) noexcept
      : has_length(status != 204 && (status != 304 || size > 0)),
        has_body(size > 0 && status != 204 && status != 304 && method != Method::head) {}
  bool has_length;
  bool has_body;
};

}  // namespace

// Moves responses that are ready, in order, to the output, and the output to the socket.
void Connection::pump() {
  while (pipeline_.first != nullptr && is_open()) {
    ActiveExchange& exchange = *pipeline_.first;
    if (!exchange.is_cancelled && (!exchange.is_ready() || !write_response(exchange))) break;
    if (!exchange.is_body_read && reading_ == &exchange) drop_body();
    exchange.output_end = output_.total_appended();
    if (exchange.is_last) is_deaf_ = true;
    written_.push(pipeline_.pop());
  }
  if (pipeline_.first != nullptr && pipeline_.first == reading_ && reading_->owes_continue)
    owe_continue();
  if (channel_ && !channel_->take(output_)) must_cut_ = true;
  if (is_unsent_) return;
  const bool is_whole = pipeline_.first == nullptr && !channel_ && !must_cut_;
  is_unsent_ = is_whole && output_.pending() > 0 && output_.pending() <= max_unsent &&
               loop_.send_later(*this);
  if (!is_unsent_) flush();
}

// Returns false when more of the response follows.
bool Connection::write_response(ActiveExchange& exchange) {
  switch (exchange.claimed()) {
    case ActiveExchange::ResponseForm::streamed:
      return write_streamed(exchange);
    case ActiveExchange::ResponseForm::events:
      begin_events(exchange);
      return true;
    default:
      write_whole(exchange);
      return true;
  }
}

// Returns whether the connection must end with this response.
bool Connection::closes_after(ActiveExchange& exchange) noexcept {
  if (loop_.is_stopping() && exchange.next == nullptr) exchange.is_last = true;
  // During a streamed response the body may still be read.
  if (!exchange.is_body_read && exchange.claimed() != ActiveExchange::ResponseForm::streamed) {
    const bool is_too_much = !exchange.head.is_chunked && body_left_ > limits().drain;
    // Also where the client asked for the end itself ("Connection: close"): it is still sending.
    if (exchange.owes_continue || is_too_much || exchange.is_last)
      exchange.is_last = has_unread_ = true;
  }
  return exchange.is_last;
}

void Connection::write_head(ActiveExchange& exchange, std::uint64_t length, bool has_length,
                            bool is_chunked, std::string_view body) {
  const Response& response = exchange.response();
  exchange.status = response.status;
  exchange.output_begin = output_.total_appended();
  TextBuffer& out = output_.text();
  append_head(out, response,
              {.lead = loop_.head_lead(),
               .request_id = exchange.request().request_id,
               .content_length = length,
               .has_length = has_length,
               .is_chunked = is_chunked,
               .closes = closes_after(exchange),
               .is_http10 = exchange.has_valid_head && !exchange.head.is_http11,
               .is_secure = exchange.request().secure});
  out.append(body);
  output_.appended();
}

bool Connection::may_write_now(const ActiveExchange& exchange,
                               std::size_t body_size) const noexcept {
  return is_working_ && is_open() && pipeline_.first == &exchange && !channel_ &&
         body_size <= max_copied && !loop_.is_stopping();
}

void Connection::write_now(ActiveExchange& exchange, std::string_view body) noexcept try {
  const BodyRules rules(exchange.response().status, body.size(), exchange.request().method);
  write_head(exchange, body.size(), rules.has_length, false,
             rules.has_body ? body : std::string_view());
  exchange.is_written = true;
} catch (...) {
  // Out of memory, perhaps between head and body.
  must_cut_ = true;
}

void Connection::write_whole(ActiveExchange& exchange) {
  if (exchange.is_written) return;
  Response& response = exchange.response();
  if (!is_writable(response)) {
    loop_.context().application.failed(exchange.request(),
                                       "the response has an invalid status or header field");
    response =
        problem_response(base::Error(500, "http.internal", "The response was not valid HTTP."),
                         exchange.request().request_id);
  }
  const std::uint64_t size = body_size(response);
  const auto [has_length, has_body] = BodyRules(response.status, size, exchange.request().method);
  auto* own = std::get_if<std::string>(&response.body);
  auto* shared = std::get_if<SharedBody>(&response.body);
  auto* file = std::get_if<FileBody>(&response.body);
  const bool is_copied = has_body && size <= max_copied && file == nullptr;
  std::string_view copied;
  if (is_copied) copied = own != nullptr ? *own : **shared;
  write_head(exchange, size, has_length, false, copied);
  if (!has_body || is_copied) return;
  if (file != nullptr)
    output_.append(std::move(*file));
  else if (own != nullptr)
    output_.append(std::move(*own));
  else
    output_.append(std::move(*shared));
}

bool Connection::write_streamed(ActiveExchange& exchange) {
  StreamedResponse& streamed = *exchange.streamed();
  const bool has_length = streamed.content_length() != Request::no_length;
  const bool is_http11 = exchange.head.is_http11;
  if (!exchange.is_head_written) {
    if (!is_writable(exchange.response())) {
      loop_.context().application.failed(exchange.request(),
                                         "the response has an invalid status or header field");
      streamed.close();
      must_cut_ = true;
      return false;
    }
    if (!has_length && !is_http11) exchange.is_last = true;
    write_head(exchange, streamed.content_length(), has_length, !has_length && is_http11);
    exchange.is_head_written = true;
  }
  const bool is_bodiless =
      exchange.request().method == Method::head || exchange.status == 204 || exchange.status == 304;
  const auto state = streamed.take(output_.text(), !has_length && is_http11, is_bodiless);
  output_.appended();
  if (state == StreamedResponse::State::open) return false;
  streamed.close();
  // A partial response must not look complete.
  if (state == StreamedResponse::State::cut) {
    must_cut_ = true;
    must_reset_ = !has_length && !is_http11;
  }
  return true;
}

void Connection::begin_events(ActiveExchange& exchange) {
  Response& head = exchange.response();
  head = Response();
  head.content_type = "text/event-stream";
  head.with("Cache-Control", "no-store").with("X-Accel-Buffering", "no");
  exchange.is_last = true;
  write_head(exchange, 0, false, false);
  std::shared_ptr<SseStream> channel = std::move(exchange.events());
  if (exchange.request().method == Method::head || has_peer_ended_) return channel->lost();
  LoopCounters::add(loop_.counters().event_streams, 1);
  channel->open(*this);
  channel_ = std::move(channel);
  std::string().swap(input_);
  quiet_since_ = loop_.now();
}

void Connection::owe_continue() {
  const bool is_wanted = reading_->intake() == nullptr || reading_->intake()->has_sink();
  if (!is_wanted || reading_->is_claimed()) return;
  reading_->owes_continue = false;
  output_.text().append("HTTP/1.1 100 Continue\r\n\r\n");
  output_.appended();
}

// Returns false when other connections send first; take_send_slot() is called later then.
bool Connection::may_send() noexcept {
  if (send_slot.is_waiting) return false;
  if (output_.pending() <= max_unsent || loop_.may_send_more()) return true;
  loop_.wait_to_send(*this);
  return false;
}

void Connection::flush() noexcept {
  if (!output_.is_empty() && may_send()) {
    const std::uint64_t before = output_.total_written();
    const Output::Result result = output_.write_to(descriptor_);
    LoopCounters::add(loop_.counters().bytes_sent, output_.total_written() - before);
    if (result == Output::Result::failed) must_cut_ = true;
    if (result == Output::Result::interrupted) loop_.wait_to_send(*this);
    if (channel_) {
      channel_->sent(output_.pending());
      quiet_since_ = loop_.now();
    }
  }
  if (pipeline_.first != nullptr && pipeline_.first->is_head_written)
    pipeline_.first->streamed()->sent(output_.pending());
  while (written_.first != nullptr &&
         (written_.first->is_cancelled || written_.first->output_end <= output_.total_written())) {
    finish(written_.pop());
    quiet_since_ = loop_.now();
  }
}

void Connection::finish(OwnedExchange exchange) noexcept {
  AccessRecord record;
  record.request = exchange->has_valid_head ? &exchange->request() : nullptr;
  record.attachment = exchange->attachment();
  record.status = exchange->status;
  if (exchange->status != 0) {
    const std::uint64_t end =
        exchange->output_end != 0 ? exchange->output_end : output_.total_written();
    record.bytes_sent = std::min(end, output_.total_written()) -
                        std::min(exchange->output_begin, output_.total_written());
  }
  record.ended_ns = loop_.context().now();
  record.duration_ns = record.ended_ns - exchange->started;
  loop_.context().application.finished(record);
  exchange->attach(nullptr);
}

}  // namespace tenon::http
