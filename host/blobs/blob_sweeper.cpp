#include "blobs/blob_sweeper.hpp"

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
void run(const char* what, Sweep&& sweep) noexcept {
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
    : blobs_(blobs), uploads_(uploads), task_(pause_of(blobs.limits()), [this] { sweep(); }) {
  task_.start_now();
}

void BlobSweeper::sweep() noexcept {
  if (!has_swept_strays_) {
    has_swept_strays_ = true;
    run("files that belonged to no blob were removed", [this] { return blobs_.sweep_strays(); });
  }
  run("uploads that expired were removed", [this] { return uploads_.sweep(); });
  run("unclaimed blobs were removed", [this] { return blobs_.sweep(); });
}

}  // namespace tenon::blobs
