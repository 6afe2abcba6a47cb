#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "identity/principal.hpp"
#include "identity/sessions/sessions.hpp"
#include "identity/sessions/token_digest.hpp"

namespace tenon::identity {

struct LiveSession {
  Session session;
  PrincipalPtr principal;
  std::int64_t stored_use_ms = 0;  ///< last_seen_ms as the database has it
};

/// True once a session has reached one of its ends.
bool has_expired(const Session& session, std::int64_t now_ms,
                 std::chrono::milliseconds idle) noexcept;

/// The sessions in memory, by token digest, in shards with a mutex each that is held for a look-up
/// and never while anything waits: an I/O thread may call use(). Thread-safe.
class SessionTable {
 public:
  explicit SessionTable(std::chrono::milliseconds idle) : idle_(idle) {}

  void insert(const TokenDigest& digest, LiveSession session);

  /// Returns the principal and records the use; null when there is none or the session has expired.
  PrincipalPtr use(const TokenDigest& digest, std::int64_t now_ms) noexcept;

  /// Returns the user's sessions that have not expired, in the order of their beginning.
  std::vector<Session> of_user(std::string_view user_id, std::int64_t now_ms) const;

  /// Takes out what fits and returns it.
  std::vector<Session> remove(const std::function<bool(const Session&)>& fits);

  /// Null leaves a session the principal that it has.
  void replace_principals(const std::function<PrincipalPtr(const Session&)>& make);

  /// The users who have a session.
  std::unordered_set<std::string> users() const;

  void set_generation(std::string_view user_id, std::string_view session_id,
                      std::int64_t generation);

  /// Sessions used at least `after_ms` later than is stored; they count as stored from now on.
  std::vector<Session> take_unstored_uses(std::int64_t after_ms);

  std::size_t size() const noexcept;

 private:
  struct DigestHash {
    std::size_t operator()(const TokenDigest& digest) const noexcept;
  };
  struct alignas(64) Shard {
    mutable std::mutex mutex;
    std::unordered_map<TokenDigest, LiveSession, DigestHash> sessions;
  };
  Shard& shard_of(const TokenDigest& digest) noexcept {
    return shards_[digest[31] % shards_.size()];
  }

  const std::chrono::milliseconds idle_;
  std::array<Shard, 64> shards_;
};

}  // namespace tenon::identity
