#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/abi.h>
#include <tenon/detail/span.hpp>

namespace tenon {

/// An error of one field of a request body.
struct FieldError {
  std::string field;    ///< name; a dotted path if nested ("owner.name")
  std::string code;     ///< stable, e.g. "required", "too_long"
  std::string message;  ///< one sentence for the user
};

/// An expected failure that is reported to the client. You may throw it anywhere in a plugin. In a
/// request it becomes an application/problem+json response; in start it becomes the reason why the
/// plugin is not active.
class Error : public std::exception {
 public:
  /// `status` is the matching HTTP status (400…599), `code` the stable "<plugin>.<error>",
  /// `message` one public sentence that states what was wrong and what to do.
  Error(int status, std::string code, std::string message, std::vector<FieldError> fields = {})
      : status_(status),
        code_(std::move(code)),
        message_(std::move(message)),
        fields_(std::move(fields)) {}

  int status() const noexcept { return status_; }
  const std::string& code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  const std::vector<FieldError>& fields() const noexcept { return fields_; }
  const char* what() const noexcept override { return message_.c_str(); }

  /// Returns the code of the host (TENON_E_CONSTRAINT …) if the host reported the failure, or 0 if
  /// the plugin did.
  tenon_code cause() const noexcept { return cause_; }
  bool is(tenon_code cause) const noexcept { return cause_ == cause; }

  /// Returns a JSON object whose members are added to the problem document, or empty.
  const std::string& extra() const noexcept { return extra_; }
  /// Adds the members of a JSON object to the problem document: `throw Error(409,
  /// …).with(Json{{"yours", …}}.dump())`.
  Error& with(std::string object) & {
    extra_ = std::move(object);
    return *this;
  }
  Error&& with(std::string object) && {
    extra_ = std::move(object);
    return std::move(*this);
  }

  /// Returns a copy with another message and other field errors.
  Error in_other_words(std::string message, std::vector<FieldError> fields) const {
    Error error = *this;
    error.message_ = std::move(message);
    error.fields_ = std::move(fields);
    return error;
  }

  /// Returns the header fields of the response: `throw Error(503, …).header("Retry-After", "5")`.
  const std::vector<std::pair<std::string, std::string>>& headers() const noexcept {
    return headers_;
  }
  Error& header(std::string name, std::string value) & {
    headers_.emplace_back(std::move(name), std::move(value));
    return *this;
  }
  Error&& header(std::string name, std::string value) && {
    return std::move(header(std::move(name), std::move(value)));
  }

  /// Makes an Error from an error that the host described. `name` and `message` may be truncated
  /// but are always terminated.
  static Error from_host(tenon_code code, const tenon_error& described);

 private:
  int status_;
  tenon_code cause_ = TENON_OK;
  std::string code_;
  std::string message_;
  std::vector<FieldError> fields_;
  std::string extra_;
  std::vector<std::pair<std::string, std::string>> headers_;
};

/// A bug in the plugin that the SDK detected: a second response to a request, a database call
/// before start or after stop, a parameter that the pattern does not have. Do not catch it: the
/// client gets 500 and the log has the message.
class Misuse : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {

/// The stable name and the HTTP status of a code without a description.
struct CodeName {
  int status;
  std::string_view name;
};

inline CodeName name_of(tenon_code code) noexcept {
  switch (code) {
    case TENON_E_INVALID:
      return {500, "host.invalid"};
    case TENON_E_HANDLE:
      return {500, "host.stale_handle"};
    case TENON_E_STATE:
      return {500, "host.wrong_state"};
    case TENON_E_CLOSED:
      return {500, "host.closed"};
    case TENON_E_TOO_LARGE:
      return {413, "host.too_large"};
    case TENON_E_BUSY:
      return {503, "host.busy"};
    case TENON_E_TIMEOUT:
      return {503, "host.timeout"};
    case TENON_E_DISK_FULL:
      return {507, "host.disk_full"};
    case TENON_E_CONSTRAINT:
      return {409, "host.constraint"};
    case TENON_E_DENIED:
      return {403, "host.denied"};
    case TENON_E_NOT_FOUND:
      return {404, "host.not_found"};
    case TENON_E_SQL:
      return {500, "host.sql"};
    case TENON_E_MEMORY:
      return {500, "host.memory"};
    case TENON_E_UNSUPPORTED:
      return {501, "host.unsupported"};
    case TENON_E_UNAVAILABLE:
      return {503, "host.unavailable"};
    default:
      return {500, "host.internal"};
  }
}

inline tenon_error empty_error() noexcept {
  tenon_error error{};
  error.size = sizeof error;
  return error;
}

/// Throws the described error if `code` is below 0.
inline void check(tenon_code code, const tenon_error& described) {
  if (code < 0) throw Error::from_host(code, described);
}

/// Throws an Error if `code` is below 0, for host functions that return only a code. `what` names
/// the attempted operation.
inline void check(tenon_code code, std::string_view what) {
  if (code >= 0) return;
  tenon_error described = empty_error();
  std::string message(what);
  message += " failed";
  const std::size_t size = std::min(message.size(), sizeof described.message - 1);
  std::memcpy(described.message, message.data(), size);
  throw Error::from_host(code, described);
}

/// Fills the error struct of the host and returns `code`. Writes nothing if `error` is smaller than
/// tenon_error.
inline tenon_code describe(tenon_error* error, tenon_code code, int status, std::string_view name,
                           std::string_view message) noexcept {
  if (error == nullptr || error->size < sizeof(tenon_error)) return code;
  error->code = code;
  error->status = static_cast<std::uint32_t>(status);
  copy_text(error->name, name);
  copy_text(error->message, message);
  return code;
}

}  // namespace detail

inline Error Error::from_host(tenon_code code, const tenon_error& described) {
  const detail::CodeName known = detail::name_of(code);
  const std::string_view name = detail::text_of(described.name);
  const std::string_view message = detail::text_of(described.message);
  Error error(described.status >= 400 && described.status <= 599
                  ? static_cast<int>(described.status)
                  : known.status,
              std::string(name.empty() ? known.name : name),
              std::string(message.empty()
                              ? std::string_view("The host reported an error without a message.")
                              : message));
  error.cause_ = code;
  return error;
}

}  // namespace tenon
