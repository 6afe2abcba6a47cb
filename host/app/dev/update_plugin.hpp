#pragma once

#include <string>
#include <vector>

namespace tenon::app {

/// One change of update_sdk_packages(), for people: "ui/sdk/tenon-ui-0.9.0.tgz added".
using UpdateSummary = std::vector<std::string>;

/// Replaces the npm packages of the SDK in the source folder of a plugin, `folder`/ui/sdk, by those
/// of the SDK at `sdk` (…/share/tenon/sdk), and their names in ui/package.json. Removes
/// ui/node_modules if anything changed, so that the next build installs them. Returns what changed;
/// empty if nothing did, or the plugin has no page. Throws base::Error 404 "dev.no_plugin" and
/// "plugins.no_template", and Refusal "plugins.package_write_failed".
UpdateSummary update_sdk_packages(const std::string& folder, const std::string& sdk);

}  // namespace tenon::app
