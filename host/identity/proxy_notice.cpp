#include "identity/proxy_notice.hpp"

#include <utility>

#include "data/database.hpp"
#include "observability/log.hpp"

namespace tenon::identity {

ProxyNotice::ProxyNotice(data::Database& database, Clock clock, std::function<void()> wake)
    : database_(database), clock_(std::move(clock)), wake_(std::move(wake)) {}

void ProxyNotice::note(std::string_view peer) {
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    if (!is_due_.exchange(false, std::memory_order_relaxed)) return;
    peer_ = peer;
    is_first = !std::exchange(is_logged_, true);
  }
  if (is_first) {
    observability::log_warning(
        "a proxy that is not trusted passes requests on",
        {{"peer", peer},
         {"todo",
          "if this is a proxy of this installation, add its address to http.trusted_proxies"}});
  }
  wake_();
}

void ProxyNotice::store() {
  const std::int64_t now = clock_();
  std::string peer;
  {
    const std::lock_guard lock(mutex_);
    peer = peer_;
    const std::int64_t age = now - stored_ms_;
    if (peer.empty()) {
      if (age < 0 || age >= std::chrono::milliseconds(renewal).count()) is_due_ = true;
      return;
    }
  }
  database_.exec(
      "INSERT INTO identity_proxy_notice(one, peer, seen_ms) VALUES(1, ?1, ?2) "
      "ON CONFLICT(one) DO UPDATE SET peer = excluded.peer, seen_ms = excluded.seen_ms",
      {peer, now});
  const std::lock_guard lock(mutex_);
  peer_.clear();
  stored_ms_ = now;
}

}  // namespace tenon::identity
