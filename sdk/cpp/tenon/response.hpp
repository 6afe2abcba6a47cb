#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/error.hpp>
#include <tenon/http.h>
#include <tenon/json.hpp>

namespace tenon {

class Stream;

namespace detail {

/// Produces the pieces of a streamed response.
class Producer {
 public:
  virtual ~Producer() = default;
  virtual bool produce(Stream& out) = 0;
};

template <class F>
class FunctionProducer final : public Producer {
 public:
  explicit FunctionProducer(F function) : function_(std::move(function)) {}
  bool produce(Stream& out) override { return function_(out); }

 private:
  F function_;
};

}  // namespace detail

/// The response of a handler. Movable. Create it with the static functions; status() and header()
/// modify it.
class Response {
 public:
  enum class Kind : std::uint8_t { whole, problem, stream, deferred, blob };

#ifndef TENON_WITHOUT_JSON
  static Response json(const Json& value, int status = 200) {
    return json_text(to_text(value), status);
  }
#endif
  /// Makes a JSON response. `text` must be JSON already, e.g. from the database.
  static Response json_text(std::string text, int status = 200) {
    return usual(std::move(text), "application/json", status);
  }
  static Response text(std::string body, int status = 200) {
    return usual(std::move(body), "text/plain; charset=utf-8", status);
  }
  static Response bytes(std::string body, std::string content_type, int status = 200) {
    Response response(Kind::whole, status);
    response.body_ = std::move(body);
    response.content_type_ = std::move(content_type);
    return response;
  }
  static Response empty(int status = 204) {
    return {Kind::whole, status};
  }

  /// Redirects the client to `location`, an absolute URL or an absolute path such as "/app/links".
  /// `status` is 301, 302, 303, 307 or 308 (RFC 9110, section 15.4).
  static Response redirect(std::string location, int status = 303) {
    Response response = empty(status);
    response.header("Location", std::move(location));
    return response;
  }

  /// Makes an application/problem+json response. Throwing the Error has the same effect.
  static Response problem(Error error) {
    Response response(Kind::problem, error.status());
    response.headers_ = error.headers();
    response.error_ = std::make_unique<Error>(std::move(error));
    return response;
  }

  /// States that the Deferred of Request::defer() sends the response.
  static Response deferred() {
    return {Kind::deferred, 0};
  }

  /// Makes a streamed response. `producer(Stream&)` runs on a worker thread of the host whenever
  /// the client can take more data, never concurrently. It writes until Stream::write returns
  /// false, and returns true while there is more data. Its captures live until the stream ends.
  /// `length` is in bytes, if known. An exception cuts the connection, so that the client sees that
  /// the response is incomplete.
  template <class F>
  static Response stream(std::string content_type, F producer,
                         std::optional<std::uint64_t> length = std::nullopt) {
    Response response(Kind::stream, 200);
    response.content_type_ = std::move(content_type);
    response.producer_ = std::make_unique<detail::FunctionProducer<F>>(std::move(producer));
    response.length_ = length.value_or(TENON_HTTP_NO_LENGTH);
    return response;
  }

  /// Makes a response with a blob of the plugin, which the host sends from its file. The browser
  /// shows images and saves other files as `name` (at most 255 bytes; may be empty). The handler
  /// must check that the user may read the blob. The host sets the header fields; status() and
  /// header() have no effect. If the blob does not exist, the client gets 404 "blobs.not_found".
  static Response blob(std::string id, std::string name = {}) {
    Response response(Kind::blob, 200);
    response.body_ = std::move(id);
    response.name_ = std::move(name);
    return response;
  }
  /// Makes a response with a blob that the browser always saves, even if it is an image.
  static Response attachment(std::string id, std::string name = {}) {
    Response response = blob(std::move(id), std::move(name));
    response.is_attachment_ = true;
    return response;
  }

  /// Sets the status: 200…599.
  Response& status(int status) & {
    status_ = status;
    return *this;
  }
  Response&& status(int status) && {
    return std::move(this->status(status));
  }

  /// Adds a header field. The host sets Content-Length, Connection, Date, Transfer-Encoding and
  /// Set-Cookie, and rejects them here. Policies of the origin, which all plugins share, are
  /// dropped and logged unless `response_headers` of the manifest names them: Access-Control-…,
  /// Content-Security-Policy, Cross-Origin-…-Policy, Clear-Site-Data. Service-Worker-Allowed is
  /// always dropped.
  Response& header(std::string name, std::string value) & {
    headers_.emplace_back(std::move(name), std::move(value));
    return *this;
  }
  Response&& header(std::string name, std::string value) && {
    return std::move(this->header(std::move(name), std::move(value)));
  }

  Kind kind() const noexcept {
    return kind_;
  }
  int status() const noexcept {
    return status_;
  }
  /// Returns the body; for a blob, its id.
  const std::string& body() const noexcept {
    return body_;
  }
  std::string_view content_type() const noexcept {
    return usual_type_.empty() ? content_type_ : usual_type_;
  }
  const std::vector<std::pair<std::string, std::string>>& headers() const noexcept {
    return headers_;
  }
  /// For a blob: the file name, and whether the browser always saves it.
  const std::string& name() const noexcept {
    return name_;
  }
  bool is_attachment() const noexcept {
    return is_attachment_;
  }
  /// Returns the error of a problem response, else null.
  const Error* error() const noexcept {
    return error_.get();
  }

  /// Internal to the SDK: the producer of a streamed response, which can be taken once, and the
  /// length.
  std::unique_ptr<detail::Producer> take_producer() noexcept {
    return std::move(producer_);
  }
  std::uint64_t length() const noexcept {
    return length_;
  }

 private:
  Response(Kind kind, int status) noexcept : kind_(kind), status_(status) {}

  // `type` is a literal, so this allocates no memory for it.
  static Response usual(std::string body, std::string_view type, int status) {
    Response response(Kind::whole, status);
    response.body_ = std::move(body);
    response.usual_type_ = type;
    return response;
  }

  Kind kind_;
  bool is_attachment_ = false;
  int status_;
  std::string body_;
  std::string name_;
  std::string content_type_;
  std::string_view usual_type_;  // replaces content_type_ if not empty
  std::vector<std::pair<std::string, std::string>> headers_;
  std::unique_ptr<Error> error_;
  std::unique_ptr<detail::Producer> producer_;
  std::uint64_t length_ = TENON_HTTP_NO_LENGTH;
};

}  // namespace tenon
