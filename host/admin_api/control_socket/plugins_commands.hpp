#pragma once

#include <string>

namespace tenon::observability {
class Audit;
}
namespace tenon::plugins {
class StoredPlugins;
}

namespace tenon::console {

class Commands;
class ExportAdmin;
class PackageAdmin;
class PluginAdmin;
class SettingsAdmin;

/// Adds what `tenon plugin …` runs in a server:
///   plugin.list     {}      {"items":[plugin…],"next":null}
///   plugin.enable   {"id"}  the plugin, when it is active
///   plugin.disable  {"id"}  the plugin, when it is closed
///   plugin.grant_path   {"id","path"}  the plugin
///   plugin.revoke_path  {"id","path"}  {}
/// A plugin is the item of GET /api/core/plugins. `admin` must outlive `commands`.
void add_plugin_commands(Commands& commands, PluginAdmin& admin);

/// Adds the same names for use without a server: they list what is present and set what the next
/// start enables. `stored` and `audit` must outlive `commands`.
void add_stored_plugin_commands(Commands& commands, plugins::StoredPlugins& stored,
                                observability::Audit& audit);

/// Adds the commands for settings, in a server or without one; both return SettingsAdmin::show():
///   plugin.settings     {"id"}
///   plugin.set_setting  {"id","key","json"}  "json" is the text of the value; "null": the default
void add_settings_commands(Commands& commands, SettingsAdmin& admin);

/// Returns the item of one of these plugins. Throws 404 "plugins.unknown".
std::string stored_plugin_json(const plugins::StoredPlugins& stored, const std::string& id);

/// Adds the commands for packages and keys, in a server or without one:
///   plugin.install   {"file","consents","data"}   the plugin; "data" is missing, or an export: its
///                                                 absolute path, or its name
///   plugin.plan_install   {"file"}        what installing it would do
///   plugin.rollback  {"id"}                the plugin
///   plugin.plan_rollback  {"id"}           what it would do
///   plugin.remove    {"id","data"}         {"export"}: its name, empty where none was asked for
///   plugin.keys      {}                    {"items":[key…],"next":null}
///   plugin.trust     {"key","name"}        the key
///   plugin.revoke    {"key","reason"}      the key, which is named by its number
///   plugin.forget    {"key"}               {}
/// The caller names files by absolute paths; the process that runs the command reads them. `admin`
/// must outlive `commands`.
void add_package_commands(Commands& commands, PackageAdmin& admin);

/// Adds the commands for exports:
///   plugin.exports        {}        {"items":[export…],"next":null}
///   plugin.delete_export  {"name"}  {}
void add_export_commands(Commands& commands, ExportAdmin& admin);

}  // namespace tenon::console
