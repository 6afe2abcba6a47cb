#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packages/signature/keys.hpp"

namespace tenon::data {
class Database;
}

namespace tenon::plugins {

enum class Trust : std::uint8_t { unknown, trusted, revoked };

/// "unknown", "trusted", "revoked".
std::string_view to_string(Trust trust) noexcept;

/// A key that an admin decided on.
struct KnownKey {
  std::string number;  ///< as minisign shows it, 16 digits
  std::string key;     ///< the line of its file; empty if it was revoked without its file
  std::string name;    ///< the owner, as the admin wrote it
  Trust trust = Trust::unknown;
  std::string reason;  ///< why it was revoked
  std::int64_t changed_ms = 0;
  std::string changed_by;  ///< id of a user, or "local"
};

/// The keys that admins trust or have revoked, in the host's database.
/// Thread-safe; blocks on it.
class Keyring {
 public:
  static constexpr std::size_t max_keys = 1'000;
  static constexpr std::size_t max_name = 100;    ///< bytes
  static constexpr std::size_t max_reason = 500;  ///< bytes

  /// The tables must be there (see host_tables.hpp).
  explicit Keyring(data::Database& database) noexcept : database_(database) {}

  /// By their numbers.
  std::vector<KnownKey> list() const;
  std::optional<KnownKey> find(std::string_view number) const;

  /// Trusts a key: packages that it signed may be installed. Durable on return. Throws
  /// Refusal 409 "plugins.signature_key_revoked" for one that was revoked,
  /// "plugins.signature_key_conflict" where another key has its number, 422
  /// "plugins.signature_key_invalid" for a name beyond its bounds, 409
  /// "plugins.signature_too_many_keys".
  KnownKey trust(const PublicKey& key, const std::string& name, const std::string& actor);

  /// Revokes the key of this number, known or not: packages that it signed are neither installed
  /// nor loaded. It cannot be trusted again. Throws Refusal 422 "plugins.signature_key_invalid" for
  /// what is no number, or a reason beyond its bounds; as trust().
  KnownKey revoke(const std::string& number, const std::string& reason, const std::string& actor);

  /// Sets a function that is called after every revoke() of this object; set it before others use
  /// it.
  void on_revoke(std::function<void()> listener) { on_revoke_ = std::move(listener); }

  /// Forgets a key that was trusted. Throws Refusal 404 "plugins.signature_key_unknown", 409
  /// "plugins.signature_key_revoked".
  void forget(const std::string& number);

  /// The key that signed, for Contents. Throws Refusal 409 "plugins.signer_unknown" or
  /// "plugins.signer_revoked" that names `file` and says what to do.
  PublicKey require_trusted(const std::string& number, const std::string& file) const;

  /// Throws Refusal 409 "plugins.signer_revoked" that names `file` where the key was revoked.
  void require_not_revoked(const std::string& number, const std::string& file) const;

  /// The key that a plugin's packages were signed with so far; empty where none was installed.
  std::string pin(std::string_view plugin) const;

 private:
  data::Database& database_;
  std::function<void()> on_revoke_;
};

/// The key of `text`: the file that minisign writes, or its second line alone. Throws as
/// read_public_key().
PublicKey read_given_key(std::string_view text, const std::string& file);

/// True for 16 upper-case hexadecimal digits.
bool is_key_number(std::string_view text) noexcept;

}  // namespace tenon::plugins
