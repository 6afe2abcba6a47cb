#include "openapi/openapi_routes.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/ids.hpp"
#include "http/response/conditional.hpp"
#include "identity/sessions/cookie.hpp"
#include "identity/users/permissions.hpp"
#include "openapi/document.hpp"
#include "routing/context.hpp"
#include "routing/router.hpp"

namespace tenon::openapi {

namespace {

// Weak: what is sent may be compressed.
std::string etag_of(std::string_view text) {
  constexpr std::size_t hash_size = 32;
  return "W/\"" + base::sha256_hex(text).substr(0, hash_size) + "\"";
}

// People for whom it is the same read the same document.
struct Audience {
  bool is_admin = false;
  bool is_secure = false;
  std::vector<std::string> permissions;

  bool operator<(const Audience& other) const {
    return std::tie(is_admin, is_secure, permissions) <
           std::tie(other.is_admin, other.is_secure, other.permissions);
  }

  bool may_call(const routing::Route& route) const {
    switch (route.access) {
      case routing::Access::admin:
        return is_admin;
      case routing::Access::permission:
        return is_admin ||
               std::binary_search(permissions.begin(), permissions.end(), route.permission);
      default:
        return true;
    }
  }
};

struct CachedDocument {
  http::SharedBody text;
  std::string etag;
};

}  // namespace

class OpenApiRoutes::Handler final : public http::Handler {
 public:
  Handler(Options options, const routing::Router& router, const identity::Permissions& permissions)
      : options_(std::move(options)), router_(router), permissions_(permissions) {}

  void handle(const http::ExchangePtr& exchange) override {
    const http::Request& request = exchange->request();
    const identity::Principal& principal = *routing::context(*exchange).principal;
    Audience audience;
    audience.is_admin = principal.role == identity::Role::admin;
    audience.is_secure = request.secure;
    if (!audience.is_admin) audience.permissions = permissions_.held_by(principal);
    const CachedDocument kept = get(audience);
    http::Response response;
    response.with("ETag", kept.etag).with("Cache-Control", "private, no-cache");
    if (http::is_not_modified(request, kept.etag, -1)) {
      response.status = 304;
    } else {
      response.content_type = "application/json";
      response.body = kept.text;
    }
    exchange->respond(std::move(response));
  }

  std::string of_admin() {
    Audience admin;
    admin.is_admin = true;
    std::string text = *get(admin).text;
    // Those of what `core/` says; a JSON text has none within its texts.
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }

 private:
  CachedDocument get(const Audience& audience) {
    const std::lock_guard lock(mutex_);
    // Before the routes are read: a change after that is seen by the next one who asks.
    const std::uint64_t version = router_.version();
    if (version != version_ || (kept_.size() >= max_kept && !kept_.contains(audience)))
      kept_.clear();
    version_ = version;
    CachedDocument& kept = kept_[audience];
    if (!kept.text) {
      try {
        kept.text = std::make_shared<const std::string>(make(audience));
        kept.etag = etag_of(*kept.text);
      } catch (...) {
        kept_.erase(audience);
        throw;
      }
    }
    return kept;
  }

  std::string make(const Audience& audience) const {
    const Whole whole{options_.title, options_.version,
                      std::string(identity::session_cookie_name(audience.is_secure)),
                      options_.owners()};
    return openapi::document(router_.current().sets(), whole,
                             [&](const routing::Route& route) { return audience.may_call(route); });
  }

  const Options options_;
  const routing::Router& router_;
  const identity::Permissions& permissions_;
  std::mutex mutex_;
  std::uint64_t version_ = 0;
  std::map<Audience, CachedDocument> kept_;
};

OpenApiRoutes::OpenApiRoutes(Options options, const routing::Router& router,
                             const identity::Permissions& permissions, http::WorkerShare& share)
    : handler_(std::make_unique<Handler>(std::move(options), router, permissions)), share_(share) {}

OpenApiRoutes::~OpenApiRoutes() = default;

std::string OpenApiRoutes::document() const {
  return handler_->of_admin();
}

std::vector<routing::Route> OpenApiRoutes::routes() const {
  routing::Route route;
  route.pattern = "/api/core/openapi.json";
  route.summary = "Get the description of this API";
  route.handler = handler_.get();
  route.share = &share_;
  return {route};
}

}  // namespace tenon::openapi
