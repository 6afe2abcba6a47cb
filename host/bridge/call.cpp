#include "bridge/call.hpp"

#include "bridge/frame.hpp"

namespace tenon::plugins {

void Call::drop_writable() noexcept {
  drop(writable);
}

}  // namespace tenon::plugins
