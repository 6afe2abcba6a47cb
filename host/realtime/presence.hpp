#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "http/connection/exchange.hpp"
#include "identity/principal.hpp"
#include "realtime/limits.hpp"
#include "records/model/model.hpp"

namespace tenon::data {
class Database;
}
namespace tenon::identity {
class Permissions;
}
namespace tenon::observability {
class Metrics;
}

namespace tenon::realtime {

/// The topic of a channel that receives who looks at the same records, and the name of its events.
inline constexpr std::string_view presence_topic = "presence";

/// A record that users look at.
struct PresenceKey {
  std::string plugin;
  std::string table;
  std::string id;

  bool operator<(const PresenceKey& other) const noexcept {
    return std::tie(plugin, table, id) < std::tie(other.plugin, other.table, other.id);
  }
};

/// Tracks which users look at which records. Kept in memory only, while the channel that reported
/// it is open. Sent to users who look at the same record and may read it. Thread-safe.
class Presence {
 public:
  /// Both outlive it.
  Presence(const identity::Permissions& permissions, observability::Metrics& metrics,
           std::chrono::milliseconds grace_period = presence_grace_period);
  /// stop()
  ~Presence();
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;

  /// A plugin became active.
  void attach(const std::string& plugin, std::shared_ptr<const records::Model> model,
              std::shared_ptr<data::Database> database);
  /// It is no longer active; its database is not used any more when this returns.
  void detach(const std::string& plugin) noexcept;

  /// Adds a channel that receives presence. Returns its unguessable name. Does not block.
  std::string open(identity::PrincipalPtr principal, std::shared_ptr<http::EventStream> stream);
  /// Removes a channel. Its user has left, unless they look again from another channel within the
  /// grace period. Ignores an unknown name. Does not block.
  void close(const std::string& channel) noexcept;

  /// Records that the channel looks at the record from now on. `state` is the client's description
  /// of how, and may be empty. May block on the plugin's database. Throws 404 "presence.no_channel"
  /// unless it belongs to the session of `asker`, 404 "records.not_found" if `asker` may not read
  /// the record, 429 "presence.too_many_per_channel" and "presence.too_many_per_person", 503
  /// "presence.full".
  void look(const identity::Principal& asker, const std::string& channel, const PresenceKey& record,
            const std::string& state);
  /// Records that the channel no longer looks at the record; others are notified at once. Does
  /// nothing if it did not. Throws 404 "presence.no_channel".
  void leave(const identity::Principal& asker, const std::string& channel,
             const PresenceKey& record);

  /// Stops sending.
  void stop() noexcept;

  /// Returns the number of stored looks.
  std::size_t size() const;

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace tenon::realtime
