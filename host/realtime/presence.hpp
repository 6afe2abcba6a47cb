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

/// The topic of a channel that hears who looks at the same records, and the name of its events.
inline constexpr std::string_view presence_topic = "presence";

/// A record that somebody looks at.
struct PresenceKey {
  std::string plugin;
  std::string table;
  std::string id;

  bool operator<(const PresenceKey& other) const noexcept {
    return std::tie(plugin, table, id) < std::tie(other.plugin, other.table, other.id);
  }
};

/// Who looks at which record. Kept in memory only, for as long as the channel lives on which it was
/// said; told to those who look at the same record and may read it. Thread-safe.
class Presence {
 public:
  /// Both outlive it.
  Presence(const identity::Permissions& permissions, observability::Metrics& metrics,
           std::chrono::milliseconds grace = presence_grace);
  /// stop()
  ~Presence();
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;

  /// A plugin became active.
  void attach(const std::string& plugin, std::shared_ptr<const records::Model> model,
              std::shared_ptr<data::Database> database);
  /// It is no longer active; its database is not used any more when this returns.
  void detach(const std::string& plugin) noexcept;

  /// A channel that is told; returns its name, which nobody can guess. Blocks on nothing.
  std::string open(identity::PrincipalPtr principal, std::shared_ptr<http::EventStream> stream);
  /// Its person has left, unless they look again from another channel within the grace. Of
  /// an unknown name nothing. Blocks on nothing.
  void close(const std::string& channel) noexcept;

  /// The channel looks at the record from now on; `state` is what its client says of how, and may
  /// be empty. May block on the plugin's database. Throws 404 "presence.no_channel" unless it is
  /// one of the asker's session, 404 "records.not_found" where the asker may not read the record,
  /// 429 "presence.too_many_per_channel" and "presence.too_many_per_person", 503 "presence.full".
  void look(const identity::Principal& asker, const std::string& channel, const PresenceKey& record,
            const std::string& state);
  /// It looks at it no longer; others are told at once. Nothing where it did not. Throws 404
  /// "presence.no_channel".
  void leave(const identity::Principal& asker, const std::string& channel,
             const PresenceKey& record);

  /// Tells nobody any more.
  void stop() noexcept;

  /// Looks that are kept.
  std::size_t size() const;

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace tenon::realtime
