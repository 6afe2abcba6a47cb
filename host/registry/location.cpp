#include "registry/location.hpp"

#include <algorithm>

#include <Poco/Exception.h>
#include <Poco/URI.h>

#include "packages/reason.hpp"
#include "registry/limits.hpp"

namespace tenon::plugins {

namespace {

// Why it is no URL of a registry; empty where it is one.
std::string fault_of(std::string_view text) {
  if (text.size() > RegistryLimits::url)
    return "longer than " + std::to_string(RegistryLimits::url) + " bytes";
  if (std::any_of(text.begin(), text.end(), [](char c) { return c <= ' ' || c >= 0x7f; }))
    return "it holds characters that no URL has";
  try {
    const Poco::URI url{std::string(text)};
    if (url.getScheme() != "http" && url.getScheme() != "https") return "neither http nor https";
    if (url.getHost().empty()) return "it names no host";
    if (!url.getUserInfo().empty()) return "it holds a user, and a registry has no sign-in";
    if (!url.getRawQuery().empty() || !url.getFragment().empty())
      return "it must end with a path, for names of files follow it";
  } catch (const Poco::Exception& failure) {
    return "it is no URL: " + failure.displayText();
  }
  return {};
}

}  // namespace

RegistryLocation::RegistryLocation(std::string_view text)
    : text_(text), is_remote_(text.find("://") != std::string_view::npos) {
  const std::string fault =
      is_remote_ ? fault_of(text) : std::string(text.empty() ? "it is empty" : "");
  if (!fault.empty())
    throw Refusal(
        {"plugins.registry_place_invalid",
         "A registry is a folder, or a URL such as https://plugins.example/tenon; this is "
         "neither: " +
             fault + ".",
         {},
         {}},
        422);
  while (text_.size() > 1 && text_.ends_with('/'))
    text_.pop_back();
}

}  // namespace tenon::plugins
