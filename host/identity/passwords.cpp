#include "identity/passwords.hpp"

#include <array>
#include <condition_variable>
#include <mutex>
#include <new>

#include <sodium.h>

#include "base/error.hpp"
#include "base/ids.hpp"

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

}  // namespace

class Passwords::Implementation {
 public:
  explicit Implementation(const Options& options) : options_(options) {
    if (sodium_init() < 0)
      throw base::Error(500, "identity.no_random", "The system gives no random numbers.");
    nobody_ = compute(base::random_token());
  }

  void enter() {
    std::unique_lock lock(mutex_);
    if (running_ >= options_.concurrent) {
      if (waiting_ >= options_.waiting) {
        throw base::Error(503, "identity.busy",
                          "Too many people sign in at this moment. Try again in a moment.");
      }
      ++waiting_;
      turn_.wait(lock, [this] { return running_ < options_.concurrent; });
      --waiting_;
    }
    ++running_;
    most_running_ = std::max(most_running_, running_);
  }

  void leave() noexcept {
    {
      const std::lock_guard lock(mutex_);
      --running_;
    }
    turn_.notify_one();
  }

  std::size_t running() const {
    const std::lock_guard lock(mutex_);
    return running_;
  }
  std::size_t most_running() const {
    const std::lock_guard lock(mutex_);
    return most_running_;
  }
  const std::string& nobody() const noexcept { return nobody_; }

 private:
  const Options options_;
  std::string nobody_;  // the hash of a password that nobody has
  mutable std::mutex mutex_;
  std::condition_variable turn_;
  std::size_t running_ = 0;
  std::size_t waiting_ = 0;
  std::size_t most_running_ = 0;
};

class Passwords::Turn {
 public:
  explicit Turn(Implementation& implementation) : implementation_(implementation) {
    implementation_.enter();
  }
  ~Turn() { implementation_.leave(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Implementation& implementation_;
};

Passwords::Passwords(Options options)
    : implementation_(std::make_unique<Implementation>(options)) {}
Passwords::~Passwords() = default;

std::string Passwords::hash(std::string_view password) {
  const Turn turn(*implementation_);
  return compute(password);
}

bool Passwords::verify(std::string_view stored, std::string_view password) {
  const bool exists = !stored.empty();
  const std::string text(exists ? stored : std::string_view(implementation_->nobody()));
  const Turn turn(*implementation_);
  return crypto_pwhash_str_verify(text.c_str(), password.data(), password.size()) == 0 && exists;
}

std::size_t Passwords::running() const noexcept {
  return implementation_->running();
}
std::size_t Passwords::most_running() const noexcept {
  return implementation_->most_running();
}

}  // namespace tenon::identity
