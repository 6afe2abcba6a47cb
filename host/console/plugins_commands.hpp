#pragma once

namespace tenon::plugins {
class StoredPlugins;
}

namespace tenon::console {

class Commands;
class PluginsDesk;

/// Adds what `tenon plugin …` runs in a server:
///   plugin.list     {}      {"items":[plugin…],"next":null}
///   plugin.enable   {"id"}  the plugin, when it is active
///   plugin.disable  {"id"}  the plugin, when it is closed
/// A plugin is the item of GET /api/core/plugins. `desk` must outlive `commands`.
void add_plugin_commands(Commands& commands, PluginsDesk& desk);

/// The same names where no server runs: they list what is there and say what the next start
/// enables. `stored` must outlive `commands`.
void add_stored_plugin_commands(Commands& commands, plugins::StoredPlugins& stored);

}  // namespace tenon::console
