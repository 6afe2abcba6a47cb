#include "packages/signature/signature.hpp"

#include <cstring>
#include <utility>

#include <sodium.h>

#include "packages/archive/file_list.hpp"
#include "packages/archive/limits.hpp"
#include "packages/archive/package_refusal.hpp"
#include "packages/signature/minisign_text.hpp"

namespace tenon::plugins {

namespace {

constexpr std::string_view signature_comment_prefix = "untrusted comment: ";
constexpr std::string_view trusted = "trusted comment: ";
constexpr std::string_view prehashed = "ED";
constexpr std::string_view legacy = "Ed";
constexpr const char* invalid = "plugins.signature_invalid";

std::string_view text_of(const std::array<unsigned char, 64>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const unsigned char* raw_bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

// Returns the bytes that the second signature covers.
std::string commented(const Signature& signature) {
  return std::string(text_of(signature.bytes)) + signature.trusted_comment;
}

}  // namespace

std::string Signature::key_id() const {
  return key_id_text({reinterpret_cast<const char*>(number.data()), number.size()});
}

std::string Signature::to_text() const {
  std::string head(prehashed);
  head.append(number.begin(), number.end());
  head += text_of(bytes);
  return std::string(signature_comment_prefix) + untrusted_comment + "\n" + base64_of(head) + "\n" +
         std::string(trusted) + trusted_comment + "\n" + base64_of(text_of(over_comment)) + "\n";
}

Signature sign_text(std::string_view text, const SecretKey& key, std::string trusted_comment) {
  Signature made;
  made.untrusted_comment = "signature of FILES from tenon secret key";
  made.number = key.number;
  made.trusted_comment = std::move(trusted_comment);
  const FileHash hash = hash_of(text);
  crypto_sign_detached(made.bytes.data(), nullptr, hash.data(), hash.size(), key.key.data());
  const std::string both = commented(made);
  crypto_sign_detached(made.over_comment.data(), nullptr, raw_bytes(both), both.size(),
                       key.key.data());
  return made;
}

Signature parse_signature(std::string_view text, const std::string& file) {
  if (text.size() > PackageLimits::signature)
    refuse_size(
        "SIGNATURE is larger than " + std::to_string(PackageLimits::signature / 1024) + " KiB.",
        file, "SIGNATURE");
  MinisignText lines(text, file, "plugins.signature_malformed");
  Signature read;
  read.untrusted_comment = lines.comment(signature_comment_prefix);
  const std::string head = lines.base64(prehashed.size() + sizeof read.number + sizeof read.bytes);
  if (head.starts_with(legacy)) {
    refuse_package("plugins.signature_legacy",
                   "The signature is of minisign's old form, which is not taken; sign the package "
                   "with \"tenon plugin sign\".",
                   file, "SIGNATURE");
  }
  if (!head.starts_with(prehashed)) lines.refuse("The algorithm of the signature is not known.");
  std::memcpy(read.number.data(), head.data() + 2, read.number.size());
  std::memcpy(read.bytes.data(), head.data() + 2 + read.number.size(), read.bytes.size());
  read.trusted_comment = lines.comment(trusted);
  const std::string over = lines.base64(sizeof read.over_comment);
  std::memcpy(read.over_comment.data(), over.data(), over.size());
  lines.end();
  return read;
}

void check_signature(const Signature& signature, std::string_view text, const PublicKey& key,
                     const std::string& file) {
  if (signature.number != key.number) {
    refuse_package("plugins.signature_wrong_key",
                   "It is signed by the key " + signature.key_id() + ", not by " + key.id() + ".",
                   file, "SIGNATURE");
  }
  const FileHash hash = hash_of(text);
  if (crypto_sign_verify_detached(signature.bytes.data(), hash.data(), hash.size(),
                                  key.key.data()) != 0) {
    refuse_package(invalid,
                   "The signature is not one of the key " + key.id() +
                       " over FILES: the package was changed after it was signed, or another key "
                       "has this number. Do not use it.",
                   file, "SIGNATURE");
  }
  const std::string both = commented(signature);
  if (crypto_sign_verify_detached(signature.over_comment.data(), raw_bytes(both), both.size(),
                                  key.key.data()) != 0) {
    refuse_package(invalid, "The trusted comment was changed after it was signed.", file,
                   "SIGNATURE");
  }
}

}  // namespace tenon::plugins
