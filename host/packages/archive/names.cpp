#include "packages/archive/names.hpp"

#include <algorithm>

#include "packages/archive/limits.hpp"

namespace tenon::plugins {

namespace {

bool is_allowed(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

std::string lower(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lowered;
}

}  // namespace

std::string fault_of_name(std::string_view name) {
  if (name.empty()) return "A file has no name.";
  if (name.size() > PackageLimits::name)
    return "A name is at most " + std::to_string(PackageLimits::name) +
           " bytes long with its folders.";
  if (name.front() == '/') return "A name begins in the plugin's folder, not with a slash.";
  std::size_t levels = 0;
  for (std::string_view rest = name;;) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    if (part.empty() || part == "." || part == "..")
      return "A name has no empty, \".\" or \"..\" part.";
    if (!std::all_of(part.begin(), part.end(), is_allowed))
      return "A name is made of A-Z, a-z, 0-9, \".\", \"_\", \"-\" and \"/\".";
    if (++levels > PackageLimits::levels)
      return "A name has at most " + std::to_string(PackageLimits::levels) + " levels.";
    if (slash == std::string_view::npos) return {};
    rest.remove_prefix(slash + 1);
  }
}

NameSet::NameSet() {
  add(list_name);
  add(signature_name);
}

std::string NameSet::add(std::string_view name) {
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = name.find('/', end + 1);
    const bool is_folder = end != std::string_view::npos;
    const std::string_view path = name.substr(0, end);
    const auto [found, is_new] =
        entries_.try_emplace(lower(path), Entry{std::string(path), is_folder});
    if (is_new) continue;
    const Entry& there = found->second;
    if (there.spelling != path)
      return "It differs from \"" + there.spelling + "\" by upper and lower case alone.";
    if (is_folder != there.is_folder)
      return "\"" + there.spelling + "\" is both a file and a folder.";
    if (!is_folder) return "The name is there twice, or is reserved for the package itself.";
  }
  return {};
}

}  // namespace tenon::plugins
