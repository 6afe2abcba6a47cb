#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::plugins {

using KeyNumber = std::array<unsigned char, 8>;

/// The public half of a key of minisign.
struct PublicKey {
  KeyNumber number{};
  std::array<unsigned char, 32> key{};

  /// As minisign shows it: "AD8861B7BB506590".
  std::string id() const;
  /// The file that minisign reads with -p.
  std::string to_text() const;
};

/// The secret half. Its bytes are wiped with it.
struct SecretKey {
  KeyNumber number{};
  std::array<unsigned char, 64> key{};  ///< seed and public key, as Ed25519 of libsodium has them

  SecretKey() = default;
  SecretKey(const SecretKey&) = default;
  SecretKey& operator=(const SecretKey&) = default;
  ~SecretKey();

  PublicKey public_key() const;
};

/// The cost of trying a password, by scrypt (crypto_pwhash_scryptsalsa208sha256).
struct PasswordCost {
  std::uint64_t operations = 33'554'432;    ///< minisign's own, and the most that is read
  std::uint64_t memory = 1'073'741'824ull;  ///< bytes; the same
};

/// Makes a key from the system's random numbers.
SecretKey make_key();

/// The file that minisign reads with -s. An empty password: not encrypted, as `minisign -W` leaves
/// it. The text is the caller's to wipe. Throws Refusal "plugins.signature_key_failed" where the
/// memory for the password is not there.
std::string write_secret_key(const SecretKey& key, std::string_view password,
                             const PasswordCost& cost = {});

/// True for the text of a secret key that a password opens. Throws as read_secret_key.
bool is_encrypted_key(std::string_view text, const std::string& file);

/// Reads a secret key that minisign or write_secret_key() made; the password is not looked at
/// where none is needed. Throws Refusal "plugins.signature_key_invalid",
/// "plugins.signature_password_wrong" or "plugins.signature_key_failed" that names `file`.
SecretKey read_secret_key(std::string_view text, std::string_view password,
                          const std::string& file);

/// Throws Refusal "plugins.signature_key_invalid" that names `file`.
PublicKey read_public_key(std::string_view text, const std::string& file);

}  // namespace tenon::plugins
