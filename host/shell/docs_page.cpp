#include "shell/docs_page.hpp"

#include <fstream>
#include <iterator>

#include "base/error.hpp"
#include "shell/page_policy.hpp"

namespace tenon::shell {

DocsPage::DocsPage(const std::string& directory) : path_(directory + "/api-docs.html") {
  std::ifstream file(path_, std::ios::binary);
  if (file) page_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

http::Response DocsPage::render(std::string_view host) const {
  if (page_.empty()) {
    throw base::Error(503, "shell.ui_missing",
                      path_ + " cannot be read. Build the UI, or name its folder with --ui.");
  }
  return page_response(page_, page_policy(host, {}));
}

}  // namespace tenon::shell
