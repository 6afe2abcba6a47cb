#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/blobs.h>
#include <tenon/detail/link.hpp>
#include <tenon/http.h>
#include <tenon/response.hpp>
#include <tenon/stream.hpp>

namespace tenon {

namespace detail {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// Returns header fields that borrow from `headers`.
inline std::vector<tenon_http_field> fields_of(const Headers& headers) {
  std::vector<tenon_http_field> fields;
  fields.reserve(headers.size());
  for (const auto& [name, value] : headers)
    fields.push_back({span(name), span(value)});
  return fields;
}

inline tenon_code send_problem(Link& link, tenon_handle request, const Error& error,
                               const Headers& headers) {
  std::vector<tenon_http_field_error> errors;
  errors.reserve(error.fields().size());
  for (const FieldError& field : error.fields()) {
    errors.push_back({span(field.field), span(field.code), span(field.message)});
  }
  const std::vector<tenon_http_field> fields = fields_of(headers);
  tenon_http_problem problem{};
  problem.size = sizeof problem;
  problem.status = static_cast<std::uint32_t>(error.status());
  problem.code = span(error.code());
  problem.message = span(error.message());
  problem.errors = errors.data();
  problem.error_count = static_cast<std::uint32_t>(errors.size());
  problem.extra = span(error.extra());
  problem.fields = fields.data();
  problem.field_count = static_cast<std::uint32_t>(fields.size());
  return TENON_CALL(link, tenon_http, respond_problem, request, &problem);
}

inline tenon_code send_problem(Link& link, tenon_handle request, const Error& error) {
  return send_problem(link, request, error, error.headers());
}

/// Sends a blob. Throws Error if the host reports a problem with the blob, which the caller sends
/// as a problem response: a client may ask for a deleted blob.
inline tenon_code send_blob(Link& link, tenon_handle request, const Response& response) {
  Link::require_blocking("a response with a blob");
  tenon_error error = empty_error();
  const tenon_code code =
      TENON_CALL(link, tenon_blobs, respond, request, span(response.body()), span(response.name()),
                 response.is_attachment() ? TENON_BLOBS_ATTACHMENT : 0u, &error);
  if (code >= 0 || code == TENON_E_HANDLE || code == TENON_E_CLOSED) return code;
  throw Error::from_host(code, error);
}

/// Sends a response. TENON_OK: complete. TENON_PENDING: pieces follow. Below 0: the host rejected
/// it.
inline tenon_code send(Link& link, tenon_handle request, Response& response) {
  if (response.kind() == Response::Kind::problem)
    return send_problem(link, request, *response.error(), response.headers());
  if (response.kind() == Response::Kind::blob) return send_blob(link, request, response);
  const std::vector<tenon_http_field> fields = fields_of(response.headers());
  tenon_http_response raw{};
  raw.size = sizeof raw;
  raw.status = static_cast<std::uint32_t>(response.status());
  raw.content_type = span(response.content_type());
  raw.fields = fields.data();
  raw.field_count = static_cast<std::uint32_t>(fields.size());
  if (response.kind() == Response::Kind::stream) return Stream::run(link, request, response, raw);
  raw.body = span(response.body());
  return TENON_CALL(link, tenon_http, respond, request, &raw);
}

/// Returns whether the host rejected a response and still waits for one. A client that
/// disconnected, or a request that the host ended, is not a failure of the plugin.
constexpr bool is_refusal(tenon_code code) noexcept {
  return code < 0 && code != TENON_E_HANDLE && code != TENON_E_CLOSED;
}

constexpr const char* refusal_of(tenon_code code) noexcept {
  return code == TENON_E_TOO_LARGE
             ? "the host rejected the response: it is too large or has too many header fields"
             : "the host rejected the response: its status, a header field or its body is invalid";
}

/// Returns the error that a client may see. Errors 500 of the host may contain names of tables and
/// statements; these details go to the log only.
inline Error public_error(const Error& error) {
  if (error.cause() < 0 && error.status() == 500)
    return {500, "plugin.failed", "An error occurred on the server. Try again later."};
  return error;
}

/// The single response to a request. The handler and its Deferred share it.
struct Pending {
  Link* link;
  tenon_handle request;
  std::atomic<bool> is_claimed{false};

