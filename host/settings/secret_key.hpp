#pragma once

#include <array>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::settings {

/// Encrypts secrets with the key in a file of the data directory, so that a copy of the database
/// alone does not reveal them: XChaCha20-Poly1305 (libsodium,
/// crypto_aead_xchacha20poly1305_ietf), with plugin and key as additional data, so that a sealed
/// text is of no use in another row. Thread-safe; blocks on the disk until the key is read.
class SecretKey {
 public:
  static constexpr std::size_t key_bytes = 32;

  /// `file` need not exist: the first seal() creates it with mode 0600.
  explicit SecretKey(std::string file) : file_(std::move(file)) {}
  ~SecretKey();
  SecretKey(const SecretKey&) = delete;
  SecretKey& operator=(const SecretKey&) = delete;

  /// Returns "sealed:1:" and base64. Throws 507 data.disk_full or 503 data.io if the key cannot be
  /// created, 500 "settings.key_damaged" if the file has another size.
  std::string seal(std::string_view plugin, std::string_view key, std::string_view json);
  /// Returns the text, or empty if it was not sealed with this key for this setting. Throws as
  /// seal().
  std::optional<std::string> open(std::string_view plugin, std::string_view key,
                                  std::string_view sealed);
  static bool is_sealed(std::string_view text) noexcept { return text.starts_with(prefix); }

 private:
  static constexpr std::string_view prefix = "sealed:1:";
  using Bytes = std::array<unsigned char, key_bytes>;

  /// Returns the key; reads it once. `creates`: creates a missing file; else null is returned.
  const Bytes* bytes(bool creates);

  const std::string file_;
  std::mutex mutex_;
  bool is_read_ = false;
  Bytes bytes_{};
};

}  // namespace tenon::settings
