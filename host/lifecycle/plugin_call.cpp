#include "lifecycle/plugin_call.hpp"

#include <cstddef>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/utf8.hpp"

namespace tenon::plugins {

namespace {

// Texts of a plugin: perhaps without an end, perhaps no UTF-8.
std::string text_of(const char* text, std::size_t capacity) {
  const std::string_view found(text, strnlen(text, capacity));
  return base::is_valid_utf8(found) ? std::string(found) : "(its message is not valid UTF-8)";
}

}  // namespace

Reason PluginCall::reason(const char* code_of_host, std::string what) const {
  const std::string message = text_of(error.message, sizeof(error.message));
  const std::string name = text_of(error.name, sizeof(error.name));
  if (!message.empty()) what += ": " + message;
  if (!name.empty()) what += " (" + name + ")";
  if (!what.ends_with('.')) what += '.';
  return {code_of_host, std::move(what), {}, {}};
}

}  // namespace tenon::plugins
