#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::base {

/// Describes an error in one field of a request body.
struct FieldError {
  std::string field;    ///< name of the field, a dotted path where nested ("owner.name")
  std::string code;     ///< stable, e.g. "required", "too_long"
  std::string message;  ///< one sentence for the person
};

/// An expected failure with a response for the client: bad input, a conflict, a missing thing.
/// Thrown inside the host, turned into problem+json (RFC 9457) at the request boundary.
/// Immutable after construction; safe to copy between threads.
class Error : public std::exception {
 public:
  /// `status` is the HTTP status that fits (400…599), `code` the stable "room.error" name,
  /// `message` a public sentence that says what was wrong, where, and what to do.
  Error(int status, std::string code, std::string message, std::vector<FieldError> fields = {});

  int status() const noexcept { return status_; }
  const std::string& code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  const std::vector<FieldError>& fields() const noexcept { return fields_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  int status_;
  std::string code_;
  std::string message_;
  std::vector<FieldError> fields_;
};

}  // namespace tenon::base
