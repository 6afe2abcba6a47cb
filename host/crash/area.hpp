#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "crash/running_calls.hpp"

namespace tenon::plugins {

/// The form of the memory that a host shares with its supervisor. All zeroes is an empty one.
struct CrashArea {
  static constexpr std::size_t max_trace = 16;
  static constexpr std::size_t max_beats = 64;     ///< I/O threads; those beyond are not looked at
  static constexpr std::size_t max_request = 128;  ///< bytes of an id; a longer one is cut
  static constexpr std::size_t max_route = 256;    ///< the same of a pattern

  struct Frame {
    std::uint32_t plugin;
    std::uint64_t offset;
  };
  /// Written by note(); complete once `is_whole` is 1.
  struct Details {
    std::atomic<std::uint32_t> is_begun;
    std::atomic<std::uint32_t> is_whole;
    std::uint32_t mark;
    std::uint8_t request_size;
    std::array<char, max_request> request;
    std::uint16_t route_size;
    std::array<char, max_route> route;
    std::uint32_t trace_size;
    std::array<Frame, max_trace> trace;
  };

  Details details;
  /// How often each I/O thread has counted, see http::ServerOptions::beats; 0: there is none.
  std::array<std::atomic<std::uint64_t>, max_beats> beats;
  std::array<CallSlot, RunningCalls::max_threads> slots;
  /// By number; one without a 0 is of the longest.
  std::array<std::array<char, RunningCalls::max_id>, RunningCalls::max_plugins + 1> ids;
};

}  // namespace tenon::plugins
