#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/body_reader.hpp>
#include <tenon/deferred.hpp>
#include <tenon/detail/query.hpp>
#include <tenon/http.h>
#include <tenon/identity.hpp>
#include <tenon/json.hpp>
#include <tenon/log.hpp>

namespace tenon {

enum class Method : std::uint32_t {
  get = TENON_HTTP_GET,
  post = TENON_HTTP_POST,
  put = TENON_HTTP_PUT,
  patch = TENON_HTTP_PATCH,
  del = TENON_HTTP_DELETE
};

/// A request. Borrowed: the object and all string_views that it returns are valid until the handler
/// returns. Copy what you need longer.
class Request {
 public:
  /// Internal to the SDK.
  Request(detail::Link& link, const tenon_http_request& raw,
          std::span<const std::string> names) noexcept
      : link_(&link), raw_(&raw), names_(names) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Method method() const noexcept { return static_cast<Method>(raw_->method); }
  /// Returns the full path, decoded: /api/notes/tags.
  std::string_view path() const noexcept { return detail::view(raw_->path); }
  std::string_view request_id() const noexcept { return detail::view(raw_->request_id); }
  /// Returns the address of the client.
  std::string_view peer() const noexcept { return detail::view(raw_->peer); }
  tenon_handle handle() const noexcept { return raw_->handle; }

  /// Returns the value of a {name} of the pattern. Throws Misuse if the pattern has no such name.
  std::string_view param(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return param(i);
    }
    throw Misuse("the route has no parameter '" + std::string(name) + "'");
  }
  /// Returns the value of the parameter at `index`, from 0. Throws Misuse if there is none.
  std::string_view param(std::size_t index) const {
    if (index >= raw_->param_count)
      throw Misuse("the route has no parameter " + std::to_string(index));
    return detail::view(raw_->params[index]);
  }
  std::string_view param(int index) const { return param(static_cast<std::size_t>(index)); }
  /// Returns the value of a {name} of the pattern as a number. Throws Error 404 "request.not_found"
  /// if it is not a number, because no such resource can exist.
  template <std::integral T>
  T param(std::string_view name) const {
    if (const std::optional<T> value = detail::to_number<T>(param(name))) return *value;
    throw Error(404, "request.not_found", "There is no resource at this address.");
  }

  /// Returns the first value of a query parameter, decoded, or empty if it is absent.
  std::optional<std::string> query(std::string_view name) const {
    return detail::find_query(detail::view(raw_->query), name);
  }
  std::string query(std::string_view name, std::string_view fallback) const {
    return query(name).value_or(std::string(fallback));
  }
  /// Returns a query parameter as a number or bool ("true", "false", "1", "0"), or `fallback` if it
  /// is absent. Throws Error 400 "request.query" that names the parameter if it has any other
  /// value.
  template <class T>
  requires std::integral<T> T query(std::string_view name, T fallback)
  const {
    const std::optional<std::string> text = query(name);
    if (!text) return fallback;
    if (const std::optional<T> value = detail::to_number<T>(*text)) return *value;
    throw Error(400, "request.query",
                "The query parameter '" + std::string(name) + "' has an invalid value.",
                {{std::string(name), "wrong_value", "This value is not valid."}});
  }
  /// Returns all values of a query parameter that may be repeated.
  std::vector<std::string> query_all(std::string_view name) const {
    return detail::find_all_query(detail::view(raw_->query), name);
  }
  /// Returns the query string as sent, without '?'.
  std::string_view query_string() const noexcept { return detail::view(raw_->query); }

  /// Returns the first header field with this name, case-insensitive.
  std::optional<std::string_view> header(std::string_view name) const noexcept {
    for (std::uint32_t i = 0; i < raw_->field_count; ++i) {
      if (detail::equal_ignoring_case(detail::view(raw_->fields[i].name), name))
        return detail::view(raw_->fields[i].value);
    }
    return std::nullopt;
  }

  /// Returns the body; for routes with Body::whole or Body::json.
  std::string_view body() const noexcept { return detail::view(raw_->body); }
  /// Returns the declared length of the body in bytes, or empty if it is chunked.
  std::optional<std::uint64_t> content_length() const noexcept {
    if (raw_->content_length == TENON_HTTP_NO_LENGTH) return std::nullopt;
    return raw_->content_length;
  }

#ifndef TENON_WITHOUT_JSON
  /// Returns the body as JSON. Throws Error 400 "request.json". If the handler then lets an
  /// exception of nlohmann's out (a missing member, another type), the client gets 422
  /// "request.invalid".
  Json json() const {
    has_read_json_ = true;
    return parse_json(body());
  }
  /// Returns the body as T, by nlohmann's from_json. Throws Error 422 "request.invalid" if it does
  /// not match T.
  template <class T>
  T json() const {
    return from_json_value<T>(json());
  }
#endif

  /// Returns the id of the signed-in user; empty if anonymous.
  std::string_view user_id() const noexcept {
    return detail::view(raw_->user_id);
  }
  bool is_signed_in() const noexcept {
    return raw_->user_id.size != 0;
  }
  /// Returns the signed-in user, or empty if anonymous.
  std::optional<User> user() const {
    return is_signed_in() ? Identity(*link_).requester(handle()) : std::nullopt;
  }
  /// Returns the ids of the groups of the signed-in user, sorted; none if anonymous.
  std::vector<std::string> groups() const {
    return Identity(*link_).groups(handle());
  }
  /// Returns whether the user has a permission of plugin.json.
  bool can(std::string_view permission) const {
    return Identity(*link_).can(handle(), permission);
  }
  /// Throws Error 403 "request.forbidden" if the user does not have the permission.
  void require(std::string_view permission) const {
    if (!can(permission)) throw Error(403, "request.forbidden", "You are not allowed to do this.");
  }

  /// Returns a log whose lines contain the id of this request.
  Log log() const noexcept {
    return Log(*link_, handle());
  }

  /// Takes over the response. May be called once; the handler then returns Response::deferred().
  [[nodiscard]] Deferred defer() const {
    if (pending_ != nullptr)
      throw Misuse("the response was already deferred: call defer() once for each request");
    pending_ = std::make_shared<detail::Pending>(*link_, handle());
    return Deferred(pending_);
  }

  /// Receives the body of a Body::streamed route in pieces: `return request.read_body(reader)`. The
  /// reader is any movable object with `void data(std::string_view)`, called for each piece in
  /// order, and `Response end()`, called after the last piece. Both run on worker threads of the
  /// host, one call at a time, and may throw Errors. If the client disconnects, the reader is
  /// destroyed without end().
  template <BodyReader Reader>
  Response read_body(Reader reader) const {
    detail::start_reading(*link_, handle(), defer(), std::move(reader));
    return Response::deferred();
  }

  /// Internal to the SDK: the pending response after defer(), else null.
  const std::shared_ptr<detail::Pending>& pending() const noexcept {
    return pending_;
  }
  /// Internal to the SDK: whether the handler has called json().
  bool has_read_json() const noexcept {
    return has_read_json_;
  }

 private:
  detail::Link* link_;
  const tenon_http_request* raw_;
  std::span<const std::string> names_;
  mutable std::shared_ptr<detail::Pending> pending_;
  mutable bool has_read_json_ = false;
};

}  // namespace tenon
