#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "identity/clock.hpp"

namespace tenon::data {
class Database;
}

namespace tenon::identity {

/// The host names that requests may address: those of the key http.hosts and those stored in the
/// host database. A request for another name is refused, because its page came from another site
/// that points its own name at this server (DNS rebinding). Addresses and "localhost" need no
/// entry: no other site can have them as its name. Without any entry all names are allowed.
/// Thread-safe. Functions that change or read what is stored block on the database.
class AllowedHosts {
 public:
  /// Names that are stored at most.
  static constexpr std::size_t max_stored = 100;
  /// As an entry of http.hosts: all names are allowed, whatever else is listed.
  static constexpr std::string_view any = "*";

  struct StoredHost {
    std::string name;
    std::int64_t added_ms = 0;  ///< since 1970
  };

  /// Reads what is stored. `configured`: names as host_name() returns them, or `any`. `database`
  /// must outlive it.
  AllowedHosts(data::Database& database, Clock clock, std::vector<std::string> configured);

  /// False while all names are allowed. Never blocks.
  bool is_enforced() const noexcept { return is_enforced_.load(std::memory_order_relaxed); }
  /// True when requests may have this value of Host. For I/O threads.
  bool allows(std::string_view host) const { return !is_enforced() || is_known(host); }
  /// True when the value of Host is listed, an address, "localhost" or empty, or http.hosts has
  /// `any`. For I/O threads.
  bool is_known(std::string_view host) const;

  std::vector<StoredHost> stored() const;
  /// Stores a name or HOST:PORT, of which the port does not count. True: it was not stored before.
  /// Throws base::Error 422 "identity.bad_host" and 409 "identity.too_many_hosts".
  bool add(std::string_view host);
  /// False: it was not stored.
  bool remove(std::string_view host);
  /// Stores the name that the first admin uses, unless names are configured or it is an address or
  /// "localhost". Returns what was stored, or an empty text.
  std::string learn(std::string_view host);
  /// Reads what other servers or commands have stored.
  void reload();

 private:
  using Names = std::vector<std::string>;
  const Names& names() const;

  data::Database& database_;
  const Clock clock_;
  const Names configured_;
  const bool allows_any_;
  std::mutex reload_mutex_;  // held while the database is read; no I/O thread takes it
  mutable std::mutex mutex_;
  std::shared_ptr<const Names> names_;     // configured and stored
  std::atomic<std::uint64_t> version_{0};  // of names_; no two objects have the same one
  std::atomic<bool> is_enforced_{false};
};

/// The name of "HOST", "HOST." or "HOST:PORT" in lower case; empty when HOST is not a host name of
/// letters, digits, "-", "_" and dots with at most 253 bytes, or is an address.
std::string host_name(std::string_view host);

}  // namespace tenon::identity
