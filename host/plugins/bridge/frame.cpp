#include "plugins/bridge/frame.hpp"

namespace tenon::plugins {

constinit thread_local Frame* Frame::innermost_ = nullptr;

}  // namespace tenon::plugins
