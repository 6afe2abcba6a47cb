#pragma once

#include <string>
#include <string_view>

#include "http/response/response.hpp"

namespace tenon::shell {

/// The page that shows the API's description: what the UI build made, with the policy headers
/// around it. Immutable; any thread.
class DocsPage {
 public:
  /// Reads `<directory>/api-docs.html`; where it is not there, render() says so.
  explicit DocsPage(const std::string& directory);

  /// `host` is the Host field as sent. Throws base::Error 503 "shell.ui_missing".
  http::Response render(std::string_view host) const;

 private:
  std::string path_;
  std::string page_;
};

}  // namespace tenon::shell
