#include "admin_api/control_socket/registry_commands.hpp"

#include <string>
#include <string_view>

#include "admin_api/control_socket/commands.hpp"
#include "admin_api/plugins/package_admin.hpp"
#include "admin_api/registry/registry_admin.hpp"
#include "routing/request_body.hpp"

namespace tenon::console {

void add_registry_commands(Commands& commands, RegistryAdmin& registry, PackageAdmin& packages) {
  const auto add = [&commands](const char* name, auto work) {
    commands.add(name, [work](std::string_view arguments) -> std::string {
      RequestBody body(arguments);
      const std::string id = body.text("id");
      const std::string version = body.optional_text("version").value_or("");
      body.require_valid("plugins.validation");
      return work(id, version);
    });
  };
  add("registry.order", [&registry](const std::string& id, const std::string& version) {
    return registry.order(id, version);
  });
  add("registry.plan_install",
      [&registry, &packages](const std::string& id, const std::string& version) {
        return packages.plan_kept(registry.fetch_and_keep(id, version));
      });
  commands.add("registry.install", [&registry, &packages](std::string_view arguments) {
    RequestBody body(arguments);
    const std::string id = body.text("id");
    const std::string version = body.optional_text("version").value_or("");
    const auto consents = body.texts("consents", PackageAdmin::max_consents);
    body.require_valid("plugins.validation");
    return packages.install_kept(registry.fetch_and_keep(id, version), consents, {}, local_actor);
  });
}

}  // namespace tenon::console
