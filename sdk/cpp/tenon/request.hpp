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

/// A request. Borrowed: it and every string_view it gives are valid until the handler returns; copy
/// what you keep.
class Request {
 public:
  /// For the wrapper.
  Request(detail::Link& link, const tenon_http_request& raw,
          std::span<const std::string> names) noexcept
      : link_(&link), raw_(&raw), names_(names) {}
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Method method() const noexcept { return static_cast<Method>(raw_->method); }
  /// Decoded, whole: /api/notes/tags.
  std::string_view path() const noexcept { return detail::view(raw_->path); }
  std::string_view request_id() const noexcept { return detail::view(raw_->request_id); }
  /// Address of the client.
  std::string_view peer() const noexcept { return detail::view(raw_->peer); }
  tenon_handle handle() const noexcept { return raw_->handle; }

  /// The value of a {name} of the pattern. Throws Misuse when the pattern has no such name.
  std::string_view param(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return param(i);
    }
    throw Misuse("the route has no parameter '" + std::string(name) + "'");
  }
  /// The value of the pattern's name at `index`, first 0.
  std::string_view param(std::size_t index) const {
    if (index >= raw_->param_count)
      throw Misuse("the route has no parameter " + std::to_string(index));
    return detail::view(raw_->params[index]);
  }
  std::string_view param(int index) const { return param(static_cast<std::size_t>(index)); }
  /// The same as a number. Throws Error 404 "request.not_found" when it is none: no such thing can
  /// be there.
  template <std::integral T>
  T param(std::string_view name) const {
    if (const std::optional<T> value = detail::to_number<T>(param(name))) return *value;
    throw Error(404, "request.not_found", "There is nothing here.");
  }

  /// The first value of a query parameter, decoded; empty when it is not given.
  std::optional<std::string> query(std::string_view name) const {
    return detail::find_query(detail::view(raw_->query), name);
  }
  std::string query(std::string_view name, std::string_view fallback) const {
    return query(name).value_or(std::string(fallback));
  }
  /// A query parameter as a number or bool ("true", "false", "1", "0"); `fallback` when it is not
  /// given. Throws Error 400 "request.query" that names it when it is something else.
  template <class T>
  requires std::integral<T> T query(std::string_view name, T fallback)
  const {
    const std::optional<std::string> text = query(name);
    if (!text) return fallback;
    if (const std::optional<T> value = detail::to_number<T>(*text)) return *value;
    throw Error(400, "request.query",
                "The query parameter '" + std::string(name) + "' has a wrong value.",
                {{std::string(name), "wrong_value", "This is not what is expected here."}});
  }
  /// Every value of a parameter that may be repeated.
  std::vector<std::string> query_all(std::string_view name) const {
    return detail::find_all_query(detail::view(raw_->query), name);
  }
  /// As sent, without '?'.
  std::string_view query_string() const noexcept { return detail::view(raw_->query); }

  /// The first header field of that name, in any case.
  std::optional<std::string_view> header(std::string_view name) const noexcept {
    for (std::uint32_t i = 0; i < raw_->field_count; ++i) {
      if (detail::equal_ignoring_case(detail::view(raw_->fields[i].name), name))
        return detail::view(raw_->fields[i].value);
    }
    return std::nullopt;
  }

  /// The body of a route with Body::whole or Body::json.
  std::string_view body() const noexcept { return detail::view(raw_->body); }
  /// Bytes of the body as declared; empty when it is chunked.
  std::optional<std::uint64_t> content_length() const noexcept {
    if (raw_->content_length == TENON_HTTP_NO_LENGTH) return std::nullopt;
    return raw_->content_length;
  }

#ifndef TENON_WITHOUT_JSON
  /// The body as JSON. Throws Error 400 "request.json".
  Json json() const {
    return parse_json(body());
  }
  /// The body as T, by nlohmann's from_json. Throws Error 422 "request.invalid" when it does not
  /// fit.
  template <class T>
  T json() const {
    return from_json_value<T>(json());
  }
#endif

  /// Id of the signed-in user; empty for nobody.
  std::string_view user_id() const noexcept {
    return detail::view(raw_->user_id);
  }
  bool is_signed_in() const noexcept {
    return raw_->user_id.size != 0;
  }
  /// The signed-in user; empty for nobody.
  std::optional<User> user() const {
    return is_signed_in() ? Identity(*link_).requester(handle()) : std::nullopt;
  }
  /// Ids of the signed-in user's groups, sorted; none for nobody.
  std::vector<std::string> groups() const {
    return Identity(*link_).groups(handle());
  }
  /// Whether the requester has a permission of plugin.json.
  bool can(std::string_view permission) const {
    return Identity(*link_).can(handle(), permission);
  }
  /// Throws Error 403 "request.forbidden" unless can().
  void require(std::string_view permission) const {
    if (!can(permission)) throw Error(403, "request.forbidden", "You are not allowed to do this.");
  }

  /// A log whose lines name this request.
  Log log() const noexcept {
    return Log(*link_, handle());
  }

  /// Takes over the answer, once; the handler then returns Response::deferred().
  [[nodiscard]] Deferred defer() const {
    if (pending_ != nullptr) throw Misuse("an answer deferred twice");
    pending_ = std::make_shared<detail::Pending>(*link_, handle());
    return Deferred(pending_);
  }

  /// Takes the body of a Body::streamed route in pieces: `return request.read_body(reader)`. The
  /// reader is any movable object with `void data(std::string_view)`, called for each piece in
  /// order, and `Response end()`, called after the last. Both run on workers of the host, one call
  /// at a time, and may throw Errors; the reader goes, without end(), when the client does.
  template <BodyReader Reader>
  Response read_body(Reader reader) const {
    detail::start_reading(*link_, handle(), defer(), std::move(reader));
    return Response::deferred();
  }

  /// For the wrapper: who answers when the handler said later; null when nobody deferred.
  const std::shared_ptr<detail::Pending>& pending() const noexcept {
    return pending_;
  }

 private:
  detail::Link* link_;
  const tenon_http_request* raw_;
  std::span<const std::string> names_;
  mutable std::shared_ptr<detail::Pending> pending_;
};

}  // namespace tenon
