#include "app/dev/update_plugin.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <regex>
#include <system_error>

#include "base/error.hpp"
#include "packages/archive/file_access.hpp"

namespace tenon::app {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t max_sdk_file_bytes = 16 * 1024 * 1024;
constexpr const char* no_sdk_packages = "plugins.no_template";

// The tarballs in a folder: "tenon-ui" → "tenon-ui-0.9.0.tgz".
std::map<std::string, std::string> tarballs_in(const fs::path& folder) {
  static const std::regex form("(tenon-[a-z-]+)-([0-9].*)\\.tgz");
  std::map<std::string, std::string> found;
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    const std::string name = entry.path().filename().string();
    std::smatch parts;
    if (std::regex_match(name, parts, form)) found[parts[1]] = name;
  }
  return found;
}

std::string read(const fs::path& file) {
  return plugins::read_bounded(file.string(), max_sdk_file_bytes, no_sdk_packages);
}

void replace(std::string& text, const std::string& before, const std::string& after) {
  for (std::size_t at = text.find(before); at != std::string::npos;
       at = text.find(before, at + after.size()))
    text.replace(at, before.size(), after);
}

}  // namespace

UpdateSummary update_sdk_packages(const std::string& folder, const std::string& sdk) {
  const fs::path top(folder);
  std::error_code failure;
  if (!fs::exists(top / "plugin.json", failure)) {
    throw base::Error(404, "dev.no_plugin",
                      folder + " has no plugin.json. Run this in the folder of a plugin.");
  }
  UpdateSummary summary;
  if (!fs::exists(top / "ui/package.json", failure)) return summary;
  const fs::path source = fs::path(sdk) / "npm";
  const auto offered = tarballs_in(source);
  if (offered.empty()) {
    throw base::Error(404, no_sdk_packages,
                      source.string() +
                          ": this SDK has no npm packages. ./dev build makes them; install the SDK "
                          "again.");
  }
  const fs::path target = top / "ui/sdk";
  const auto used = tarballs_in(target);
  std::string manifest = read(top / "ui/package.json");
  const std::string manifest_before = manifest;
  fs::create_directories(target, failure);
  for (const auto& [name, file] : offered) {
    const std::string content = read(source / file);
    const auto old = used.find(name);
    if (old != used.end() && old->second == file && read(target / file) == content) continue;
    plugins::replace_file((target / file).string(), content);
    if (old == used.end() || old->second == file) {
      summary.push_back("ui/sdk/" + file + (old == used.end() ? " added" : " replaced"));
      continue;
    }
    replace(manifest, "file:sdk/" + old->second, "file:sdk/" + file);
    fs::remove(target / old->second, failure);
    summary.push_back("ui/sdk/" + old->second + " replaced by " + file);
  }
  if (manifest != manifest_before) {
    plugins::replace_file((top / "ui/package.json").string(), manifest);
    summary.emplace_back("ui/package.json names the new packages");
  }
  if (!summary.empty()) fs::remove_all(top / "ui/node_modules", failure);
  return summary;
}

}  // namespace tenon::app
