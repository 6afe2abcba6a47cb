#include "settings/secret_key.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include <sodium.h>

#include "base/error.hpp"
#include "data/files/atomic_file_writer.hpp"

namespace tenon::settings {

namespace {

constexpr auto base64_form = sodium_base64_VARIANT_ORIGINAL_NO_PADDING;
constexpr std::size_t nonce_bytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t tag_bytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;

std::string label(std::string_view plugin, std::string_view key) {
  return std::string(plugin).append(1, '\0').append(key);
}

unsigned char* raw(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}
const unsigned char* raw(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

SecretKey::~SecretKey() {
  sodium_memzero(bytes_.data(), bytes_.size());
}

const SecretKey::Bytes* SecretKey::bytes(bool creates) {
  const std::lock_guard lock(mutex_);
  if (is_read_) return &bytes_;
  if (!std::filesystem::exists(file_)) {
    if (!creates) return nullptr;
    Bytes made{};
    randombytes_buf(made.data(), made.size());
    data::AtomicFileWriter writer(file_ + ".new", made.size());
    writer.write({reinterpret_cast<const char*>(made.data()), made.size()});
    sodium_memzero(made.data(), made.size());
    writer.commit(file_, false);
  }
  std::ifstream in(file_, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (text.size() != key_bytes) {
    throw base::Error(500, "settings.key_damaged",
                      "The key of the secret settings, " + file_ +
                          ", cannot be read or is damaged. Restore it from a backup.");
  }
  std::copy(text.begin(), text.end(), bytes_.begin());
  is_read_ = true;
  return &bytes_;
}

std::string SecretKey::seal(std::string_view plugin, std::string_view key, std::string_view json) {
  const std::string about = label(plugin, key);
  std::string sealed(nonce_bytes + json.size() + tag_bytes, '\0');
  randombytes_buf(sealed.data(), nonce_bytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(
      raw(sealed) + nonce_bytes, nullptr, reinterpret_cast<const unsigned char*>(json.data()),
      json.size(), raw(about), about.size(), nullptr, raw(sealed), bytes(true)->data());
  std::string text(sodium_base64_ENCODED_LEN(sealed.size(), base64_form), '\0');
  sodium_bin2base64(text.data(), text.size(), raw(sealed), sealed.size(), base64_form);
  text.pop_back();  // the NUL
  return std::string(prefix) + text;
}

std::optional<std::string> SecretKey::open(std::string_view plugin, std::string_view key,
                                           std::string_view sealed) {
  const std::string_view text = sealed.substr(prefix.size());
  std::string bin(text.size(), '\0');
  std::size_t size = 0;
  if (sodium_base642bin(raw(bin), bin.size(), text.data(), text.size(), nullptr, &size, nullptr,
                        base64_form) != 0 ||
      size < nonce_bytes + tag_bytes)
    return std::nullopt;
  const Bytes* secret = bytes(false);
  if (!secret) return std::nullopt;
  const std::string about = label(plugin, key);
  std::string json(size - nonce_bytes - tag_bytes, '\0');
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(
          raw(json), nullptr, nullptr, raw(bin) + nonce_bytes, size - nonce_bytes, raw(about),
          about.size(), raw(bin), secret->data()) != 0)
    return std::nullopt;
  return json;
}

}  // namespace tenon::settings
