#include "identity/users/passwords.hpp"

#include <array>
#include <condition_variable>
#include <mutex>
#include <new>
#include <vector>

#include <sodium.h>

#include "base/error.hpp"

namespace tenon::identity {

namespace {

constexpr unsigned long long passes = 2;
constexpr std::size_t memory_bytes = 19 * 1024 * 1024;

std::string compute(std::string_view password) {
  std::array<char, crypto_pwhash_STRBYTES> text{};
  if (crypto_pwhash_str_alg(text.data(), password.data(), password.size(), passes, memory_bytes,
                            crypto_pwhash_ALG_ARGON2ID13) != 0) {
    throw std::bad_alloc();
  }
  return text.data();
}

// Of random bytes, in the form that Argon2 without padding has.
std::string random_base64(std::size_t bytes) {
  std::vector<unsigned char> raw(bytes);
  randombytes_buf(raw.data(), raw.size());
  constexpr int variant = sodium_base64_VARIANT_ORIGINAL_NO_PADDING;
  std::string text(sodium_base64_encoded_len(bytes, variant), '\0');
  sodium_bin2base64(text.data(), text.size(), raw.data(), raw.size(), variant);
  text.pop_back();
  return text;
}

}  // namespace

std::string placeholder_hash() {
  constexpr std::size_t digest_bytes = 32;
  return "$argon2id$v=19$m=" + std::to_string(memory_bytes / 1024) +
         ",t=" + std::to_string(passes) + ",p=1$" + random_base64(crypto_pwhash_SALTBYTES) + "$" +
         random_base64(digest_bytes);
}

class Passwords::Implementation {
 public:
  explicit Implementation(const Options& options) : options_(options) {
    if (sodium_init() < 0)
      throw base::Error(500, "identity.no_random", "The system gives no random numbers.");
    placeholder_ = placeholder_hash();
  }

  void enter() {
    std::unique_lock lock(mutex_);
    if (running_ >= options_.concurrent) {
      if (waiting_ >= options_.waiting) {
        throw base::Error(503, "identity.busy",
                          "Too many people sign in at this moment. Try again in a moment.");
      }
      ++waiting_;
      slot_free_.wait(lock, [this] { return running_ < options_.concurrent; });
      --waiting_;
    }
    ++running_;
    max_running_ = std::max(max_running_, running_);
  }

  void leave() noexcept {
    {
      const std::lock_guard lock(mutex_);
      --running_;
    }
    slot_free_.notify_one();
  }

  std::size_t running() const {
    const std::lock_guard lock(mutex_);
    return running_;
  }
  std::size_t max_running() const {
    const std::lock_guard lock(mutex_);
    return max_running_;
  }
  const std::string& placeholder() const noexcept { return placeholder_; }

 private:
  const Options options_;
  std::string placeholder_;
  mutable std::mutex mutex_;
  std::condition_variable slot_free_;
  std::size_t running_ = 0;
  std::size_t waiting_ = 0;
  std::size_t max_running_ = 0;
};

class Passwords::Slot {
 public:
  explicit Slot(Implementation& implementation) : implementation_(implementation) {
    implementation_.enter();
  }
  ~Slot() { implementation_.leave(); }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

 private:
  Implementation& implementation_;
};

Passwords::Passwords(Options options)
    : implementation_(std::make_unique<Implementation>(options)) {}
Passwords::~Passwords() = default;

std::string Passwords::hash(std::string_view password) {
  const Slot slot(*implementation_);
  return compute(password);
}

bool Passwords::verify(std::string_view stored, std::string_view password) {
  const bool exists = !stored.empty();
  const std::string text(exists ? stored : std::string_view(implementation_->placeholder()));
  const Slot slot(*implementation_);
  return crypto_pwhash_str_verify(text.c_str(), password.data(), password.size()) == 0 && exists;
}

std::size_t Passwords::running() const noexcept {
  return implementation_->running();
}
std::size_t Passwords::max_running() const noexcept {
  return implementation_->max_running();
}

}  // namespace tenon::identity
