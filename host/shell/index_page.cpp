#include "shell/index_page.hpp"

#include <fstream>
#include <iterator>

#include <sodium.h>

#include "base/error.hpp"
#include "shell/page_policy.hpp"

namespace tenon::shell {

namespace {

constexpr std::string_view boot_marker = "<!--tenon:boot-->";
constexpr std::string_view map_begin = "<script type=\"importmap\">";
constexpr std::string_view map_end = "</script>";

std::string csp_hash(std::string_view text) {
  unsigned char digest[crypto_hash_sha256_BYTES];
  crypto_hash_sha256(digest, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  char encoded[sodium_base64_ENCODED_LEN(crypto_hash_sha256_BYTES, sodium_base64_VARIANT_ORIGINAL)];
  sodium_bin2base64(encoded, sizeof encoded, digest, sizeof digest, sodium_base64_VARIANT_ORIGINAL);
  return std::string("'sha256-") + encoded + "'";
}

}  // namespace

IndexPage::IndexPage(const std::string& directory) {
  const std::string path = directory + "/index.html";
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw base::Error(500, "shell.ui_missing",
                      path + " cannot be read. Build the UI, or name its folder with --ui.");
  }
  const std::string page{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto invalid = [&](std::string_view what) {
    return base::Error(500, "shell.ui_invalid",
                       path + " holds no \"" + std::string(what) + "\". Build the UI again.");
  };
  const std::size_t marker = page.find(boot_marker);
  if (marker == std::string::npos) throw invalid(boot_marker);
  std::size_t map = page.find(map_begin);
  if (map == std::string::npos) throw invalid(map_begin);
  map += map_begin.size();
  const std::size_t end = page.find(map_end, map);
  if (end == std::string::npos) throw invalid(map_end);

  import_map_hash_ = csp_hash(std::string_view(page).substr(map, end - map));
  before_ = page.substr(0, marker) + "<script type=\"application/json\" id=\"tenon-boot\">";
  after_ = "</script>" + page.substr(marker + boot_marker.size());
}

std::string IndexPage::policy(std::string_view host) const {
  return page_policy(host, import_map_hash_);
}

http::Response IndexPage::render(std::string_view boot, std::string_view host) const {
  std::string body;
  body.reserve(before_.size() + boot.size() + after_.size());
  body.append(before_).append(boot).append(after_);
  return page_response(std::move(body), policy(host));
}

}  // namespace tenon::shell
