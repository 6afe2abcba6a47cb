#include <algorithm>
#include <cstring>
#include <exception>

#include "base/error.hpp"
#include "http/connection/body_intake.hpp"
#include "http/connection/connection.hpp"
#include "http/loop/server_context.hpp"
#include "http/parser/ascii.hpp"
#include "http/parser/forwarded.hpp"
#include "http/parser/target.hpp"

namespace tenon::http {

namespace {

constexpr Refusal wrong_host{400, "http.bad_host",
                             "Host and the request target name different hosts."};
constexpr Refusal body_refused{413, "http.body_refused", "This route takes no request body."};
constexpr Refusal declared_body_too_large{413, "http.body_too_large",
                                          "The request body is larger than this route takes."};
constexpr Refusal not_json{415, "http.not_json",
                           "This route takes a JSON body: Content-Type: application/json."};
constexpr Refusal overloaded{503, "http.overloaded", "The server is busy; try again in a moment."};

// "application/json" and every "+json" (RFC 6839), in UTF-8 and not encoded.
bool is_json(const Request& request) noexcept {
  std::string_view parameters = request.field("content-type");
  const std::string_view type = next_part(parameters, ';');
  const bool has_suffix =
      type.size() > 5 && equals_ignoring_case(type.substr(type.size() - 5), "+json");
  if (!has_suffix && !equals_ignoring_case(type, "application/json")) return false;
  while (!parameters.empty()) {
    const std::string_view parameter = next_part(parameters, ';');
    if (parameter.size() < 8 || !equals_ignoring_case(parameter.substr(0, 8), "charset=")) continue;
    const std::string_view charset = parameter.substr(8);
    if (!equals_ignoring_case(charset, "utf-8") && !equals_ignoring_case(charset, "\"utf-8\""))
      return false;
  }
  return std::none_of(request.fields.begin(), request.fields.end(), [](const Field& field) {
    return field.name == "content-encoding" && !field.value.empty() &&
           !equals_ignoring_case(field.value, "identity");
  });
}

}  // namespace

void Connection::begin_request(std::string_view bytes, const HeaderCache::CachedHead& known) {
  OwnedExchange owned = loop_.exchanges().take();
  ActiveExchange& exchange = *owned;
  exchange.attach(this);
  exchange.started = head_started_;
  const Refusal* refusal = fill_request(exchange, bytes, known);
  if (refusal != nullptr) return refuse(std::move(owned), *refusal);
  LoopCounters::add(loop_.counters().requests, 1);
  exchange.has_valid_head = true;
  exchange.is_last = !exchange.head.keep_alive;
  exchange.is_body_read = !exchange.head.has_body();
  if (exchange.is_last) is_deaf_ = exchange.is_body_read;
  pipeline_.push(std::move(owned));
  follow_plan(exchange);
}

// Everything of the request but its body. The request id is set even when this refuses.
const Refusal* Connection::fill_request(ActiveExchange& exchange, std::string_view bytes,
                                        const HeaderCache::CachedHead& known) {
  auto& memory = exchange.memory;
  Request& request = exchange.mutable_request();
  const Refusal* refusal = nullptr;
  if (known) {
    HeaderCache::get(known, bytes, memory.head, memory.fields, exchange.head);
    if (!known.has_plain_path()) loop_.heads().put_line(exchange.head);
  } else {
    memory.head.assign(bytes);
    refusal = parse_head({memory.head.data(), memory.head.size()}, limits(), memory.fields,
                         exchange.head);
    if (refusal == nullptr) loop_.heads().put(bytes, memory.head, memory.fields, exchange.head);
  }
  if (refusal == nullptr) {
    request.fields = memory.fields;
    request.name_lengths = exchange.head.name_lengths;
  }
  name_request(exchange);
  if (refusal != nullptr) return refusal;
  if (known.has_plain_path()) {
    request.method = known.method();
    request.target = request.path = exchange.head.target;
  } else {
    Target target;
    refusal = read_target(exchange.head.method, exchange.head.target, memory.path, target);
    if (refusal != nullptr) return refusal;
    if (!target.authority.empty() && !exchange.head.host.empty() &&
        !equals_ignoring_case(target.authority, exchange.head.host)) {
      return &wrong_host;
    }
    request.method = parse_method(exchange.head.method);
    request.target = target.origin;
    request.path = target.path;
    request.query = target.query;
  }
  request.method_name = exchange.head.method;
  request.content_length =
      exchange.head.is_chunked ? Request::no_length : exchange.head.content_length;
  return nullptr;
}

void Connection::name_request(ActiveExchange& exchange) {
  auto& memory = exchange.memory;
  Request& request = exchange.mutable_request();
  std::string_view id;
  std::size_t length = peer_length_;
  std::memcpy(memory.peer.data(), peer_.data(), peer_.size());
  if (is_trusted_peer_) {
    const Origin origin =
        forwarded_origin(*loop_.context().proxies, {peer_.data(), peer_length_}, request.fields);
    length = origin.address.copy(memory.peer.data(), memory.peer.size());
    request.secure = origin.is_secure;
    if (exchange.head.is_forwarded && !origin.has_client)
      request.peer_kind = PeerKind::trusted_proxy;
    id = request.field("x-request-id");
  } else if (exchange.head.is_forwarded) {
    request.peer_kind = PeerKind::untrusted_proxy;
  }
  request.peer = {memory.peer.data(), length};
  const std::size_t id_length = is_sane_request_id(id)
                                    ? id.copy(memory.request_id.data(), memory.request_id.size())
                                    : loop_.make_request_id(memory.request_id);
  request.request_id = {memory.request_id.data(), id_length};
}

void Connection::follow_plan(ActiveExchange& exchange) {
  Plan plan;
  try {
    if (exchange.request().path == "*")
      plan.response = std::make_unique<Response>(empty_response(204));
    else
      plan = loop_.context().application.plan(exchange.request());
    if (plan.hold && must_wait(exchange, plan)) return;
    exchange.set_plan(plan);
  } catch (const base::Error& error) {
    exchange.respond_error(error);
  } catch (const std::exception& error) {
    exchange.failed(error.what());
  } catch (...) {
    exchange.failed("an exception of unknown type");
  }
  if (plan.response)
    exchange.respond(std::move(*plan.response));
  else if (const Refusal* refusal = refuses_body(exchange); refusal != nullptr)
    exchange.respond_refusal(*refusal);
  take_up(exchange);
}

// Reads its body and has it run, unless it already has a response.
void Connection::take_up(ActiveExchange& exchange) {
  exchange.deadline = 0;
  exchange.owes_continue = exchange.head.expects_continue && exchange.head.has_body();
  if (exchange.head.has_body()) begin_body(exchange);
  if (exchange.is_claimed()) return;
  if (exchange.body_mode == BodyMode::streamed) exchange.owes_end = exchange.is_body_read;
  if (exchange.is_body_read || exchange.body_mode == BodyMode::streamed) start(exchange);
}

const Refusal* Connection::refuses_body(const ActiveExchange& exchange) const noexcept {
  if (exchange.is_claimed() || !exchange.head.has_body()) return nullptr;
  if (exchange.body_mode == BodyMode::none) return &body_refused;
  if (exchange.head.content_length > exchange.body_limit) return &declared_body_too_large;
  if (exchange.body_mode == BodyMode::json && !is_json(exchange.request())) return &not_json;
  return nullptr;
}

// Hands the request to its handler, here or on a worker.
void Connection::start(ActiveExchange& exchange) {
  exchange.deadline = loop_.now() + std::int64_t{limits().handler.count()} * 1'000'000;
  if (Attachment* attachment = exchange.attachment(); attachment && attachment->wants_start)
    attachment->started();
  if (exchange.is_inline()) return loop_.run_inline_next(exchange);
  if (loop_.context().options.runs_quick_handlers && exchange.is_quick() &&
      loop_.run_soon(exchange))
    return;
  if (!exchange.dispatch()) exchange.respond_refusal(overloaded);
}

void Connection::begin_body(ActiveExchange& exchange) {
  phase_ = Phase::body;
  body_left_ = exchange.head.content_length;
  body_taken_ = 0;
  body_window_ = 0;
  if (exchange.head.is_chunked) decoder_ = std::make_unique<ChunkedDecoder>();
  reading_ = &exchange;
  if (exchange.is_claimed()) drop_body();
}

// Reads the rest of the body of a request that has its response, up to a bound, so that the next
// request can be found.
void Connection::drop_body() noexcept {
  drop_left_ = limits().drain;
  if (reading_ != nullptr && reading_->intake() != nullptr) reading_->intake()->abort(0);
  reading_ = nullptr;
}

void Connection::deliver_body(ActiveExchange& exchange, std::string_view data) {
  if (exchange.intake() == nullptr) {
    if (!exchange.add_body(data)) fail_body(overloaded, 503);
    return;
  }
  exchange.intake()->add(data);
  exchange.deadline = loop_.now() + std::int64_t{limits().handler.count()} * 1'000'000;
}

void Connection::end_body() {
  phase_ = Phase::head;
  decoder_.reset();
  ActiveExchange* exchange = std::exchange(reading_, nullptr);
  if (exchange == nullptr) {
    // It may still wait to be written; nothing can have come after it.
    if (pipeline_.last != nullptr) pipeline_.last->is_body_read = true;
    return;
  }
  exchange->is_body_read = true;
  if (exchange->is_last) is_deaf_ = true;
  if (exchange->intake() != nullptr) {
    exchange->owes_end = true;
    return;
  }
  exchange->mutable_request().body = exchange->memory.body;
  if (!exchange->is_claimed()) start(*exchange);
}

// Sinks get what has come while they were free.
void Connection::feed_intakes() {
  for (ActiveExchange* exchange = pipeline_.first; exchange != nullptr; exchange = exchange->next) {
    BodyIntake* intake = exchange->intake();
    if (intake == nullptr || !intake->is_free() || !(intake->has_bytes() || exchange->owes_end))
      continue;
    intake->send(exchange->owes_end);
    exchange->owes_end = false;
  }
}

void Connection::fail_body(const Refusal& refusal, int sink_status) {
  is_deaf_ = has_unread_ = true;
  ActiveExchange* exchange = std::exchange(reading_, nullptr);
  if (exchange == nullptr) return;
  exchange->is_last = true;
  // First the response: without its sink no other code would respond to the exchange.
  if (!exchange->respond_refusal(refusal)) exchange->abort();
  if (exchange->intake() != nullptr) exchange->intake()->abort(sink_status);
}

void Connection::refuse(const Refusal& refusal) {
  OwnedExchange exchange = loop_.exchanges().take();
  exchange->attach(this);
  exchange->started = head_started_;
  name_request(*exchange);
  refuse(std::move(exchange), refusal);
}

// After a head that was not understood nothing that follows can be trusted.
void Connection::refuse(OwnedExchange exchange, const Refusal& refusal) {
  LoopCounters::add(loop_.counters().refused, 1);
  is_deaf_ = has_unread_ = true;
  head_started_ = 0;
  exchange->is_last = true;
  exchange->respond_refusal(refusal);
  pipeline_.push(std::move(exchange));
}

}  // namespace tenon::http
