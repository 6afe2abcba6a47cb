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

/// Gives the pieces of a streamed answer.
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

/// The answer of a handler. Movable; made by the static functions, refined by status() and
/// header().
class Response {
 public:
  enum class Kind : std::uint8_t { whole, problem, stream, deferred, blob };

#ifndef TENON_WITHOUT_JSON
  static Response json(const Json& value, int status = 200) {
    return json_text(to_text(value), status);
  }
#endif
  /// `text` is JSON already: from SQLite, or written by hand.
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

  /// An application/problem+json answer; throwing the Error does the same.
  static Response problem(Error error) {
    Response response(Kind::problem, error.status());
    response.headers_ = error.headers();
    response.error_ = std::make_unique<Error>(std::move(error));
    return response;
  }

  /// The answer comes from the Deferred that Request::defer() gave.
  static Response deferred() {
    return {Kind::deferred, 0};
  }

  /// A streamed answer. `producer(Stream&)` is called on a worker of the host whenever the client
  /// can take more, never twice at once: it writes until Stream::write says false, and returns true
  /// while there is more to come. What it captures lives until the stream is over. `length` in
  /// bytes where it is known. An exception cuts the connection, so that the client sees that the
  /// answer is incomplete.
  template <class F>
  static Response stream(std::string content_type, F producer,
                         std::optional<std::uint64_t> length = std::nullopt) {
    Response response(Kind::stream, 200);
    response.content_type_ = std::move(content_type);
    response.producer_ = std::make_unique<detail::FunctionProducer<F>>(std::move(producer));
    response.length_ = length.value_or(TENON_HTTP_NO_LENGTH);
    return response;
  }

  /// A blob of the plugin, which the host sends from its file: images are shown, all else is saved
  /// under `name` (at most 255 bytes; may be empty). Whoever returns this has decided that the
  /// requester may read it. The host sets the fields; status() and header() do nothing. The answer
  /// is 404 "blobs.not_found" when there is no such blob.
  static Response blob(std::string id, std::string name = {}) {
    Response response(Kind::blob, 200);
    response.body_ = std::move(id);
    response.name_ = std::move(name);
    return response;
  }
  /// The same, saved whatever it is.
  static Response attachment(std::string id, std::string name = {}) {
    Response response = blob(std::move(id), std::move(name));
    response.is_attachment_ = true;
    return response;
  }

  /// 200…599.
  Response& status(int status) & {
    status_ = status;
    return *this;
  }
  Response&& status(int status) && {
    return std::move(this->status(status));
  }

  /// Adds a header field. The host owns Content-Length, Connection, Date, Transfer-Encoding and
  /// Set-Cookie, and refuses them. Policies of the origin, which all plugins share, are dropped and
  /// logged unless the manifest's `response_headers` names them: Access-Control-…,
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
  /// Of a blob its id.
  const std::string& body() const noexcept {
    return body_;
  }
  std::string_view content_type() const noexcept {
    return usual_type_.empty() ? content_type_ : usual_type_;
  }
  const std::vector<std::pair<std::string, std::string>>& headers() const noexcept {
    return headers_;
  }
  /// Of a blob: what it is saved as, and whether it is never shown.
  const std::string& name() const noexcept {
    return name_;
  }
  bool is_attachment() const noexcept {
    return is_attachment_;
  }
  /// Of a problem; else null.
  const Error* error() const noexcept {
    return error_.get();
  }

  /// For the wrapper: what a streamed answer is made by, taken once, and its length.
  std::unique_ptr<detail::Producer> take_producer() noexcept {
    return std::move(producer_);
  }
  std::uint64_t length() const noexcept {
    return length_;
  }

 private:
  Response(Kind kind, int status) noexcept : kind_(kind), status_(status) {}

  // `type` is a literal: nothing is allocated for it.
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
  std::string_view usual_type_;  // instead, where it is not empty
  std::vector<std::pair<std::string, std::string>> headers_;
  std::unique_ptr<Error> error_;
  std::unique_ptr<detail::Producer> producer_;
  std::uint64_t length_ = TENON_HTTP_NO_LENGTH;
};

}  // namespace tenon
