#pragma once

#include <string>

#include "app/commands/arguments.hpp"
#include "packages/signature/keys.hpp"

namespace tenon::app {

/// Text that is wiped when it goes.
struct Secret {
  std::string text;
  Secret() = default;
  ~Secret();
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
};

/// Reads the password of --password-stdin. Throws UsageError if there is none.
void read_password(Secret& password);

/// Throws UsageError if --key is missing.
void require_signing_key(const Arguments& given);

/// The secret key of the file --key, opened with --password-stdin where it has a password. Throws
/// UsageError where either is missing, and as read_secret_key().
plugins::SecretKey read_signing_key(const Arguments& given);

/// The public key of a file. Throws as read_public_key().
plugins::PublicKey read_checking_key(const std::string& file);

}  // namespace tenon::app
