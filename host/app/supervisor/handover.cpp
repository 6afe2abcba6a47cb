#include "app/supervisor/handover.hpp"

#include <unistd.h>

namespace tenon::app {

void Handover::send(char message) const noexcept {
  if (channel >= 0) static_cast<void>(!::write(channel, &message, 1));
}

}  // namespace tenon::app
