#include <exception>
#include <string>

#include "observability/log.hpp"
#include "plugins/lifecycle/implementation.hpp"

namespace tenon::plugins {

namespace {

std::string names_of(const std::vector<std::string>& files) {
  std::string text;
  for (const std::string& file : files)
    text += (text.empty() ? "" : ", ") + file;
  return text;
}

}  // namespace

void Lifecycle::Implementation::contract(Plugin& plugin) {
  if (!plugin.activation || !plugin.activation->has_left()) return;
  const std::string files = names_of(plugin.activation->left());
  try {
    plugin.activation->contract();
  } catch (const std::exception& failure) {
    note_pending(plugin, describe(reason_of(failure, "plugins.failed")));
    return;
  }
  observability::log_info("what the version before needed was taken away",
                          {{"plugin", plugin.id}, {"migrations", files}});
  std::optional<Reason>& reason = plugin.status.reason;
  if (!reason || reason->code != contract_pending) return;
  reason.reset();
  announce(plugin.status);
}

// It goes on; where its storage has a fault, that is what its admin is told.
void Lifecycle::Implementation::note_pending(Plugin& plugin, const std::string& why) {
  const std::string text =
      "It runs, but what comes once the version before is gone (" +
      names_of(plugin.activation->left()) + ") is not done: " + why +
      " Enabling the plugin again, or the next start of the server, tries it again.";
  observability::log_error("what the version before needed is still there",
                           {{"plugin", plugin.id}, {"reason", text}});
  std::optional<Reason>& reason = plugin.status.reason;
  if (reason && reason->code != contract_pending && !is_note(*reason)) return;
  reason = Reason{std::string(contract_pending), text, {}, {}};
  announce(plugin.status);
}

}  // namespace tenon::plugins
