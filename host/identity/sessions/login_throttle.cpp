#include "identity/sessions/login_throttle.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include <arpa/inet.h>
#include <sodium.h>

namespace tenon::identity {

namespace {

using std::chrono::milliseconds;

// An IPv6 subscriber has a whole /64 to come from.
std::string network_of(std::string_view address) {
  const std::string text(address);
  std::array<unsigned char, 16> bytes{};
  if (inet_pton(AF_INET6, text.c_str(), bytes.data()) != 1) return text;
  const bool is_mapped_ipv4 =
      std::all_of(bytes.begin(), bytes.begin() + 10, [](auto byte) { return byte == 0; }) &&
      bytes[10] == 0xFF;
  return {reinterpret_cast<const char*>(bytes.data()), is_mapped_ipv4 ? bytes.size() : 8U};
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// The free failures, and how long it takes to forget one.
struct Bound {
  int free;
  milliseconds forget;
};
constexpr Bound per_account{LoginThrottle::free_per_account, LoginThrottle::forget_after};
constexpr Bound per_address{LoginThrottle::free_per_address, LoginThrottle::forget_after};
constexpr Bound per_shared_address{LoginThrottle::free_per_shared_address,
                                   LoginThrottle::forget_shared_after};

struct Entry {
  std::uint64_t key;  // 0: free
  std::int64_t last_ms;
  int failures;

  // Returns the failures that still count at this time.
  int remaining(std::int64_t now,
                milliseconds forget = LoginThrottle::forget_after) const noexcept {
    const std::int64_t quiet = std::max<std::int64_t>(0, now - last_ms);
    return static_cast<int>(std::max<std::int64_t>(0, failures - quiet / forget.count()));
  }
};

// A hash table of fixed size: a key has four slots, and when all are taken the weakest entry is
// replaced. A secret decides which keys share slots, so no attacker can choose an entry to push
// out.
class Table {
 public:
  // Zeroes that the kernel gives, so that only what is used takes memory.
  explicit Table(std::size_t capacity)
      : capacity_(capacity),
        entries_(static_cast<Entry*>(std::calloc(capacity, sizeof(Entry))), &std::free) {
    if (!entries_) throw std::bad_alloc();
  }

  Entry* find(std::uint64_t key) noexcept {
    for (std::size_t i = first(key); i < first(key) + ways; ++i) {
      if (entries_[i].key == key) return &entries_[i];
    }
    return nullptr;
  }

  Entry& make(std::uint64_t key, std::int64_t now) noexcept {
    if (Entry* found = find(key)) return *found;
    Entry* weakest = &entries_[first(key)];
    for (std::size_t i = first(key); i < first(key) + ways; ++i) {
      Entry& entry = entries_[i];
      if (entry.key == 0) {
        weakest = &entry;
        break;
      }
      const int left = entry.remaining(now);
      const int min_left = weakest->remaining(now);
      if (left < min_left || (left == min_left && entry.last_ms < weakest->last_ms))
        weakest = &entry;
    }
    *weakest = {key, now, 0};
    return *weakest;
  }

 private:
  static constexpr std::size_t ways = 4;
  std::size_t first(std::uint64_t key) const noexcept { return key % (capacity_ / ways) * ways; }

  std::size_t capacity_;
  std::unique_ptr<Entry[], void (*)(void*)> entries_;
};

}  // namespace

class LoginThrottle::Implementation {
 public:
  explicit Implementation(Clock clock) : clock_(std::move(clock)) {
    if (sodium_init() < 0) throw std::runtime_error("the system gives no random numbers");
    randombytes_buf(secret_.data(), secret_.size());
  }

  milliseconds attempt(std::string_view login, const Source& source) {
    const Keys keys = keys_of(login, source);
    const std::lock_guard lock(mutex_);
    const std::int64_t now = clock_();
    const std::uint64_t account = is_known(keys) ? keys.pair : keys.account;
    const Bound& of_address = source.is_shared ? per_shared_address : per_address;
    std::int64_t wait = std::max(wait_of(accounts_, account, per_account, now),
                                 wait_of(addresses_, keys.address, of_address, now));
    if (keys.claimed != 0)
      wait = std::max(wait, wait_of(addresses_, keys.claimed, per_address, now));
    if (wait > 0) return milliseconds(wait);
    count(accounts_, account, per_account, now);
    count(addresses_, keys.address, of_address, now);
    if (keys.claimed != 0) count(addresses_, keys.claimed, per_address, now);
    return milliseconds(0);
  }

