#include "bridge/frame.hpp"

#include <exception>

namespace tenon::plugins {

constinit thread_local Frame* Frame::innermost_ = nullptr;

void report_exception() noexcept {
  try {
    throw;
  } catch (const std::exception& failure) {
    observability::log_error("plugin let an exception out", {{"what", failure.what()}});
  } catch (...) {
    observability::log_error("plugin let an exception out");
  }
}

}  // namespace tenon::plugins
