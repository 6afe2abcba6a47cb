#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include <sodium.h>

#include "app/commands/command_line.hpp"
#include "app/commands/signing_key.hpp"
#include "app/commands/subcommands.hpp"
#include "base/json_writer.hpp"
#include "registry/build.hpp"
#include "registry/check.hpp"
#include "registry/fetch.hpp"
#include "registry/index_json.hpp"
#include "registry/limits.hpp"
#include "registry/search.hpp"

namespace tenon::app {

namespace {

using base::JsonWriter;
using plugins::RegistryLimits;

void prepare() {
  if (sodium_init() < 0) throw std::runtime_error("the system gives no random numbers");
  // A server that closes a connection while it is written to.
  std::signal(SIGPIPE, SIG_IGN);
}

void print_json(const std::string& json) {
  std::printf("%s\n", json.c_str());
}

std::size_t versions_of(const plugins::PackageIndex& index) {
  std::size_t count = 0;
  for (const plugins::IndexedPlugin& plugin : index.plugins)
    count += plugin.versions.size();
  return count;
}

std::optional<std::uint64_t> serial_of(const Arguments& given) {
  if (!given.values.contains("--serial")) return std::nullopt;
  const std::string text = given.value("--serial");
  std::uint64_t serial = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), serial);
  if (error != std::errc() || end != text.data() + text.size() || serial == 0 ||
      serial > RegistryLimits::serial)
    throw UsageError("--serial: a whole number of 1 to " + std::to_string(RegistryLimits::serial) +
                     " is expected");
  return serial;
}

plugins::PublicKey key_of(const Arguments& given) {
  const std::string file = given.value("--key");
  if (file.empty())
    throw UsageError("needs --key KEY.pub, the public key of the registry's publisher");
  return read_checking_key(file);
}

plugins::FetchBounds within(std::chrono::seconds time) {
  return {std::chrono::steady_clock::now() + time};
}

plugins::PackageIndex read_index(const plugins::RegistryLocation& location,
                                 const Arguments& given) {
  return plugins::fetch_index(location, key_of(given), within(RegistryLimits::refresh)).index;
}

}  // namespace

int build_registry_index(const Arguments& given) {
  const std::string& folder = given.operands[0];
  prepare();
  const std::optional<std::uint64_t> serial = serial_of(given);
  const plugins::SecretKey key = read_signing_key(given);
  const plugins::BuiltRegistry built = plugins::build_registry(folder, key, serial);
  const std::string number = key.public_key().id();
  if (given.has("--json")) {
    std::string json;
    JsonWriter(json)
        .begin_object()
        .member("index", folder + "/" + plugins::index_name)
        .member("serial", built.index.serial)
        .member("changed", built.is_changed)
        .member("plugins", built.index.plugins.size())
        .member("versions", versions_of(built.index))
        .member("key", number)
        .end_object();
    print_json(json);
    return exit_done;
  }
  std::printf("%s/%s\n  %zu versions of %zu plugins, serial %llu, signed by the key %s%s\n",
              folder.c_str(), plugins::index_name, versions_of(built.index),
              built.index.plugins.size(), static_cast<unsigned long long>(built.index.serial),
              number.c_str(), built.is_changed ? "" : "; nothing has changed");
  return exit_done;
}

int verify_registry(const Arguments& given) {
  const plugins::RegistryLocation location(given.operands[0]);
  prepare();
  const plugins::PackageIndex index = read_index(location, given);
  plugins::check_registry(location, index, std::filesystem::temp_directory_path().string());
  if (given.has("--json")) {
    std::string json;
    JsonWriter(json)
        .begin_object()
        .member("serial", index.serial)
        .member("plugins", index.plugins.size())
        .member("versions", versions_of(index))
        .end_object();
    print_json(json);
    return exit_done;
  }
  std::printf("%s\n  serial %llu, %zu versions of %zu plugins, all as the index says\n",
              location.text().c_str(), static_cast<unsigned long long>(index.serial),
              versions_of(index), index.plugins.size());
  return exit_done;
}

int list_registry(const Arguments& given) {
  const plugins::RegistryLocation location(given.operands[0]);
  prepare();
  const plugins::PackageIndex index = read_index(location, given);
  const auto found = plugins::search_plugins(index, given.value("--search"));
  if (given.has("--json")) {
    std::string json;
    JsonWriter writer(json);
    writer.begin_object().member("serial", index.serial).key("items").begin_array();
    for (const plugins::IndexedPlugin* plugin : found)
      plugins::write_plugin(writer, *plugin);
    writer.end_array().end_object();
    print_json(json);
    return exit_done;
  }
  for (const plugins::IndexedPlugin* plugin : found) {
    std::printf("%-24s %-12s %s\n", plugin->id.c_str(), plugin->latest().version_text.c_str(),
                plugin->name.c_str());
    if (!plugin->description.empty()) std::printf("  %s\n", plugin->description.c_str());
  }
  return exit_done;
}

}  // namespace tenon::app
