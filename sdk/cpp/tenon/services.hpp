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

/// A call of a service of this plugin. Its handler borrows it.
class ServiceRequest {
 public:
  explicit ServiceRequest(const tenon_services_request& raw) noexcept : raw_(&raw) {}
  ServiceRequest(const ServiceRequest&) = delete;
  ServiceRequest& operator=(const ServiceRequest&) = delete;

  /// Returns the id of the calling plugin, which vouches for any user it names.
  std::string_view caller() const noexcept { return detail::view(raw_->caller); }
  std::string_view caller_version() const noexcept { return detail::view(raw_->caller_version); }
  std::string_view service() const noexcept { return detail::view(raw_->service); }
  std::string_view method() const noexcept { return detail::view(raw_->method); }
  std::string_view bytes() const noexcept { return detail::view(raw_->request); }
  /// Returns the lowest revision that the caller accepts.
  std::uint32_t revision() const noexcept { return raw_->revision; }
  /// Returns the time until the caller stops waiting, measured from the start of the handler.
  std::chrono::milliseconds remaining() const noexcept {
    return std::chrono::milliseconds(raw_->remaining_ms);
  }

  /// Makes the Error to throw for a method that the service does not have.
  Error unknown_method() const {
    return {404, "services.unknown_method",
            "The service has no method \"" + std::string(method()) + "\"."};
  }

#ifndef TENON_WITHOUT_JSON
  /// Parses the request as JSON. Throws Error 400 "request.json".
  Json json() const {
    return parse_json(bytes());
  }
#endif

 private:
  const tenon_services_request* raw_;
};

namespace detail {

/// Returns the code that matches an Error thrown by the plugin.
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
      return self.respond(raw->handle, request, error);
    } catch (const Error& failure) {
      return describe(error, code_of(failure), failure.status(), failure.code(), failure.message());
    } catch (const std::exception& failure) {
      self.link->report(TENON_LOG_ERROR, "a service handler threw an exception", failure.what());
    } catch (...) {
      self.link->report(TENON_LOG_ERROR, "a service handler threw an exception", {});
    }
    // The exception is only logged; the caller does not see it.
    return TENON_E_INTERNAL;
  }
  static void drop(void* ctx) noexcept { delete static_cast<ServiceHandler*>(ctx); }

 private:
  using Result = std::invoke_result_t<F&, const ServiceRequest&>;

  tenon_code respond(tenon_handle handle, const ServiceRequest& request, tenon_error* error) {
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
      static_assert(std::is_void_v<Result>,
                    "with TENON_WITHOUT_JSON a handler must return bytes or void");
#endif
    }
  }

  tenon_code send(tenon_handle handle, std::string_view bytes, tenon_error* error) {
    const tenon_code code = TENON_CALL(*link, tenon_services, respond, handle, span(bytes));
    if (code == TENON_E_TOO_LARGE) {
      return describe(error, code, 500, "services.too_large",
                      "The response of the service has more than 16 MiB.");
    }
    // The caller has stopped waiting.
    return code == TENON_E_HANDLE ? tenon_code{TENON_OK} : code;
  }
};

}  // namespace detail

/// Named services that plugins offer to each other. Requests and responses are bytes, by convention
/// JSON. The host finds the provider at each call, so the provider may be upgraded between calls.
/// Thread-safe.
class Services {
 public:
  explicit Services(detail::Link& link) noexcept : link_(&link) {}

  /// Offers "<plugin>.<name>" to plugins that name this one in plugin.json. `handler(const
  /// tenon::ServiceRequest&)` runs on the thread of the caller, concurrently on several threads,
  /// and may block. It returns the response: JSON (any type that nlohmann's to_json supports),
  /// bytes as a string, or void. The caller gets an Error that it throws unchanged. A later
  /// `revision` supports everything that earlier ones did. Call it in the plugin's constructor or
  /// start.
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

  /// Calls "<plugin>.<name>" in `revision` or later with bytes and returns the response. `deadline`
  /// 0: 10 s, at most 60 s. Throws the Error of the provider, or Error 503 with
  /// is(TENON_E_UNAVAILABLE) if the provider is not available, is(TENON_E_TIMEOUT) if the deadline
  /// passed. Usable from start on; blocks.
  std::string call_bytes(std::string_view service, std::uint32_t revision, std::string_view method,
                         std::string_view request, std::chrono::milliseconds deadline = {}) {
    link_->require(State::starting, State::quiescing, "a service call");
    detail::Link::require_blocking("a service call");
    const tenon_services_call raw{sizeof(tenon_services_call),
                                  revision,
                                  detail::span(service),
                                  detail::span(method),
                                  detail::span(request),
                                  static_cast<std::uint32_t>(deadline.count()),
                                  0};
    std::optional<std::string> response;
    const tenon_text_sink sink{
        [](void* ctx, tenon_span bytes) noexcept {
          try {
            static_cast<std::optional<std::string>*>(ctx)->emplace(detail::view(bytes));
          } catch (...) {  // std::bad_alloc is thrown below
          }
        },
        &response};
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_services, call, &raw, &sink, &error), error);
    if (!response) throw std::bad_alloc();
    return *std::move(response);
  }

#ifndef TENON_WITHOUT_JSON
  /// Calls a service with JSON: `host().services().call("calendar.rooms", 1, "find", {{"seats",
  /// 4}})`.
  Json call(std::string_view service, std::uint32_t revision, std::string_view method,
            const Json& request, std::chrono::milliseconds deadline = {}) {
    return parse_json(call_bytes(service, revision, method, to_text(request), deadline));
  }
#endif

 private:
  detail::Link* link_;
};

}  // namespace tenon
