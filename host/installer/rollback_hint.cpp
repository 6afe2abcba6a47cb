#include "installer/rollback_hint.hpp"

#include "base/clock.hpp"

namespace tenon::plugins {

std::string way_back(const std::string& id, const std::optional<InstalledVersion>& kept) {
  if (kept && !kept->snapshot.empty()) {
    return " Version " + kept->version + " is kept, with the data as it left them (" +
           base::rfc3339(kept->remaining_ms) +
           "). Roll back to it, in the console or by \"tenon plugin rollback " + id +
           "\"; with --plan that says what would be lost.";
  }
  return " No earlier version is kept with its data, so the older one can only begin anew: remove "
         "the plugin first, by \"tenon plugin remove " +
         id + " --data-policy export\".";
}

}  // namespace tenon::plugins
