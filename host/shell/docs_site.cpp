#include "shell/docs_site.hpp"

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "http/parser/request.hpp"

namespace tenon::shell {

namespace {

constexpr std::string_view prefix = "/docs";
constexpr std::string_view assets_folder = "assets/";

// The site has scripts of its own files alone. Its code blocks have inline styles. The examples of
// components are in frames of the site itself.
std::vector<std::pair<std::string, std::string>> policy() {
  return {
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' "
       "data:; font-src 'self'; connect-src 'self'; frame-src 'self'; base-uri 'none'; "
       "form-action 'none'; frame-ancestors 'self'"},
      {"Referrer-Policy", "same-origin"},
      {"Cross-Origin-Opener-Policy", "same-origin"}};
}

}  // namespace

DocsSite::DocsSite(std::string directory) : directory_(std::move(directory)) {
  std::error_code failure;
  if (!std::filesystem::exists(directory_ + "/index.html", failure)) return;
  http::StaticOptions options;
  options.fields = policy();
  pages_ = http::StaticTree::load(directory_, options);
  options.is_immutable = true;
  assets_ = http::StaticTree::load(directory_ + "/assets", options);
}

http::Response DocsSite::respond(const http::Request& request) const {
  if (!pages_) {
    throw base::Error(404, "shell.docs_missing",
                      "The documentation is not installed in " + directory_ +
                          ". Build it with ./dev docs, or name its folder with --docs.");
  }
  std::string path(request.path.substr(prefix.size()));
  if (path.empty()) {
    http::Response response;
    response.status = 308;
    response.with("Location", std::string(prefix) + "/");
    return response;
  }
  path.erase(0, 1);
  if (path.starts_with(assets_folder))
    return assets_->respond(request, std::string_view(path).substr(assets_folder.size()));
  if (path.empty() || path.ends_with('/')) path += "index.html";
  if (pages_->has(path)) return pages_->respond(request, path);
  // Links to a page without its ending.
  if (pages_->has(path + ".html")) return pages_->respond(request, path + ".html");
  http::Response response = pages_->respond(request, "404.html");
  if (response.status == 200) response.status = 404;
  return response;
}

}  // namespace tenon::shell
