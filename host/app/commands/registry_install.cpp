#include "app/commands/registry_install.hpp"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>

#include "app/commands/local_commands.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "config/load.hpp"
#include "packages/manifest/manifest.hpp"
#include "packages/manifest/semantic_version.hpp"

namespace tenon::app {

namespace {

using base::JsonWriter;

std::string arguments_of(const RegistryWord& wanted, const std::vector<std::string>* consents) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("id", wanted.id).member("version", wanted.version);
  if (consents != nullptr) {
    json.key("consents").begin_array();
    for (const std::string& code : *consents)
      json.value(code);
    json.end_array();
  }
  json.end_object();
  return text;
}

// Throws the first reason with the words of all.
[[noreturn]] void refuse(const Poco::JSON::Array& reasons) {
  std::string words;
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    words += (words.empty() ? "" : " ") +
             reasons.getObject(static_cast<unsigned>(i))->getValue<std::string>("message");
  }
  throw base::Error(409, reasons.getObject(0)->getValue<std::string>("code"), words);
}

// The plugins to install, in this order; the last is the requested one.
std::vector<RegistryWord> order_of(const config::Settings& settings, const RegistryWord& wanted) {
  const std::string result = run_command(settings, "registry.order", arguments_of(wanted, nullptr));
  const auto order = base::parse_json_object(result, {.max_bytes = result.size() + 1});
  if (const auto reasons = order->getArray("reasons"); reasons->size() > 0) refuse(*reasons);
  std::vector<RegistryWord> steps;
  const auto items = order->getArray("steps");
  for (std::size_t i = 0; i < items->size(); ++i) {
    const auto step = items->getObject(static_cast<unsigned>(i));
    steps.push_back({step->getValue<std::string>("id"), step->getValue<std::string>("version")});
  }
  return steps;
}

}  // namespace

std::optional<RegistryWord> registry_word(const std::string& word) {
  std::error_code failure;
  if (std::filesystem::exists(word, failure)) return std::nullopt;
  const std::size_t at = word.find('@');
  RegistryWord wanted{word.substr(0, at), at == std::string::npos ? "" : word.substr(at + 1)};
  if (!plugins::is_plugin_id(wanted.id)) return std::nullopt;
  if (at != std::string::npos && !plugins::SemanticVersion::parse(wanted.version))
    return std::nullopt;
  return wanted;
}

std::string install_from_registry(const Arguments& given, const RegistryWord& wanted,
                                  const std::vector<std::string>& consents, bool with_required) {
  const config::Settings settings = config::load(config::process_sources(given.configuration));
  const std::vector<RegistryWord> steps = order_of(settings, wanted);
  if (steps.size() > 1 && !with_required) {
    std::string words;
    for (std::size_t i = 0; i + 1 < steps.size(); ++i)
      words += (words.empty() ? "" : ", ") + steps[i].id + "@" + steps[i].version;
    throw base::Error(409, "plugins.requires_missing",
                      wanted.id + " " + steps.back().version +
                          " requires what is to be installed "
                          "first, in this order: " +
                          words + ". Install them, or say --with-required.");
  }
  static const std::vector<std::string> none;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    std::fprintf(stderr, "%s %s is installed first\n", steps[i].id.c_str(),
                 steps[i].version.c_str());
    run_command(settings, "registry.install", arguments_of(steps[i], &none));
  }
  return run_command(settings, "registry.install", arguments_of(steps.back(), &consents));
}

std::string plan_in_registry(const Arguments& given, const RegistryWord& wanted) {
  const config::Settings settings = config::load(config::process_sources(given.configuration));
  RegistryWord named = wanted;
  if (named.version.empty()) {
    // The newest that can be installed; where none can, the plan of the latest says why.
    const std::string result =
        run_command(settings, "registry.order", arguments_of(wanted, nullptr));
    const auto steps =
        base::parse_json_object(result, {.max_bytes = result.size() + 1})->getArray("steps");
    if (steps->size() > 0) {
      named.version = steps->getObject(static_cast<unsigned>(steps->size() - 1))
                          ->getValue<std::string>("version");
    }
  }
  return run_command(settings, "registry.plan_install", arguments_of(named, nullptr));
}

}  // namespace tenon::app