  Pending(Link& of, tenon_handle handle) noexcept : link(&of), request(handle) {
    link->pending_responses().fetch_add(1, std::memory_order_relaxed);
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  /// Returns true for the first caller only.
  bool claim() noexcept {
    if (is_claimed.exchange(true, std::memory_order_acq_rel)) return false;
    link->pending_responses().fetch_sub(1, std::memory_order_relaxed);
    return true;
  }
};

}  // namespace detail

/// The right to respond to a request later, from any thread, once. Movable. If it is destroyed
/// without a response, the client gets 500 "plugin.unanswered" and the log has an entry. When the
/// plugin quiesces, respond to or destroy each Deferred that is still pending.
class Deferred {
 public:
  Deferred() = default;
  Deferred(Deferred&&) noexcept = default;
  Deferred& operator=(Deferred&& other) noexcept {
    if (this != &other) {
      give_up();
      pending_ = std::move(other.pending_);
    }
    return *this;
  }
  ~Deferred() { give_up(); }

  /// Returns false if the object is empty, moved from or already used.
  explicit operator bool() const noexcept { return pending_ != nullptr; }

  /// Sends the response, which may be streamed. Throws Misuse if a response was already sent or if
  /// `response` is Response::deferred(). A client that disconnected is not an error.
  void respond(Response response) {
    if (response.kind() == Response::Kind::deferred)
      throw Misuse(
          "Deferred::respond() was called with Response::deferred(); pass a final response");
    const auto pending = claim();
    detail::Link& link = *pending->link;
    tenon_code code = TENON_OK;
    try {
      code = detail::send(link, pending->request, response);
    } catch (const Error& error) {
      link.report(TENON_LOG_ERROR, "sending a response failed", error.message(), pending->request);
      detail::send_problem(link, pending->request, detail::public_error(error));
    }
    if (detail::is_refusal(code)) {
      link.report(TENON_LOG_ERROR, "sending a response failed", detail::refusal_of(code),
                  pending->request);
      detail::send_problem(
          link, pending->request,
          {500, "plugin.bad_response", "The server could not send a response. Try again later."});
    }
  }

  /// Sends an error response.
  void fail(const Error& error) { respond(Response::problem(detail::public_error(error))); }

  /// Runs `work()`, which returns a Response, and sends the result. If `work` throws an Error,
  /// sends that.
  template <class F>
  void respond_with(F&& work) {
    if (pending_ == nullptr) throw Misuse("the response was already sent");
    respond(result_of(std::forward<F>(work)));
  }

  /// Returns false if the client has disconnected, so that the work can be skipped.
  bool is_wanted() const {
    return pending_ != nullptr &&
           TENON_CALL(*pending_->link, tenon_http, check, pending_->request) == TENON_OK;
  }

  /// Gives up the response without sending one. Use it if the client has disconnected.
  void abandon() noexcept {
    if (pending_ != nullptr) pending_->claim();
    pending_.reset();
  }

  /// Internal to the SDK.
  explicit Deferred(std::shared_ptr<detail::Pending> pending) noexcept
      : pending_(std::move(pending)) {}

 private:
  std::shared_ptr<detail::Pending> claim() {
    const auto pending = std::exchange(pending_, nullptr);
    if (pending == nullptr)
      throw Misuse("the Deferred is empty: its response was already sent, or it was moved from");
    pending->link->require(State::active, State::quiescing, "a response");
    if (!pending->claim()) throw Misuse("the response was already sent");
    return pending;
  }

  template <class F>
  Response result_of(F&& work) const {
    try {
      try {
        return work();
      } catch (const Error& error) {
        if (error.status() >= 500) report(error.what());
        return Response::problem(detail::public_error(error));
      }
    } catch (const std::exception& error) {
      report(error.what());
    } catch (...) {
      report("an exception that is not a std::exception was thrown");
    }
    return Response::problem(
        {500, "plugin.failed", "An error occurred on the server. Try again later."});
  }

  void report(std::string_view what) const noexcept {
    pending_->link->report(TENON_LOG_ERROR, "a deferred response failed", what, pending_->request);
  }

  void give_up() noexcept {
    const auto pending = std::exchange(pending_, nullptr);
    if (pending == nullptr || !pending->claim()) return;
    const State state = pending->link->state();
    if (state != State::active && state != State::quiescing) return;
    try {
      pending->link->report(TENON_LOG_ERROR, "a request got no response", {}, pending->request);
      detail::send_problem(*pending->link, pending->request,
                           {500, "plugin.unanswered",
                            "The server did not respond to this request. Try again later."});
    } catch (...) {
      // Out of memory, or the host lacks the function: the timeout of the host ends the request.
    }
  }

  std::shared_ptr<detail::Pending> pending_;
};

}  // namespace tenon
