#include "config/load.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <Poco/Util/LayeredConfiguration.h>
#include <Poco/Util/MapConfiguration.h>
#include <Poco/Util/PropertyFileConfiguration.h>
#include <unistd.h>

#include "base/error.hpp"
#include "config/keys.hpp"
#include "config/nearest.hpp"
#include "config/values.hpp"

extern char**
    environ;  // NOLINT(readability-redundant-declaration): POSIX asks the program to declare it

namespace tenon::config {

namespace {

namespace fs = std::filesystem;
using Poco::AutoPtr;
using Poco::Util::LayeredConfiguration;
using Poco::Util::MapConfiguration;
using Poco::Util::PropertyFileConfiguration;
using Mistakes = std::vector<std::string>;

constexpr std::size_t max_file_bytes = 1024 * 1024;
constexpr std::string_view environment_prefix = "TENON_";

enum Priority : int { flags = 0, environment = 1, file = 2, defaults = 3 };

const Key* find_key(const std::string& name, std::string (*spelling)(const Key&)) {
  for (const Key& key : keys()) {
    if (spelling(key) == name) return &key;
    if (!key.former_name.empty() && spelling(with_former_name(key)) == name) return &key;
  }
  return nullptr;
}

std::string file_name(const Key& key) {
  return std::string(key.name);
}

std::string suggestion(const std::string& name, std::string (*spelling)(const Key&)) {
  std::vector<std::string> known;
  for (const Key& key : keys())
    known.push_back(spelling(key));
  const std::string close = nearest(name, known);
  return close.empty() ? "; tenon serve --help lists all" : "; did you mean \"" + close + "\"?";
}

bool is_list(const Key& key) {
  return key.kind == Key::Kind::list || key.kind == Key::Kind::paths;
}

// Remembers which keys the file names twice, since a map keeps only the last.
class ConfigurationFile : public PropertyFileConfiguration {
 public:
  explicit ConfigurationFile(const std::string& text) {
    std::istringstream stream(text);
    load(stream);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (auto entry = begin(); entry != end(); ++entry)
      all.push_back(entry->first);
    return all;
  }
  const std::vector<std::string>& repeated() const { return repeated_; }

 protected:
  void setRaw(const std::string& key, const std::string& value) override {
    if (std::find_if(begin(), end(), [&](const auto& entry) { return entry.first == key; }) !=
        end())
      repeated_.push_back(key);
    PropertyFileConfiguration::setRaw(key, value);
  }

