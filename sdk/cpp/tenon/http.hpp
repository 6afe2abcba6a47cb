#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/detail/link.hpp>
#include <tenon/detail/serve.hpp>
#include <tenon/http.h>
#include <tenon/request.hpp>
#include <tenon/response.hpp>

namespace tenon {

/// Defines who may call a route. The host checks the access before it calls the plugin. Use the
/// values in `access`.
class Access {
 public:
  constexpr Access(std::uint32_t kind, std::string_view permission) noexcept
      : kind_(kind), permission_(permission) {}
  constexpr std::uint32_t kind() const noexcept { return kind_; }
  constexpr std::string_view permission() const noexcept { return permission_; }

 private:
  std::uint32_t kind_;
  std::string_view permission_;
};

namespace access {

/// Everyone, signed in or not.
inline constexpr Access everyone{TENON_HTTP_PUBLIC, {}};
/// All signed-in users.
inline constexpr Access signed_in{TENON_HTTP_SIGNED_IN, {}};
/// Users with a permission of plugin.json. The object borrows `id`.
constexpr Access permission(std::string_view id) noexcept {
  return {TENON_HTTP_PERMISSION, id};
}

}  // namespace access

/// How a route treats a request body.
enum class Body : std::uint32_t {
  none = TENON_HTTP_BODY_NONE,    ///< a body is rejected
  whole = TENON_HTTP_BODY_WHOLE,  ///< Request::body()
  json = TENON_HTTP_BODY_JSON,    ///< Request::json(); the host checks the body before it calls the
                                  ///< handler
  streamed = TENON_HTTP_BODY_STREAMED  ///< Request::read_body()
};

/// Options of a route: `{.body = Body::streamed, .body_limit = 64 << 20}`.
struct RouteOptions {
  std::optional<Body> body = {};  ///< default: none for GET and DELETE, json for other methods
  std::uint64_t body_limit = 0;   ///< bytes; 0: 1 MiB; required for a streamed body
  bool is_inline = false;  ///< the handler never blocks and responds within microseconds: it runs
                           ///< on an I/O thread of the host; if it takes 250 ms once, it runs on
                           ///< worker threads from then on
  std::string_view summary = {};  ///< one line for the API description
  /// Further API description: a JSON object with members of an OpenAPI 3.1 Operation (description,
  /// parameters, requestBody, responses), and x-components for definitions that these refer to,
  /// whose names begin with the plugin's id and a dot. At most 64 KiB.
  std::string_view operation = {};
};

/// The routes of the plugin, all below /api/<plugin>. Register them in the plugin's constructor or
/// start; they are published after start has returned. A handler is called as `Response (const
/// Request&)`, or returns void for 204. It runs on any thread of the host, concurrently with other
/// calls. An Error that it throws becomes a problem response, any other exception 500.
///
/// In a pattern such as "/notes/{id}" a final "{rest...}" matches the rest of the path. All
/// functions throw Error if the host rejects the route: duplicate route, unknown permission, or
/// path of a published table.
class Http {
 public:
  explicit Http(detail::Link& link) noexcept : link_(&link) {}

  /// Registers a GET route, which also handles HEAD.
  template <class F>
  void get(std::string_view pattern, Access access, F handler) {
    route(Method::get, pattern, access, {}, std::move(handler));
  }
  template <class F>
  void get(std::string_view pattern, Access access, const RouteOptions& options, F handler) {
    route(Method::get, pattern, access, options, std::move(handler));
  }
  template <class F>
  void post(std::string_view pattern, Access access, F handler) {
    route(Method::post, pattern, access, {}, std::move(handler));
  }
  template <class F>
  void post(std::string_view pattern, Access access, const RouteOptions& options, F handler) {
    route(Method::post, pattern, access, options, std::move(handler));
  }
  template <class F>
  void put(std::string_view pattern, Access access, F handler) {
    route(Method::put, pattern, access, {}, std::move(handler));
  }
  template <class F>
  void put(std::string_view pattern, Access access, const RouteOptions& options, F handler) {
    route(Method::put, pattern, access, options, std::move(handler));
  }
  template <class F>
  void patch(std::string_view pattern, Access access, F handler) {
    route(Method::patch, pattern, access, {}, std::move(handler));
  }
  template <class F>
  void patch(std::string_view pattern, Access access, const RouteOptions& options, F handler) {
    route(Method::patch, pattern, access, options, std::move(handler));
  }
  /// Registers a DELETE route.
  template <class F>
  void del(std::string_view pattern, Access access, F handler) {
    route(Method::del, pattern, access, {}, std::move(handler));
  }
  template <class F>
  void del(std::string_view pattern, Access access, const RouteOptions& options, F handler) {
    route(Method::del, pattern, access, options, std::move(handler));
  }

  template <class F>
  void route(Method method, std::string_view pattern, Access access, const RouteOptions& options,
             F handler) {
    static_assert(std::is_invocable_v<F&, const Request&>,
                  "a handler must take a const tenon::Request&");
    using Result = std::invoke_result_t<F&, const Request&>;
    static_assert(std::same_as<Result, Response> || std::is_void_v<Result>,
                  "a handler must return a tenon::Response or void");
    auto owned = std::make_unique<detail::HandledRoute<F>>(
        detail::Route{link_, detail::names_of(pattern), options.is_inline}, std::move(handler));
    const bool has_body = method != Method::get && method != Method::del;
    tenon_http_route raw{};
    raw.size = sizeof raw;
    raw.method = static_cast<std::uint32_t>(method);
    raw.pattern = detail::span(pattern);
    raw.permission = detail::span(access.permission());
    raw.body_limit = options.body_limit;
    raw.access = access.kind();
    raw.body =
        static_cast<std::uint32_t>(options.body.value_or(has_body ? Body::json : Body::none));
    raw.flags = options.is_inline ? TENON_HTTP_INLINE : 0u;
    raw.handler = {&detail::HandledRoute<F>::fn, owned.get(), &detail::HandledRoute<F>::drop};
    raw.summary = detail::span(options.summary);
    raw.operation = detail::span(options.operation);
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_http, add_route, &raw, &error), error);
    static_cast<void>(owned.release());
  }

 private:
  detail::Link* link_;
};

}  // namespace tenon
