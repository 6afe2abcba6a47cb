#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tenon::console {

/// Reads the members of a JSON object from outside one by one and collects their faults,
/// so that all are reported at once. Not thread-safe.
class RequestBody {
 public:
  /// Throws 400 "json.invalid" when it is no JSON object.
  explicit RequestBody(std::string_view json);
  ~RequestBody();
  RequestBody(const RequestBody&) = delete;
  RequestBody& operator=(const RequestBody&) = delete;

  /// A text that must be there; empty when it is not.
  std::string text(const std::string& name);
  std::optional<std::string> optional_text(const std::string& name);
  std::optional<bool> optional_flag(const std::string& name);
  /// An array of at most `max_count` texts; empty where it is missing.
  std::vector<std::string> texts(const std::string& name, std::size_t max_count);

  void refuse(const std::string& name, const std::string& code, const std::string& message);

  /// Throws 422 "<room>.validation" naming every field that was wrong, and every member that no
  /// function read.
  void require_valid(const std::string& code = "identity.validation");

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tenon::console
