#pragma once

namespace tenon::console {

class Commands;
class PackageAdmin;
class RegistryAdmin;

/// Adds the commands that `tenon plugin` runs with plugins of the configured registry, in a server
/// or without one:
///   registry.order         {"id","version"}             the plugins to install for it, in order
///   registry.plan_install  {"id","version"}             what installing this one would do
///   registry.install       {"id","version","consents"}  the plugin
/// An empty version is the newest one that can be installed; for registry.plan_install and
/// registry.install, the latest. They take as long as the download of the package. Both must
/// outlive `commands`.
void add_registry_commands(Commands& commands, RegistryAdmin& registry, PackageAdmin& packages);

}  // namespace tenon::console
