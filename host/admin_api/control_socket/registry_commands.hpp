#pragma once

namespace tenon::console {

class Commands;
class PackageAdmin;
class RegistryAdmin;

/// Adds the commands that `tenon plugin` runs with plugins of the configured registry, in a server
/// or without one:
///   registry.order    {"id","version"}             what is to be installed for it, in this order
///   registry.examine  {"id","version"}             what installing this one would do
///   registry.install  {"id","version","consents"}  the plugin
/// An empty version is the newest one that can be installed; registry.examine and registry.install
/// take the latest then. They last as long as the download of the package. Both must outlive
/// `commands`.
void add_registry_commands(Commands& commands, RegistryAdmin& registry, PackageAdmin& packages);

}  // namespace tenon::console
