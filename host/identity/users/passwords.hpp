#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace tenon::identity {

/// Returns a hash as Passwords::hash() makes it, but of no known password: salt and digest are
/// random. It costs nothing to make, and as much as any other to check against.
std::string placeholder_hash();

/// Hashes and checks passwords with Argon2id (RFC 9106): 19 MiB, t=2, p=1. At most `concurrent`
/// hashes run at once, so that a login storm needs concurrent × 19 MiB; `waiting` callers wait for
/// a slot, further ones get base::Error 503 "identity.busy". Blocks (about 30 ms a hash); not for
/// I/O threads. Thread-safe.
class Passwords {
 public:
  static constexpr std::size_t min_bytes = 8;
  static constexpr std::size_t max_bytes = 1024;

  struct Options {
    std::size_t concurrent = 2;
    std::size_t waiting = 32;
  };
  explicit Passwords(Options options);
  ~Passwords();
  Passwords(const Passwords&) = delete;
  Passwords& operator=(const Passwords&) = delete;

  /// In the text form of the reference implementation: "$argon2id$v=19$m=19456,t=2,p=1$…".
  std::string hash(std::string_view password);

  /// Takes as long for an empty `stored` (an unknown user) as for a real hash, and is false then.
  bool verify(std::string_view stored, std::string_view password);

  /// Hashes running at this moment, and the most that ever ran at once.
  std::size_t running() const noexcept;
  std::size_t max_running() const noexcept;

 private:
  class Slot;
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace tenon::identity
