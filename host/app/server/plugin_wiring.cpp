#include "app/server/plugin_wiring.hpp"

#include "app/commands/plugin_options.hpp"
#include "app/server/core_wiring.hpp"
#include "app/server/settings_to_limits.hpp"

namespace tenon::app {

PluginWiring::PluginWiring(CoreWiring& core, const console::HealthRoutes& health)
    : shell(
          {core.settings.ui, core.settings.docs, core.settings.name, core.settings.is_development},
          core.router, core.bus, core.identity.authenticator(), core.identity.permissions(),
          core.live, health.routes()),
      lifecycle({core.database, core.identity.users(), core.identity.permissions(), core.bus,
                 core.metrics, core.workers, core.router, core.blobs, core.uploads, core.jobs,
                 core.live, &core.http_client},
                lifecycle_options(core.settings, core.handover.restart, shell, search_directory,
                                  core.storage.reserve())),
      packages(core.database, &lifecycle,
               packages_options(core.settings, core.blobs, core.jobs, core.router,
                                core.identity.audit(), core.storage.reserve())),
      search(search_directory, core.identity.permissions()) {
  packages.keyring().on_revoke([this] { shell.forget_former_files(); });
}

}  // namespace tenon::app
