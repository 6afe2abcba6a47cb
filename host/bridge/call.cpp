#include "plugins/bridge/call.hpp"

#include "plugins/bridge/frame.hpp"

namespace tenon::plugins {

void Call::drop_writable() noexcept {
  drop(writable);
}

}  // namespace tenon::plugins
