#include "blobs/keeper.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>

#include "blobs/blobs.hpp"
#include "blobs/uploads.hpp"
#include "observability/log.hpp"

namespace tenon::blobs {

namespace {

std::chrono::milliseconds pause_of(const Limits& limits) {
  using namespace std::chrono_literals;
  return std::clamp<std::chrono::milliseconds>(std::min(limits.grace_period, limits.upload) / 4, 1s,
                                               10min);
}

template <typename Sweep>
void sweep(const char* what, Sweep&& sweep) noexcept {
  try {
    const std::size_t count = sweep();
    if (count != 0) observability::log_info(what, {{"count", count}});
  } catch (const std::exception& error) {
    observability::log_warning("sweeping blobs failed, it is tried again",
                               {{"reason", error.what()}});
  }
}

}  // namespace

BlobSweeper::BlobSweeper(Blobs& blobs, Uploads& uploads)
    : blobs_(blobs),
      uploads_(uploads),
      pause_(pause_of(blobs.limits())),
      thread_([this] { run(); }) {}

BlobSweeper::~BlobSweeper() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BlobSweeper::run() {
  sweep("files that belonged to no blob were removed", [this] { return blobs_.sweep_strays(); });
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    lock.unlock();
    sweep("uploads that expired were removed", [this] { return uploads_.sweep(); });
    sweep("unclaimed blobs were removed", [this] { return blobs_.sweep(); });
    lock.lock();
    changed_.wait_for(lock, pause_, [this] { return is_stopping_; });
  }
}

}  // namespace tenon::blobs
