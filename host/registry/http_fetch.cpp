#include "registry/http_fetch.hpp"

#include <optional>

#include "base/error.hpp"
#include "http_client/exchange.hpp"
#include "http_client/failure.hpp"
#include "http_client/url.hpp"
#include "registry/limits.hpp"
#include "registry/registry_refusal.hpp"

namespace tenon::plugins {

namespace {

using http_client::Url;

[[noreturn]] void refuse(const std::string& url, const std::string& what) {
  throw Refusal({"plugins.registry_unreachable", url + ": " + what, {}, {}}, 502);
}

Url parse(const std::string& text) {
  try {
    return http_client::parse_url(text);
  } catch (const base::Error& error) {
    refuse(text, error.message());
  }
}

class Fetch {
 public:
  Fetch(const FetchBounds& bounds, std::uint64_t max_bytes,
        const std::function<void(std::string_view)>& sink)
      : bounds_{bounds.deadline, bounds.stop, RegistryLimits::silence},
        max_bytes_(max_bytes),
        sink_(sink) {}

  // Returns the target of a redirect; nothing if the content was passed on.
  std::optional<Url> get(const Url& url) const {
    const std::string text = url.text();
    std::string location;
    bool is_redirected = false;
    http_client::ResponseSink sink;
    sink.on_head = [&](const http_client::ResponseHead& head) {
      is_redirected = http_client::is_redirect(head.status);
      if (is_redirected) {
        const std::string* to = head.find("Location");
        if (to != nullptr) location = *to;
        return false;
      }
      require_content(text, head);
      return true;
    };
    sink.on_body = sink_;
    static const std::vector<http_client::Field> fields{{"Accept-Encoding", "identity"}};
    try {
      http_client::exchange({"GET", url, fields}, bounds_, {}, max_bytes_, sink);
    } catch (const http_client::Failure& failure) {
      if (failure.kind() != http_client::Failure::Kind::too_large) refuse(text, failure.what());
      refuse_index_size(text + ": " + failure.what(), {});
    }
    if (!is_redirected) return std::nullopt;
    return target_of(url, location);
  }

 private:
  static void require_content(const std::string& url, const http_client::ResponseHead& head) {
    if (head.status != 200)
      refuse(url, "The response is " + std::to_string(head.status) + " " + head.reason + ".");
    const std::string* coding = head.find("Content-Encoding");
    if (coding != nullptr && *coding != "identity")
      refuse(url, "The response is encoded as " + *coding + ", which was not asked for.");
  }

  static Url target_of(const Url& from, const std::string& location) {
    try {
      Url to = http_client::resolve(from, location);
      if (!from.is_secure || to.is_secure) return to;
    } catch (const base::Error& error) {
      refuse(from.text(), error.message());
    }
    refuse(from.text(), "It redirects from https to http, which is not protected.");
  }

  const http_client::Bounds bounds_;
  const std::uint64_t max_bytes_;
  const std::function<void(std::string_view)>& sink_;
};

}  // namespace

void fetch_url(const std::string& url, std::uint64_t max_bytes, const FetchBounds& bounds,
               const std::function<void(std::string_view)>& sink) {
  const Fetch fetch(bounds, max_bytes, sink);
  std::optional<Url> next = parse(url);
  for (int i = 0; i <= RegistryLimits::redirects; ++i) {
    next = fetch.get(*next);
    if (!next) return;
  }
  refuse(url, "It redirects more than " + std::to_string(RegistryLimits::redirects) + " times.");
}

}  // namespace tenon::plugins