  void succeeded(std::string_view login, const Source& source) {
    const Keys keys = keys_of(login, source);
    const std::lock_guard lock(mutex_);
    if (is_known(keys)) {
      if (Entry* own = accounts_.find(keys.pair)) own->failures = 0;
    } else {
      // Others may still be guessing: only this attempt is taken back, the next ones from here
      // count apart.
      take_back(accounts_, keys.account);
    }
    if (keys.pair != 0) known_.make(keys.pair, clock_()).last_ms = clock_();
    take_back(addresses_, keys.address);
    if (keys.claimed != 0) take_back(addresses_, keys.claimed);
  }

 private:
  struct Keys {
    std::uint64_t account;
    std::uint64_t address;
    std::uint64_t pair;     // 0: the address says nothing of who it is
    std::uint64_t claimed;  // 0: none
  };

  std::uint64_t hash(const std::string& text) const noexcept {
    std::array<unsigned char, crypto_shorthash_BYTES> digest;
    crypto_shorthash(digest.data(), reinterpret_cast<const unsigned char*>(text.data()),
                     text.size(), secret_.data());
    std::uint64_t key = 0;
    std::memcpy(&key, digest.data(), sizeof key);
    return key == 0 ? 1 : key;
  }

  Keys keys_of(std::string_view login, const Source& source) const {
    const std::string account = "account" + lower(login);
    const std::string network = network_of(source.address);
    if (!source.is_shared) {
      return {hash(account), hash("address" + network),
              hash("pair" + std::to_string(network.size()) + network + account), 0};
    }
    return {hash(account), hash("shared" + network), 0,
            source.claimed.empty() ? 0 : hash("claimed" + network_of(source.claimed))};
  }

  bool is_known(const Keys& keys) noexcept {
    return keys.pair != 0 && known_.find(keys.pair) != nullptr;
  }

  static std::int64_t wait_of(Table& table, std::uint64_t key, const Bound& bound,
                              std::int64_t now) noexcept {
    Entry* entry = table.find(key);
    if (entry == nullptr) return 0;
    // The clock was set back: waiting starts again rather than lasting until it has caught up.
    entry->last_ms = std::min(entry->last_ms, now);
    const int beyond = entry->remaining(now, bound.forget) - bound.free;
    if (beyond < 0) return 0;
    const std::int64_t wait =
        std::min(milliseconds(first_wait).count() << beyond, milliseconds(max_wait).count());
    return std::max<std::int64_t>(0, entry->last_ms + wait - now);
  }

  static void take_back(Table& table, std::uint64_t key) noexcept {
    if (Entry* entry = table.find(key)) entry->failures = std::max(0, entry->failures - 1);
  }

  static void count(Table& table, std::uint64_t key, const Bound& bound,
                    std::int64_t now) noexcept {
    Entry& entry = table.make(key, now);
    // More would only make it take longer to forget.
    constexpr int max_counted_beyond = 5;
    entry.failures =
        std::min(entry.remaining(now, bound.forget) + 1, bound.free + max_counted_beyond);
    entry.last_ms = now;
  }

  const Clock clock_;
  std::array<unsigned char, crypto_shorthash_KEYBYTES> secret_;
  std::mutex mutex_;
  Table accounts_{capacity};
  Table addresses_{capacity};
  Table known_{capacity};
};

LoginThrottle::LoginThrottle(Clock clock)
    : implementation_(std::make_unique<Implementation>(std::move(clock))) {}
LoginThrottle::~LoginThrottle() = default;

milliseconds LoginThrottle::attempt(std::string_view login, const Source& source) {
  return implementation_->attempt(login, source);
}

void LoginThrottle::succeeded(std::string_view login, const Source& source) {
  implementation_->succeeded(login, source);
}

}  // namespace tenon::identity
