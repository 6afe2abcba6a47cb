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

/// Borrowed: as long as `headers`.
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

/// Sends a blob. What is wrong with it is answered as a problem: the client's choice of a blob may
/// be one that is gone.
inline tenon_code send_blob(Link& link, tenon_handle request, const Response& response) {
  Link::require_blocking("an answer with a blob");
  tenon_error error = empty_error();
  const tenon_code code =
      TENON_CALL(link, tenon_blobs, respond, request, span(response.body()), span(response.name()),
                 response.is_attachment() ? TENON_BLOBS_ATTACHMENT : 0u, &error);
  if (code >= 0 || code == TENON_E_HANDLE || code == TENON_E_CLOSED) return code;
  throw Error::from_host(code, error);
}

/// Sends an answer. TENON_OK: complete. TENON_PENDING: its pieces follow. An error: the host did
/// not take it.
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

/// Whether the host did not take an answer and still waits for one. That the client left, or that
/// the host gave up waiting, is nobody's failure.
constexpr bool is_refusal(tenon_code code) noexcept {
  return code < 0 && code != TENON_E_HANDLE && code != TENON_E_CLOSED;
}

constexpr const char* refusal_of(tenon_code code) noexcept {
  return code == TENON_E_TOO_LARGE
             ? "the host refused the answer: too large, or too many headers"
             : "the host refused the answer: a status, header or body it does not take";
}

/// What a failure looks like from outside. The host's own 500s may name tables and statements:
/// those words go to the log.
inline Error public_error(const Error& error) {
  if (error.cause() < 0 && error.status() == 500)
    return {500, "plugin.failed", "The server failed to do that."};
  return error;
}

/// The one answer of a request, whoever gives it first.
struct Pending {
  Link* link;
  tenon_handle request;
  std::atomic<bool> is_answered{false};

  Pending(Link& of, tenon_handle handle) noexcept : link(&of), request(handle) {
    link->open_answers().fetch_add(1, std::memory_order_relaxed);
  }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  /// True for the first who asks.
  bool claim() noexcept {
    if (is_answered.exchange(true, std::memory_order_acq_rel)) return false;
    link->open_answers().fetch_sub(1, std::memory_order_relaxed);
    return true;
  }
};

}  // namespace detail

/// An answer that is given later, from any thread, once. Movable. When it goes unanswered, the
/// client gets 500 "plugin.unanswered" and the log says so. What waits when the plugin quiesces
/// should be answered or dropped there.
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

  /// False for an empty, moved-from or answered one.
  explicit operator bool() const noexcept { return pending_ != nullptr; }

  /// Gives the answer, a streamed one too. Throws Misuse when it was given already, and when
  /// `response` is later(). A client that went away is no error.
  void respond(Response response) {
    if (response.kind() == Response::Kind::deferred) throw Misuse("an answer that is later() for ever");
    const auto pending = claim();
    detail::Link& link = *pending->link;
    tenon_code code = TENON_OK;
    try {
      code = detail::send(link, pending->request, response);
    } catch (const Error& error) {
      link.report(TENON_LOG_ERROR, "an answer could not be given", error.message(),
                  pending->request);
      detail::send_problem(link, pending->request, detail::public_error(error));
    }
    if (detail::is_refusal(code)) {
      link.report(TENON_LOG_ERROR, "an answer could not be given", detail::refusal_of(code),
                  pending->request);
      detail::send_problem(link, pending->request,
                           {500, "plugin.bad_answer", "The server failed to answer."});
    }
  }

  /// Answers with a problem.
  void fail(const Error& error) { respond(Response::problem(detail::public_error(error))); }

  /// Runs `work()`, which returns a Response, and answers with that or with the Error it throws.
  template <class F>
  void respond_with(F&& work) {
    if (pending_ == nullptr) throw Misuse("an answer given twice");
    respond(result_of(std::forward<F>(work)));
  }

  /// False when the client is gone: the work may be spared.
  bool is_wanted() const {
    return pending_ != nullptr &&
           TENON_CALL(*pending_->link, tenon_http, check, pending_->request) == TENON_OK;
  }

  /// Lets the answer be: for a client that is known to be gone.
  void abandon() noexcept {
    if (pending_ != nullptr) pending_->claim();
    pending_.reset();
  }

  /// For the wrapper.
  explicit Deferred(std::shared_ptr<detail::Pending> pending) noexcept
      : pending_(std::move(pending)) {}

 private:
  std::shared_ptr<detail::Pending> claim() {
    const auto pending = std::exchange(pending_, nullptr);
    if (pending == nullptr)
      throw Misuse("an answer given twice, or by a Deferred that was moved from");
    pending->link->require(State::active, State::quiescing, "an answer");
    if (!pending->claim()) throw Misuse("an answer given twice");
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
      report("something was thrown that is no exception");
    }
    return Response::problem({500, "plugin.failed", "The server failed to do that."});
  }

  void report(std::string_view what) const noexcept {
    pending_->link->report(TENON_LOG_ERROR, "a deferred answer failed", what, pending_->request);
  }

  void give_up() noexcept {
    const auto pending = std::exchange(pending_, nullptr);
    if (pending == nullptr || !pending->claim()) return;
    const State state = pending->link->state();
    if (state != State::active && state != State::quiescing) return;
    try {
      pending->link->report(TENON_LOG_ERROR, "a request was never answered", {}, pending->request);
      detail::send_problem(
          *pending->link, pending->request,
          {500, "plugin.unanswered", "The server gave up answering this request."});
    } catch (...) {
      // Out of memory, or a host without the slot: the host's own timer answers.
    }
  }

  std::shared_ptr<detail::Pending> pending_;
};

}  // namespace tenon
