#include "installer/rollback_hint.hpp"

#include "base/clock.hpp"

namespace tenon::plugins {

std::string rollback_hint(const std::string& id, const std::optional<InstalledVersion>& kept) {
  if (kept && !kept->snapshot.empty()) {
    return " Version " + kept->version + " is kept with its data (" +
           base::rfc3339(kept->remaining_ms) +
           "). Roll back to it, in the console or by \"tenon plugin rollback " + id +
           "\"; --plan shows what would be lost.";
  }
  return " No earlier version is kept with its data, so the older one can only start empty: remove "
         "the plugin first, by \"tenon plugin remove " +
         id + " --data-policy export\".";
}

}  // namespace tenon::plugins
