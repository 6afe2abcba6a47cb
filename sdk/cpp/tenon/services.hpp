#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tenon/detail/link.hpp>
#include <tenon/json.hpp>
#include <tenon/services.h>

namespace tenon {

/// One call of a service of this plugin, lent to its handler.
class ServiceRequest {
 public:
  explicit ServiceRequest(const tenon_services_request& raw) noexcept : raw_(&raw) {}
  ServiceRequest(const ServiceRequest&) = delete;
  ServiceRequest& operator=(const ServiceRequest&) = delete;

  /// The plugin that calls. It speaks for whatever user it names.
  std::string_view caller() const noexcept { return detail::view(raw_->caller); }
  std::string_view caller_version() const noexcept { return detail::view(raw_->caller_version); }
  std::string_view service() const noexcept { return detail::view(raw_->service); }
  std::string_view method() const noexcept { return detail::view(raw_->method); }
  std::string_view bytes() const noexcept { return detail::view(raw_->request); }
  /// The least that the caller needs.
  std::uint32_t revision() const noexcept { return raw_->revision; }
  /// Until whoever called stops waiting, from when the handler was called.
  std::chrono::milliseconds remaining() const noexcept {
    return std::chrono::milliseconds(raw_->remaining_ms);
  }

  /// To be thrown for a method that the service does not have.
  Error unknown_method() const {
    return {404, "services.unknown_method",
            "The service has no method \"" + std::string(method()) + "\"."};
  }

#ifndef TENON_WITHOUT_JSON
  /// Throws Error 400 "request.json" where it is none.
  Json json() const {
    return parse_json(bytes());
  }
#endif

 private:
  const tenon_services_request* raw_;
};

namespace detail {

/// The code that stands for a failure of the plugin's own.
inline tenon_code code_of(const Error& error) noexcept {
  if (error.cause() < 0) return error.cause();
  switch (error.status()) {
    case 400:
    case 422:
      return TENON_E_INVALID;
    case 403:
      return TENON_E_DENIED;
    case 404:
      return TENON_E_NOT_FOUND;
    case 409:
    case 412:
      return TENON_E_CONSTRAINT;
    case 413:
      return TENON_E_TOO_LARGE;
    case 429:
      return TENON_E_BUSY;
    case 503:
      return TENON_E_UNAVAILABLE;
    default:
      return TENON_E_INTERNAL;
  }
}

template <class F>
struct ServiceHandler {
  F serve;
  Link* link;

  static tenon_code fn(void* ctx, const tenon_services_request* raw, tenon_error* error) noexcept {
    auto& self = *static_cast<ServiceHandler*>(ctx);
    try {
      const ServiceRequest request(*raw);
      return self.answer(raw->handle, request, error);
    } catch (const Error& failure) {
      return describe(error, code_of(failure), failure.status(), failure.code(), failure.message());
    } catch (const std::exception& failure) {
      self.link->report(TENON_LOG_ERROR, "the handler of a service threw", failure.what());
    } catch (...) {
      self.link->report(TENON_LOG_ERROR, "the handler of a service threw", {});
    }
    // What it threw is for the log alone.
    return TENON_E_INTERNAL;
  }
  static void drop(void* ctx) noexcept { delete static_cast<ServiceHandler*>(ctx); }

 private:
  using Result = std::invoke_result_t<F&, const ServiceRequest&>;

  tenon_code answer(tenon_handle handle, const ServiceRequest& request, tenon_error* error) {
    if constexpr (std::is_void_v<Result>) {
      serve(request);
      return send(handle, {}, error);
    } else if constexpr (std::is_same_v<std::remove_cvref_t<Result>, std::string> ||
                         std::is_same_v<std::remove_cvref_t<Result>, std::string_view>) {
      return send(handle, serve(request), error);
    } else {
#ifndef TENON_WITHOUT_JSON
      return send(handle, to_text(Json(serve(request))), error);
#else
      static_assert(std::is_void_v<Result>, "without JSON a handler returns bytes or nothing");
#endif
    }
  }

  tenon_code send(tenon_handle handle, std::string_view bytes, tenon_error* error) {
    const tenon_code code = TENON_CALL(*link, tenon_services, respond, handle, span(bytes));
    if (code == TENON_E_TOO_LARGE) {
      return describe(error, code, 500, "services.too_large",
                      "The answer of a service has at most 16 MiB.");
    }
    // Nobody waits for it any more.
    return code == TENON_E_HANDLE ? tenon_code{TENON_OK} : code;
  }
};

}  // namespace detail

/// What plugins offer each other, by name: requests and answers are bytes, by convention JSON. The
/// provider is looked up at every call, so it may be upgraded between two. Thread-safe.
class Services {
 public:
  explicit Services(detail::Link& link) noexcept : link_(&link) {}

  /// Offers "<plugin>.<name>" to plugins that name this one in plugin.json. `handler(const
  /// tenon::ServiceRequest&)` runs on the caller's thread, on several at once, may block, and
  /// returns the answer: JSON (whatever nlohmann's to_json knows), bytes as a string, or nothing.
  /// An Error that it throws reaches the caller as it is. A later `revision` does all that an
  /// earlier one did. In the plugin's constructor or start.
  template <class F>
  void offer(std::string_view name, std::uint32_t revision, F handler) {
    const tenon_services& services =
        link_->need<tenon_services>(TENON_NEED(tenon_services, offer), "offer");
    using Handler = detail::ServiceHandler<F>;
    auto made = std::make_unique<Handler>(Handler{std::move(handler), link_});
    const tenon_services_handler raw{&Handler::fn, made.release(), &Handler::drop};
    tenon_error error = detail::empty_error();
    detail::check(services.offer(link_->host(), detail::span(name), revision, &raw, &error), error);
  }

  /// The answer to bytes, of "<plugin>.<name>" in `revision` or later. `deadline` 0: 10 s, at most
  /// 60 s. Throws what the provider threw, or Error 503 with is(TENON_E_UNAVAILABLE) while it is
  /// away, is(TENON_E_TIMEOUT) when it was late. From start on; blocks.
  std::string call_bytes(std::string_view service, std::uint32_t revision, std::string_view method,
                         std::string_view request, std::chrono::milliseconds deadline = {}) {
    link_->require(State::starting, State::quiescing, "a call of a service");
    detail::Link::require_blocking("a call of a service");
    const tenon_services_call raw{sizeof(tenon_services_call),
                                  revision,
                                  detail::span(service),
                                  detail::span(method),
                                  detail::span(request),
                                  static_cast<std::uint32_t>(deadline.count()),
                                  0};
    std::optional<std::string> answer;
    const tenon_db_sink sink{
        [](void* ctx, tenon_span bytes) noexcept {
          try {
            static_cast<std::optional<std::string>*>(ctx)->emplace(detail::view(bytes));
          } catch (...) {  // thrown below
          }
        },
        &answer};
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_services, call, &raw, &sink, &error), error);
    if (!answer) throw std::bad_alloc();
    return *std::move(answer);
  }

#ifndef TENON_WITHOUT_JSON
  /// The same with JSON: `host().services().call("calendar.rooms", 1, "find", {{"seats", 4}})`.
  Json call(std::string_view service, std::uint32_t revision, std::string_view method,
            const Json& request, std::chrono::milliseconds deadline = {}) {
    return parse_json(call_bytes(service, revision, method, to_text(request), deadline));
  }
#endif

 private:
  detail::Link* link_;
};

}  // namespace tenon
