#pragma once

#include <string>

#include "base/error.hpp"

namespace tenon::plugins {

/// The reason why a plugin fails or is refused, for the admin.
struct Reason {
  std::string code;     ///< stable: "plugins.manifest_invalid"
  std::string message;  ///< a sentence or two: what is wrong and what to do
  std::string file;     ///< the file at fault, absolute; empty where none is
  std::string path;     ///< location in a JSON file: "permissions[1].id"; empty where none is
};

/// A plugin, or an action on one, that the host refuses. The public message is the reason with its
/// file name and location.
class Refusal : public base::Error {
 public:
  explicit Refusal(Reason reason, int status = 409);
  const Reason& reason() const noexcept { return reason_; }

 private:
  Reason reason_;
};

/// "plugins.isolation_unavailable": the manifest of `file` requires what this host does not have.
Reason isolation_unavailable(const std::string& file);

/// 404 "plugins.unknown".
base::Error unknown_plugin(const std::string& id);
/// "plugins.installed_from_package": only a plugin of a directory can be loaded or reset in
/// location.
Reason installed_from_package();
/// 409 "plugins.no_server": what only a running server does.
base::Error no_server();

/// The reason in one sentence: "plugin.json: permissions[1].id: must begin with …".
std::string describe(const Reason& reason);

/// The reason of any exception: a Refusal's own, a base::Error's code and message, else `code` with
/// what() said.
Reason reason_of(const std::exception& failure, std::string_view code);

}  // namespace tenon::plugins
