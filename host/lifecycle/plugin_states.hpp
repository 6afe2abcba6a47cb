#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "packages/manifest/manifest.hpp"
#include "packages/reason.hpp"

namespace tenon::observability {
class MetricsSink;
}

namespace tenon::plugins {

class Loader;

/// Failed: it could not be activated. Quarantined: the host does not try, for the server went down.
enum class State : std::uint8_t {
  discovered,
  resolved,
  loaded,
  active,
  disabled,
  failed,
  quarantined
};

/// "discovered", "resolved", …
std::string_view to_string(State state) noexcept;

/// Progress of a migration of the plugin's data to this version.
struct MigrationStatus {
  std::uint32_t number = 0;
  std::string name;
  std::int64_t done = 0;
  std::int64_t total = 0;  ///< 0: not known
};

/// A plugin as the admin sees it.
struct PluginStatus {
  std::string id;
  std::string folder;  ///< absolute
  std::string name;    ///< the id where the manifest cannot be read
  std::string description;
  std::string version;
  std::string author;
  std::string license;  ///< an SPDX expression; empty: none is stated
  State state = State::discovered;
  bool enabled = true;                            ///< what the admin wants
  std::optional<MigrationStatus> migration = {};  ///< while one that is a function runs
  std::optional<Reason>
      reason;  ///< why it is not active, or what its storage suffers from while active
  bool has_library = false;  ///< its manifest names an ABI
  std::uint32_t abi_major = 0;
  std::uint32_t abi_minor = 0;
  std::size_t routes = 0;  ///< while active
  std::vector<std::string> tables;
  std::vector<DeclaredPermission> permissions;
  std::vector<std::string> response_headers;     ///< policy headers that its responses may have
  std::vector<std::string> outgoing;             ///< servers that it may send requests to
  std::vector<DeclaredPublicPath> public_paths;  ///< that it asks for, granted or not
  bool has_ui = false;
  std::uint64_t generation = 0;  ///< of the newest activation; 0 before the first
  bool is_duplicate = false;     ///< a second folder with an id that another has
  std::string signer;            ///< number of the key of the package that it came in; may be empty
  std::string previous_version;  ///< what it can be rolled back to; empty: nothing
};

/// Describes the state of a plugin to another that calls it: "is disabled". Null: the plugin is
/// missing.
std::string in_words(const PluginStatus* status);

/// All plugins at one moment, sorted by id; a duplicate follows the one that has the id. Immutable.
using Listing = std::vector<std::shared_ptr<const PluginStatus>>;

/// States, what is still mapped, and troubles of the plugins, for /metrics.
void write_metrics(const Listing& listing, const Loader& loader, observability::MetricsSink& sink);

/// Holds the current listing. Thread-safe.
class PluginStates {
 public:
  PluginStates();

  std::shared_ptr<const Listing> current() const;
  /// Null when there is none.
  std::shared_ptr<const PluginStatus> find(std::string_view id) const;

  /// Replaces the whole listing.
  void replace(Listing listing);
  /// Replaces the entry with the same id, or adds one.
  void update(PluginStatus status);
  /// Removes one.
  void remove(std::string_view id);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Listing> listing_;
};

}  // namespace tenon::plugins
