#include "app/commands/signing_key.hpp"

#include <cstdio>
#include <iostream>

#include <sodium.h>
#include <unistd.h>

#include "packages/archive/file_access.hpp"
#include "packages/archive/limits.hpp"

namespace tenon::app {

namespace {

constexpr const char* key_invalid = "plugins.signature_key_invalid";

}  // namespace

using plugins::PackageLimits;

Secret::~Secret() {
  sodium_memzero(text.data(), text.size());
}

void read_password(Secret& password) {
  if (isatty(STDIN_FILENO) != 0) std::fputs("Password: ", stderr);
  if (!std::getline(std::cin, password.text))
    throw UsageError("--password-stdin: there is nothing on standard input");
  if (password.text.ends_with('\r')) password.text.pop_back();
  if (password.text.empty() || password.text.size() > PackageLimits::password)
    throw UsageError("--password-stdin: a password of 1 to " +
                     std::to_string(PackageLimits::password) + " bytes is expected");
}

void require_signing_key(const Arguments& given) {
  if (given.value("--key").empty()) throw UsageError("needs --key KEY, the file that keygen made");
}

plugins::SecretKey read_signing_key(const Arguments& given) {
  require_signing_key(given);
  const std::string key_file = given.value("--key");
  Secret text;
  text.text = plugins::read_bounded(key_file, PackageLimits::key_file, key_invalid);
  Secret password;
  if (plugins::is_encrypted_key(text.text, key_file)) {
    if (!given.has("--password-stdin"))
      throw UsageError("the key has a password; give it with --password-stdin");
    read_password(password);
  }
  return plugins::read_secret_key(text.text, password.text, key_file);
}

plugins::PublicKey read_checking_key(const std::string& file) {
  return plugins::read_public_key(plugins::read_bounded(file, PackageLimits::key_file, key_invalid),
                                  file);
}

}  // namespace tenon::app
