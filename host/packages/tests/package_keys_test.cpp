#include <gtest/gtest.h>

#include "packages/archive/limits.hpp"
#include "packages/signature/keys.hpp"
#include "packages/signature/minisign_text.hpp"
#include "packages/signature/signature.hpp"
#include "packages/tests/plugin_folder.hpp"

namespace tenon::plugins {
namespace {

// Made by minisign 0.11 (`minisign -G -W`, `minisign -Sm`), over "hi\n".
constexpr const char* foreign_public =
    "untrusted comment: minisign public key AD8861B7BB506590\n"
    "RWSQZVC7t2GIrSPDLs0U3H2+HsFRVMuifDRAL3Yhw5mC2hftv4gYL9eN\n";
constexpr const char* foreign_secret =
    "untrusted comment: minisign encrypted secret key\n"
    "RWQAAEIyAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAkGVQu7dhiK1GwGhwjSwBvB"
    "ZU"
    "+3LIgnE6mDaShMOfUDUPVLn5SeyNqCPDLs0U3H2+"
    "HsFRVMuifDRAL3Yhw5mC2hftv4gYL9eNAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAA=\n";
constexpr const char* foreign_signature =
    "untrusted comment: signature from minisign secret key\n"
    "RUSQZVC7t2GIrYDlkItCWtVhOr2rJx7tTpXeOQUtByB+lvb+rsOfpG+DRA2iMReEDO0do6B6DRnBdJCg+"
    "DijsQXAwHSordTZUwY="
    "\n"
    "trusted comment: timestamp:1795388104\tfile:FILES\thashed\n"
    "+OL0XHyp0wOCNMlMFjMX8JCaaDkg1HZeLL4FXGFq8F8wmhImeb0NmUa75/X4fl6Og4h1ZVT3qMiV1xoapH3aBA==\n";

constexpr const char* key_invalid = "plugins.signature_key_invalid";
// Quick to try; the real cost is that of minisign, which the integration test pays.
constexpr PasswordCost cheap{32768, 16 * 1024 * 1024};

std::string refused_secret(const std::string& text, const std::string& password = {}) {
  return test::refused([&] { read_secret_key(text, password, "x.key"); });
}

std::string refused_signature(const std::string& text) {
  return test::refused([&] { parse_signature(text, "x.tenon"); });
}

std::string refused_check(const Signature& signature, std::string_view text, const PublicKey& key) {
  return test::refused([&] { check_signature(signature, text, key, "x.tenon"); });
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

TEST(PackageKeys, ReadsKeysOfMinisign) {
  const PublicKey half = read_public_key(foreign_public, "x.pub");
  EXPECT_EQ(half.id(), "AD8861B7BB506590");
  EXPECT_EQ(half.to_text(), foreign_public);
  const SecretKey key = read_secret_key(foreign_secret, "", "x.key");
  EXPECT_EQ(key.public_key().to_text(), foreign_public);
  EXPECT_EQ(write_secret_key(key, ""), foreign_secret);
  EXPECT_FALSE(is_encrypted_key(foreign_secret, "x.key"));
  const Signature signature = parse_signature(foreign_signature, "x.tenon");
  EXPECT_EQ(signature.key_id(), "AD8861B7BB506590");
  EXPECT_EQ(signature.to_text(), foreign_signature);
  EXPECT_EQ(refused_check(signature, "hi\n", half), "");
  EXPECT_EQ(sign_text("hi\n", key, signature.trusted_comment).bytes, signature.bytes);
  EXPECT_EQ(sign_text("hi\n", key, signature.trusted_comment).over_comment, signature.over_comment);
}

TEST(PackageKeys, OpensKeysByTheirPassword) {
  const SecretKey key = make_key();
  const std::string text = write_secret_key(key, "open sesame", cheap);
  EXPECT_TRUE(is_encrypted_key(text, "x.key"));
  EXPECT_EQ(read_secret_key(text, "open sesame", "x.key").key, key.key);
  EXPECT_EQ(read_secret_key(text, "open sesame", "x.key").number, key.number);
  EXPECT_EQ(refused_secret(text, "open sesame "), "plugins.signature_password_wrong");
  EXPECT_EQ(refused_secret(text), "plugins.signature_password_wrong");
  EXPECT_NE(write_secret_key(key, "open sesame", cheap), text) << "the salt is new each time";
  EXPECT_NE(make_key().key, key.key);
}

TEST(PackageKeys, RefusesInvalidKeys) {
  const std::string text = write_secret_key(make_key(), "");
  EXPECT_EQ(refused_secret(text), "");
  EXPECT_EQ(refused_secret(""), key_invalid);
  EXPECT_EQ(refused_secret(foreign_public), key_invalid);
  EXPECT_EQ(refused_secret(text + "\n"), key_invalid);
  EXPECT_EQ(refused_secret(replaced(text, "untrusted", "trusted")), key_invalid);
  EXPECT_EQ(refused_secret(replaced(text, "RWQAAEIy", "RUQAAEIy")), key_invalid);
  EXPECT_EQ(refused_secret(replaced(text, "RWQAAEIy", "RWRBcEIy")), key_invalid);
  EXPECT_EQ(refused_secret(replaced(foreign_secret, "PVLn5", "PVLn6")), key_invalid);
  EXPECT_EQ(refused_secret(replaced(foreign_secret, "AAA=", "AAB=")), key_invalid);
  EXPECT_EQ(refused_secret(text + std::string(PackageLimits::key_file, '\n')), key_invalid);
  const auto refused_public = [](const std::string& half) {
    return test::refused([&] { read_public_key(half, "x.pub"); });
  };
  EXPECT_EQ(refused_public(text), key_invalid);
  EXPECT_EQ(refused_public(replaced(foreign_public, "RWS", "RUS")), key_invalid);
  EXPECT_EQ(refused_public(std::string(foreign_public) + "x"), key_invalid);
  EXPECT_EQ(refused_public(std::string(PackageLimits::key_file + 1, 'x')), key_invalid);
}

// The author of a key must not choose how much memory its reader takes.
TEST(PackageKeys, LimitsThePasswordCost) {
  std::string text = write_secret_key(make_key(), "p", cheap);
  const std::size_t line = text.find('\n') + 1;
  MinisignText lines(text, text, key_invalid);
  lines.comment("untrusted comment: ");
  std::string bytes = lines.base64(158);
  bytes[46 + 4] = 1;  // the memory's fifth byte: 4 GiB more
  EXPECT_EQ(refused_secret(text.substr(0, line) + base64_of(bytes) + "\n", "p"), key_invalid);
  bytes[46 + 4] = 0;
  bytes[38 + 4] = 1;
  EXPECT_EQ(refused_secret(text.substr(0, line) + base64_of(bytes) + "\n", "p"), key_invalid);
}

TEST(PackageKeys, ReportsLackOfMemoryForAPassword) {
  // More than an address has bits for.
  constexpr PasswordCost endless{1ull << 52, 1ull << 52};
  const SecretKey key = make_key();
  EXPECT_EQ(test::refused([&] { write_secret_key(key, "p", endless); }),
            "plugins.signature_key_failed");
}

TEST(PackageSignature, CoversKeyTextAndComment) {
  const SecretKey key = make_key();
  const std::string text = sign_text("content", key, "tenon package a 1.0.0").to_text();
  const Signature signature = parse_signature(text, "x.tenon");
  EXPECT_EQ(signature.to_text(), text);
  EXPECT_EQ(refused_check(signature, "content", key.public_key()), "");
  EXPECT_EQ(refused_check(signature, "contents", key.public_key()), "plugins.signature_invalid");
  EXPECT_EQ(refused_check(signature, "content", make_key().public_key()),
            "plugins.signature_wrong_key");
  PublicKey same_number = make_key().public_key();
  same_number.number = key.number;
  EXPECT_EQ(refused_check(signature, "content", same_number), "plugins.signature_invalid");
  Signature changed = signature;
  changed.trusted_comment += "1";
  EXPECT_EQ(refused_check(changed, "content", key.public_key()), "plugins.signature_invalid");
  changed = signature;
  changed.number[0] ^= 1;
  EXPECT_EQ(refused_check(changed, "content", key.public_key()), "plugins.signature_wrong_key");
  changed = signature;
  changed.over_comment[63] ^= 1;
  EXPECT_EQ(refused_check(changed, "content", key.public_key()), "plugins.signature_invalid");
}

TEST(PackageSignature, AcceptsOneFormOnly) {
  const std::string malformed = "plugins.signature_malformed";
  const std::string text = foreign_signature;
  // "Ed" instead of "ED": over the text itself.
  EXPECT_EQ(refused_signature(replaced(text, "RUS", "RWS")), "plugins.signature_legacy");
  EXPECT_EQ(refused_signature(replaced(text, "RUS", "RVS")), malformed);
  EXPECT_EQ(refused_signature(replaced(text, "RUSQ", "RUS?")), malformed);
  // Input that libsodium alone would take.
  EXPECT_EQ(refused_signature(replaced(text, "RUSQZVC7t", "RUSQZVC7\x8b")), malformed);
  EXPECT_EQ(refused_signature(replaced(text, "RUSQZVC7t2GI", "RUSQZVC7\x8b\xcd\xb8\xb6")),
            malformed);
  EXPECT_EQ(refused_signature(replaced(text, "ZUwY=", "ZUwZ=")), malformed) << "bits after the end";
  EXPECT_EQ(refused_signature(replaced(text, "ZUwY=", "ZUwY")), malformed);
  EXPECT_EQ(refused_signature(replaced(text, "\ntrusted", "\r\ntrusted")), malformed);
  EXPECT_EQ(refused_signature(replaced(text, "trusted comment: t", "t")), malformed);
  EXPECT_EQ(refused_signature(replaced(text, "hashed", "\x1b[31m")), malformed);
  EXPECT_EQ(refused_signature(replaced(text, "hashed", "\xff")), malformed);
  EXPECT_EQ(refused_signature(text + "\n"), malformed);
  EXPECT_EQ(refused_signature(text.substr(0, text.size() - 1)), malformed);
  EXPECT_EQ(refused_signature(""), malformed);
  EXPECT_EQ(refused_signature(text + std::string(PackageLimits::signature, '\n')),
            "plugins.package_too_large");
}

}  // namespace
}  // namespace tenon::plugins
