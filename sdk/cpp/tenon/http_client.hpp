#pragma once

#include <chrono>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/detail/link.hpp>
#include <tenon/detail/query.hpp>
#include <tenon/http_client.h>
#include <tenon/json.hpp>

namespace tenon {

/// A request to another server. Its defaults send a GET.
struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string body = {};
  /// For the whole call with its redirects. 0: 10 s; by default at most 60 s (`outgoing.timeout`).
  std::chrono::milliseconds timeout{0};
  /// A longer body of the response is Error "http_client.too_large". 0: 1 MiB; by default at most
  /// 16 MiB (`outgoing.max_response`).
  std::uint64_t max_response_bytes = 0;
  bool follow_redirects = true;
};

/// The response of another server, which owns its bytes.
class HttpResponse {
 public:
  int status() const noexcept { return status_; }
  /// Returns whether the status is 200…299.
  bool is_success() const noexcept { return status_ >= 200 && status_ < 300; }
  /// Returns the URL of the response, after redirects.
  const std::string& url() const noexcept { return url_; }
  const std::string& body() const noexcept { return body_; }
  const std::vector<std::pair<std::string, std::string>>& headers() const noexcept {
    return headers_;
  }
  /// Returns the first header field with this name, ignoring case; empty if there is none.
  std::string_view header(std::string_view name) const noexcept {
    for (const auto& [known, value] : headers_) {
      if (detail::equal_ignoring_case(known, name)) return value;
    }
    return {};
  }

#ifndef TENON_WITHOUT_JSON
  /// Parses the body as JSON. Throws Error 502 "http_client.json" if it is not JSON.
  Json json() const {
    try {
      return parse_json(body_);
    } catch (const Error&) {
      throw Error(502, "http_client.json", "The server did not respond with valid JSON.");
    }
  }
#endif

 private:
  friend class HttpClient;

  explicit HttpResponse(const tenon_http_client_response& raw)
      : status_(static_cast<int>(raw.status)),
        url_(detail::view(raw.url)),
        body_(detail::view(raw.body)) {
    headers_.reserve(raw.field_count);
    for (std::uint32_t i = 0; i < raw.field_count; ++i)
      headers_.emplace_back(detail::view(raw.fields[i].name), detail::view(raw.fields[i].value));
  }

  int status_;
  std::string url_;
  std::string body_;
  std::vector<std::pair<std::string, std::string>> headers_;
};

/// HTTP requests to other servers, which plugin.json lists under "outgoing". A call blocks its
/// thread until the response is complete: make it in a job or a handler on a worker, not while a
/// transaction is open. Thread-safe.
class HttpClient {
 public:
  explicit HttpClient(detail::Link& link) noexcept : link_(&link) {}

  /// Sends a request and returns the response, whatever its status. Throws Error
  /// "http_client.…" if there is none: not_allowed (plugin.json does not list the server),
  /// address_refused (its address is not public), unreachable, timeout, too_large, busy, cancelled
  /// (the plugin stops). Usable from start on; blocks.
  HttpResponse send(const HttpRequest& request) {
    link_->require(State::starting, State::quiescing, "an outgoing request");
    detail::Link::require_blocking("an outgoing request");
    std::vector<tenon_http_field> fields;
    fields.reserve(request.headers.size());
    for (const auto& [name, value] : request.headers)
      fields.push_back({detail::span(name), detail::span(value)});
    const tenon_http_client_request raw{
        sizeof(tenon_http_client_request),
        request.follow_redirects ? 0 : TENON_HTTP_CLIENT_NO_REDIRECTS,
        detail::span(request.method),
        detail::span(request.url),
        fields.data(),
        static_cast<std::uint32_t>(fields.size()),
        static_cast<std::uint32_t>(request.timeout.count()),
        detail::span(request.body),
        request.max_response_bytes};
    std::optional<HttpResponse> response;
    const tenon_http_client_sink sink{
        [](void* ctx, const tenon_http_client_response* given) noexcept {
          try {
            *static_cast<std::optional<HttpResponse>*>(ctx) = HttpResponse(*given);
          } catch (...) {  // std::bad_alloc is thrown below
          }
        },
        &response};
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_http_client, send, &raw, &sink, &error), error);
    if (!response) throw std::bad_alloc();
    return *std::move(response);
  }

  HttpResponse get(std::string url) {
    HttpRequest request;
    request.url = std::move(url);
    return send(request);
  }

#ifndef TENON_WITHOUT_JSON
  /// Posts JSON: `host().http_client().post(url, {{"text", "It is down."}})`.
  HttpResponse post(std::string url, const Json& json) {
    HttpRequest request;
    request.method = "POST";
    request.url = std::move(url);
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = to_text(json);
    return send(request);
  }
#endif

 private:
  detail::Link* link_;
};

}  // namespace tenon
