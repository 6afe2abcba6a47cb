#include "lifecycle/public_paths.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "lifecycle/plugin_states.hpp"
#include "routing/router.hpp"

namespace tenon::plugins {

void PublicPaths::refresh() {
  const std::lock_guard lock(mutex_);
  refresh_locked();
}

// The lock keeps an older list from being forwarded last.
void PublicPaths::refresh_locked() {
  if (router_ == nullptr) return;
  auto grants = std::make_shared<const Grants>(store_.all());
  std::vector<routing::Forwarding> forwarded;
  for (const PublicPathGrant& one : *grants)
    forwarded.push_back({one.path, "/api/" + one.plugin});
  router_->forward(forwarded);
  grants_ = std::move(grants);
}

std::shared_ptr<const PublicPaths::Grants> PublicPaths::grants() const {
  if (router_ == nullptr) return std::make_shared<const Grants>(store_.all());
  const std::lock_guard lock(mutex_);
  return grants_;
}

void PublicPaths::grant(const PluginStatus& plugin, const std::string& path,
                        const std::string& actor) {
  const bool is_declared =
      std::any_of(plugin.public_paths.begin(), plugin.public_paths.end(),
                  [&path](const DeclaredPublicPath& one) { return one.path == path; });
  if (!is_declared) {
    throw base::Error(404, "plugins.public_path_unknown",
                      "The plugin \"" + plugin.id + "\" does not ask for the path \"" + path +
                          "\"; its plugin.json lists those that it asks for.");
  }
  const std::lock_guard lock(mutex_);
  store_.grant({path, plugin.id, base::unix_milliseconds(), actor});
  refresh_locked();
}

void PublicPaths::revoke(const std::string& plugin, const std::string& path) {
  const std::lock_guard lock(mutex_);
  if (!store_.revoke(plugin, path)) {
    throw base::Error(404, "plugins.public_path_unknown",
                      "The plugin \"" + plugin + "\" is not served at \"" + path + "\".");
  }
  refresh_locked();
}

}  // namespace tenon::plugins
