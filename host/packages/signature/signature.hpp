#pragma once

#include <array>
#include <string>
#include <string_view>

#include "packages/signature/keys.hpp"

namespace tenon::plugins {

/// A signature of minisign in its prehashed form: Ed25519 over BLAKE2b-512 of a text, and over that
/// signature with the trusted comment.
struct Signature {
  std::string untrusted_comment;  ///< anybody may have changed it
  KeyNumber number{};             ///< of the key; anybody may have changed it
  std::array<unsigned char, 64> bytes{};
  std::string trusted_comment;
  std::array<unsigned char, 64> over_comment{};

  /// The signing key as minisign shows it.
  std::string key_id() const;
  std::string to_text() const;
};

/// Signs `text`. The same key, text and comment give the same signature.
Signature sign_text(std::string_view text, const SecretKey& key, std::string trusted_comment);

/// Reads a signature of minisign. Throws Refusal "plugins.signature_malformed",
/// "plugins.signature_legacy" (one over the text itself, which minisign makes with -l) or
/// "plugins.package_too_large" that names `file` and the line.
Signature parse_signature(std::string_view text, const std::string& file);

/// Throws Refusal "plugins.signature_wrong_key" or "plugins.signature_invalid" that names `file`,
/// unless `key` made the signature over `text` and the comment over that.
void check_signature(const Signature& signature, std::string_view text, const PublicKey& key,
                     const std::string& file);

}  // namespace tenon::plugins
