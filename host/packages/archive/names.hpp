#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tenon::plugins {

/// Names of the two entries that describe the others.
inline constexpr std::string_view list_name = "FILES";
inline constexpr std::string_view signature_name = "SIGNATURE";

/// Returns why a file of a package may not have this name; empty if it may. A name is 1 to 255
/// bytes of [A-Za-z0-9._-] and '/', in at most 16 parts, none of them empty, "." or "..".
std::string fault_of_name(std::string_view name);

/// The names of one package, FILES and SIGNATURE among them, as a file system that takes "a" for
/// "A" would see them. Not thread-safe.
class NameSet {
 public:
  NameSet();
  /// Adds a name that fault_of_name() has passed. Returns why it conflicts with the earlier ones;
  /// empty if it does not.
  std::string add(std::string_view name);

 private:
  struct Entry {
    std::string spelling;
    bool is_folder;
  };
  std::map<std::string, Entry, std::less<>> entries_;
};

}  // namespace tenon::plugins
