#include "blobs/system_error.hpp"

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "observability/log.hpp"

namespace tenon::blobs {

void fail_system(int reason, const std::string& what, const std::string& path) {
  observability::log_error("a blob could not be " + what,
                           {{"file", path}, {"reason", std::strerror(reason)}});
  if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG) {
    throw base::Error(507, "blobs.disk_full",
                      "The disk is full. No file was stored; free some space and try again.");
  }
  throw base::Error(503, "blobs.io",
                    "The disk refused: this could not be " + what + ". Try again in a moment.");
}

}  // namespace tenon::blobs
