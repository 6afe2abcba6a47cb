#include "store/problems.hpp"

#include <utility>

namespace notes {

tenon::Error not_found() {
  return {404, "notes.not_found", "This is not here (any more)."};
}

tenon::Error invalid(std::string field, std::string code, std::string message) {
  std::string summary = message;
  return {422,
          "notes.validation",
          std::move(summary),
          {{std::move(field), std::move(code), std::move(message)}}};
}

tenon::Error bad_query(const std::string& name) {
  return {400, "notes.bad_query", "'" + name + "' has a value that is not understood here."};
}

}  // namespace notes
