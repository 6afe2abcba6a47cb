#include "base/error.hpp"

#include <utility>

namespace tenon::base {

Error::Error(int status, std::string code, std::string message, std::vector<FieldError> fields)
    : status_(status),
      code_(std::move(code)),
      message_(std::move(message)),
      fields_(std::move(fields)) {}

}  // namespace tenon::base
