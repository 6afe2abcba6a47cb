#pragma once

#include <cstdint>
#include <string>

#include <tenon/entry.h>

#include "packages/reason.hpp"

namespace tenon::plugins {

/// The result of a step of a plugin's life; outlives a plugin that does not return from it.
struct PluginCall {
  PluginCall() noexcept { error.size = sizeof(error); }

  /// Returns why the step failed: `what`, and the plugin's own message.
  Reason reason(const char* code_of_host, std::string what) const;

  tenon_error error{};
  tenon_code code = TENON_E_INTERNAL;
  tenon_plugin* plugin = nullptr;  ///< of create
};

/// A function of the plugin, null where its struct is older and ends before it.
template <typename Member>
auto slot(const tenon_plugin& plugin, Member member, std::uint32_t need) {
  return plugin.size >= need ? plugin.*member : nullptr;
}

}  // namespace tenon::plugins
