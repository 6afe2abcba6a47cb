#include "packages/signature/keys.hpp"

#include <algorithm>
#include <cstring>

#include <sodium.h>

#include "packages/archive/limits.hpp"
#include "packages/archive/package_refusal.hpp"
#include "packages/signature/minisign_text.hpp"

namespace tenon::plugins {

namespace {

constexpr const char* key_invalid = "plugins.signature_key_invalid";
constexpr std::string_view key_comment_prefix = "untrusted comment: ";
constexpr std::string_view ed25519 = "Ed";
constexpr std::string_view scrypt = "Sc";
constexpr std::string_view blake2b = "B2";
constexpr std::string_view no_password("\0\0", 2);

// Offsets of the parts of a secret key (minisign.h, SeckeyStruct).
constexpr std::size_t salt_at = 6;
constexpr std::size_t salt_bytes = crypto_pwhash_scryptsalsa208sha256_SALTBYTES;
constexpr std::size_t operations_at = salt_at + salt_bytes;
constexpr std::size_t memory_at = operations_at + 8;
constexpr std::size_t number_at = memory_at + 8;
constexpr std::size_t key_at = number_at + sizeof(KeyNumber);
constexpr std::size_t check_at = key_at + crypto_sign_SECRETKEYBYTES;
constexpr std::size_t check_bytes = 32;
constexpr std::size_t secret_bytes = check_at + check_bytes;

unsigned char* raw(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

// Bytes that are wiped when they go.
struct Secret {
  std::string bytes;
  explicit Secret(std::string content) : bytes(std::move(content)) {}
  ~Secret() { sodium_memzero(bytes.data(), bytes.size()); }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
};

void put64(std::string& bytes, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i)
    bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint64_t get64(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 0;)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// The checksum that distinguishes a right password from a wrong one.
std::string checksum(const std::string& bytes) {
  const std::string signed_part =
      std::string(ed25519) + bytes.substr(number_at, check_at - number_at);
  const Secret guard(signed_part);
  std::string sum(check_bytes, '\0');
  crypto_generichash(raw(sum), sum.size(),
                     reinterpret_cast<const unsigned char*>(guard.bytes.data()), guard.bytes.size(),
                     nullptr, 0);
  return sum;
}

// Encrypts or decrypts number, key and checksum in place.
void apply_password(std::string& bytes, std::string_view password, const PasswordCost& cost,
                    const std::string& file) {
  Secret stream(std::string(secret_bytes - number_at, '\0'));
  if (crypto_pwhash_scryptsalsa208sha256(raw(stream.bytes), stream.bytes.size(), password.data(),
                                         password.size(), raw(bytes) + salt_at, cost.operations,
                                         static_cast<std::size_t>(cost.memory)) != 0) {
    refuse_package("plugins.signature_key_failed",
                   "The password takes " + std::to_string(cost.memory / (1024 * 1024)) +
                       " MiB of memory to try, which are not there.",
                   file);
  }
  for (std::size_t i = 0; i < stream.bytes.size(); ++i)
    bytes[number_at + i] = static_cast<char>(bytes[number_at + i] ^ stream.bytes[i]);
}

void check_length(std::string_view text, const std::string& file) {
  if (text.size() > PackageLimits::key_file)
    refuse_package(key_invalid, "This is no key of minisign: it is too long.", file);
}

std::string secret_bytes_of(std::string_view text, const std::string& file) {
  check_length(text, file);
  MinisignText lines(text, file, key_invalid);
  lines.comment(key_comment_prefix);
  std::string bytes = lines.base64(secret_bytes);
  Secret guard(bytes);
  sodium_memzero(bytes.data(), bytes.size());
  if (!guard.bytes.starts_with(ed25519) || guard.bytes.substr(4, 2) != blake2b)
    lines.refuse("This is no secret key of minisign.");
  const std::string method = guard.bytes.substr(2, 2);
  if (method != scrypt && method != no_password)
    lines.refuse("The key is encrypted in a way that is not known here.");
  lines.end();
  return guard.bytes;
}

// Ed25519's secret key has the public one in its second half.
bool has_its_public_half(const SecretKey& key) {
  std::array<unsigned char, 32> seed{};
  std::array<unsigned char, 32> made{};
  SecretKey again;
  crypto_sign_ed25519_sk_to_seed(seed.data(), key.key.data());
  crypto_sign_seed_keypair(made.data(), again.key.data(), seed.data());
  sodium_memzero(seed.data(), seed.size());
  return sodium_memcmp(again.key.data(), key.key.data(), key.key.size()) == 0;
}

}  // namespace

std::string PublicKey::id() const {
  return key_id_text({reinterpret_cast<const char*>(number.data()), number.size()});
}

std::string PublicKey::to_text() const {
  std::string bytes(ed25519);
  bytes.append(number.begin(), number.end());
  bytes.append(key.begin(), key.end());
  return std::string(key_comment_prefix) + "minisign public key " + id() + "\n" + base64_of(bytes) +
         "\n";
}

SecretKey::~SecretKey() {
  sodium_memzero(key.data(), key.size());
}

PublicKey SecretKey::public_key() const {
  PublicKey half;
  half.number = number;
  std::copy(key.begin() + 32, key.end(), half.key.begin());
  return half;
}

SecretKey make_key() {
  SecretKey made;
  std::array<unsigned char, 32> half{};
  randombytes_buf(made.number.data(), made.number.size());
  crypto_sign_keypair(half.data(), made.key.data());
  return made;
}

std::string write_secret_key(const SecretKey& key, std::string_view password,
                             const PasswordCost& cost) {
  Secret secret(std::string(secret_bytes, '\0'));
  std::string& bytes = secret.bytes;
  bytes.replace(0, 2, ed25519);
  bytes.replace(4, 2, blake2b);
  std::copy(key.number.begin(), key.number.end(), raw(bytes) + number_at);
  std::copy(key.key.begin(), key.key.end(), raw(bytes) + key_at);
  if (!password.empty()) {
    bytes.replace(2, 2, scrypt);
    randombytes_buf(raw(bytes) + salt_at, salt_bytes);
    put64(bytes, operations_at, cost.operations);
    put64(bytes, memory_at, cost.memory);
    bytes.replace(check_at, check_bytes, checksum(bytes));
    apply_password(bytes, password, cost, {});
  }
  return std::string(key_comment_prefix) + "minisign encrypted secret key\n" + base64_of(bytes) +
         "\n";
}

bool is_encrypted_key(std::string_view text, const std::string& file) {
  const Secret secret(secret_bytes_of(text, file));
  return secret.bytes.substr(2, 2) == scrypt;
}

SecretKey read_secret_key(std::string_view text, std::string_view password,
                          const std::string& file) {
  Secret secret(secret_bytes_of(text, file));
  std::string& bytes = secret.bytes;
  if (bytes.substr(2, 2) == scrypt) {
    const PasswordCost cost{get64(bytes, operations_at), get64(bytes, memory_at)};
    const PasswordCost limit;
    if (cost.operations > limit.operations || cost.memory > limit.memory)
      refuse_package(key_invalid, "Trying the password would take more than minisign asks for.",
                     file);
    apply_password(bytes, password, cost, file);
    const std::string sum = checksum(bytes);
    if (sodium_memcmp(sum.data(), bytes.data() + check_at, check_bytes) != 0)
      refuse_package("plugins.signature_password_wrong", "The password is wrong.", file);
  }
  SecretKey key;
  std::memcpy(key.number.data(), bytes.data() + number_at, key.number.size());
  std::memcpy(key.key.data(), bytes.data() + key_at, key.key.size());
  if (!has_its_public_half(key))
    refuse_package(key_invalid, "The key is damaged: its halves do not belong together.", file);
  return key;
}

PublicKey read_public_key(std::string_view text, const std::string& file) {
  check_length(text, file);
  MinisignText lines(text, file, key_invalid);
  lines.comment(key_comment_prefix);
  PublicKey key;
  const std::string bytes = lines.base64(2 + sizeof key.number + sizeof key.key);
  if (!bytes.starts_with(ed25519)) lines.refuse("This is no public key of minisign.");
  lines.end();
  std::memcpy(key.number.data(), bytes.data() + 2, key.number.size());
  std::memcpy(key.key.data(), bytes.data() + 2 + key.number.size(), key.key.size());
  return key;
}

}  // namespace tenon::plugins