 private:
  std::vector<std::string> repeated_;
};

[[noreturn]] void refuse(int status, const char* code, const Mistakes& mistakes) {
  std::string message;
  for (const std::string& mistake : mistakes)
    message += (message.empty() ? "" : "\n") + mistake;
  throw base::Error(status, code, message);
}

AutoPtr<MapConfiguration> read_flags(const std::vector<std::string>& arguments) {
  AutoPtr<MapConfiguration> layer(new MapConfiguration);
  Mistakes mistakes;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (!argument.starts_with("--")) {
      mistakes.push_back("\"" + argument + "\" is not expected here; options begin with --.");
      continue;
    }
    const std::size_t equals = argument.find('=');
    const std::string flag = argument.substr(0, equals);
    const Key* key = find_key(flag, flag_name);
    if (key == nullptr) {
      mistakes.push_back("Unknown option \"" + flag + "\"" + suggestion(flag, flag_name));
      // Its value, if it had one, would only be reported a second time.
      if (equals == std::string::npos && i + 1 < arguments.size() &&
          !arguments[i + 1].starts_with("--"))
        ++i;
      continue;
    }
    std::string value;
    if (equals != std::string::npos) {
      value = argument.substr(equals + 1);
    } else if (i + 1 < arguments.size()) {
      value = arguments[++i];
    } else {
      mistakes.push_back("The option " + flag + " needs a value: " + flag + " " +
                         std::string(key->placeholder) + ".");
      continue;
    }
    const std::string name(key->name);
    if (layer->has(name)) {
      if (!is_list(*key)) {
        mistakes.push_back("The option " + flag_name(*key) + " is given twice; keep one.");
        continue;
      }
      value = layer->getRawString(name) + "," + value;
    }
    layer->setString(name, value);
  }
  if (!mistakes.empty()) refuse(400, "config.usage", mistakes);
  return layer;
}

AutoPtr<MapConfiguration> read_environment(
    const std::vector<std::pair<std::string, std::string>>& variables, Mistakes& mistakes) {
  AutoPtr<MapConfiguration> layer(new MapConfiguration);
  for (const auto& [name, value] : variables) {
    if (!name.starts_with(environment_prefix) || value.empty()) continue;
    const Key* key = find_key(name, environment_name);
    if (key == nullptr) {
      mistakes.push_back("Unknown environment variable \"" + name + "\"" +
                         suggestion(name, environment_name));
    } else if (layer->has(std::string(key->name))) {
      mistakes.push_back("The environment variables " + environment_name(*key) + " and " +
                         environment_name(with_former_name(*key)) + " are both set; keep one.");
    } else {
      layer->setString(std::string(key->name), value);
    }
  }
  return layer;
}

AutoPtr<MapConfiguration> read_file(const std::string& path, Mistakes& mistakes) {
  AutoPtr<MapConfiguration> nothing(new MapConfiguration);
  std::error_code failure;
  if (!fs::exists(path, failure)) {
    if (failure)
      mistakes.push_back("The file " + path + " cannot be read: " + failure.message() + ".");
    return nothing;
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text(max_file_bytes + 1, '\0');
  if (stream.is_open() && fs::is_regular_file(path, failure)) {
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
  } else {
    mistakes.push_back("The file " + path +
                       " cannot be read: it must be a regular file that this user may read.");
    return nothing;
  }
  if (text.size() > max_file_bytes) {
    mistakes.push_back("The file " + path + " is larger than " + show_size(max_file_bytes) + ".");
    return nothing;
  }
  AutoPtr<ConfigurationFile> layer(new ConfigurationFile(text));
  for (const std::string& name : layer->repeated())
    mistakes.push_back("The key \"" + name + "\" is given twice in " + path + "; keep one.");
  for (const std::string& name : layer->names()) {
    const Key* key = find_key(name, file_name);
    if (key == nullptr) {
      mistakes.push_back("Unknown key \"" + name + "\" in " + path + suggestion(name, file_name));
    } else if (!key->in_file) {
      mistakes.push_back("The key \"" + name + "\" is not allowed in " + path + "; use " +
                         flag_name(*key) + ".");
    } else if (name == key->former_name) {
      const std::string current(key->name);
      if (layer->has(current))
        mistakes.push_back("The keys \"" + current + "\" and \"" + name + "\" in " + path +
                           " are the same; keep one.");
      else
        layer->setString(current, layer->getRawString(name));
    }
  }
  return layer;
}

std::string absolute(const std::string& path, const std::string& from) {
  std::string text = (fs::path(from) / path).lexically_normal().string();
  while (text.size() > 1 && text.back() == '/')
    text.pop_back();
  return text;
}

std::string resolve(const Key& key, const std::string& value, const std::string& from) {
  if (value.empty() || key.kind == Key::Kind::value || key.kind == Key::Kind::list) return value;
  if (key.kind == Key::Kind::path) return absolute(value, from);
  std::string paths;
  for (const std::string& part : split_list(value))
    paths += (paths.empty() ? "" : ",") + absolute(part, from);
  return paths;
}

std::string layer_title(Priority priority, const Key& key, const std::string& path) {
  switch (priority) {
    case flags:
      return "the option " + flag_name(key);
    case environment:
      return "the environment variable " + environment_name(key);
    case file:
      return path;
    default:
      return "the defaults";
  }
}

}  // namespace

Sources process_sources(std::vector<std::string> arguments) {
  Sources sources;
  sources.arguments = std::move(arguments);
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const char* equals = std::strchr(*entry, '=');
    if (equals != nullptr)
      sources.environment.emplace_back(
          std::string(*entry, static_cast<std::size_t>(equals - *entry)), equals + 1);
  }
  std::error_code failure;
  sources.program_directory = fs::read_symlink("/proc/self/exe", failure).parent_path().string();
  return sources;
}

std::string data_directory(const Sources& sources) {
  Mistakes ignored;
  std::string value;
  if (const auto given = read_flags(sources.arguments); given->has("data"))
    value = given->getRawString("data");
  else if (const auto named = read_environment(sources.environment, ignored); named->has("data"))
    value = named->getRawString("data");
  else
    value = find_key("data", file_name)->fallback;
  return absolute(std::string(trim(value)), fs::current_path().string());
}

Settings load(const Sources& sources) {
  const std::string here = fs::current_path().string();
  Mistakes mistakes;
  std::vector<AutoPtr<MapConfiguration>> layers;
  layers.push_back(read_flags(sources.arguments));
  layers.push_back(read_environment(sources.environment, mistakes));

  AutoPtr<MapConfiguration> fallbacks(new MapConfiguration);
  for (const Key& key : keys())
    fallbacks->setString(std::string(key.name), std::string(key.fallback));

  AutoPtr<LayeredConfiguration> all(new LayeredConfiguration);
  all->add(layers[flags], flags, false);
  all->add(layers[environment], environment, false);
  all->add(fallbacks, defaults, false);
  const std::string data = absolute(std::string(trim(all->getRawString("data"))), here);
  const std::string path = data + "/tenon.conf";
  layers.push_back(read_file(path, mistakes));
  layers.push_back(fallbacks);
  all->add(layers[file], file, false);

  Settings settings;
  for (const Key& key : keys()) {
    const std::string name(key.name);
    int from = flags;
    while (!layers[static_cast<std::size_t>(from)]->has(name))
      ++from;
    const auto priority = static_cast<Priority>(from);
    if (name == "data") settings.is_data_default = priority == defaults;
    const std::string value(trim(all->getRawString(name)));
    const std::string& base_directory = priority == file ? data
                                        : priority == defaults && name != "data"
                                            ? sources.program_directory
                                            : here;
    try {
      key.apply(settings, resolve(key, value, base_directory));
    } catch (const std::invalid_argument& expected) {
      const std::string shown = key.is_secret ? "" : "\"" + value + "\" ";
      mistakes.push_back("The value " + shown + "of \"" + name + "\" in " +
                         layer_title(priority, key, path) + " is not valid; expected " +
                         expected.what() + ".");
    }
  }
  if (!mistakes.empty()) refuse(422, "config.invalid", mistakes);
  return settings;
}

}  // namespace tenon::config
