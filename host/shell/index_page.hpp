#pragma once

#include <string>
#include <string_view>

#include "http/response/response.hpp"

namespace tenon::shell {

/// The one HTML page of the shell: what the UI build made, with the boot data put in and the policy
/// headers around it. Immutable; any thread.
class IndexPage {
 public:
  /// Reads `<directory>/index.html`. Throws base::Error 500 "shell.ui_missing" when it is not
  /// there, "shell.ui_invalid" when it has no import map or no place for the boot data.
  explicit IndexPage(const std::string& directory);

  /// The page for one request. `boot` is JSON text in which "<" is escaped; `host` the Host field
  /// as sent.
  http::Response render(std::string_view boot, std::string_view host) const;

  /// The policy of a page served under `host`: scripts come from /ui/ only, apart from the import
  /// map, named by its hash.
  std::string policy(std::string_view host) const;

 private:
  std::string before_;
  std::string after_;
  std::string import_map_hash_;  // "'sha256-…'"
};

}  // namespace tenon::shell
