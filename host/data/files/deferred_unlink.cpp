#include "data/files/deferred_unlink.hpp"

#include <exception>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

namespace tenon::data {

DeferredUnlink::DeferredUnlink(const std::string& path) noexcept
    : file_(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)) {}

DeferredUnlink::~DeferredUnlink() {
  if (file_ < 0) return;
  try {
    std::thread([file = file_] { ::close(file); }).detach();
  } catch (const std::exception&) {  // no thread
    ::close(file_);
  }
}

bool DeferredUnlink::is_held_by(int descriptor) noexcept {
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags >= 0 && (flags & O_PATH) != 0;
}

}  // namespace tenon::data
