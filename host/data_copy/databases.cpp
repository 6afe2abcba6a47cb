#include "data_copy/databases.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "bridge/declaration.hpp"
#include "data/database.hpp"
#include "lifecycle/discovery.hpp"
#include "postgresql/client/server.hpp"
#include "postgresql/client/server_check.hpp"

namespace tenon::console {

namespace {

namespace copying = data::copying;
namespace pg = data::postgresql;

constexpr const char* host_name = "core";
constexpr std::string_view host_file = "tenon";
constexpr std::string_view file_end = ".db";

bool is_host(const DatabaseRef& part) noexcept {
  return !part.declaration;
}

std::string file_of(const DataCopy& move, const DatabaseRef& part) {
  return move.data + "/" + (is_host(part) ? std::string(host_file) : part.name) +
         std::string(file_end);
}

// Databases of SQLite in the folder, by their parts' names, sorted.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code failure;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(file_end)) continue;
    const std::string stem = file.substr(0, file.size() - file_end.size());
    names.push_back(stem == host_file ? host_name : stem);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> databases_in(const std::string& url) {
  pg::Server server(url);
  std::vector<std::string> names;
  if (!pg::ask_server(url).has_host_schema) return names;
  if (copying::read_schema(server.known_host_schema())->has_copy_state() ||
      !copying::read_schema(server.known_host_schema())->tables().empty())
    names.emplace_back(host_name);
  for (std::string& plugin : server.plugins()) {
    const auto side = copying::read_schema(*server.known_schema(plugin));
    if (side->has_copy_state() || !side->tables().empty()) names.push_back(std::move(plugin));
  }
  return names;
}

std::vector<std::string> databases_of_source(const DataCopy& move) {
  return move.from.empty() ? files_in(move.data) : databases_in(move.from);
}

data::schema::Plan plan_of(const DataCopy& move, const DatabaseRef& part) {
  if (move.from.empty()) return data::plan_file(file_of(move, part), false, *part.declaration);
  return pg::Server(move.from).plan(*part.declaration);
}

// A version that was installed from a package, which is the one that the data are of.
std::optional<DatabaseRef> installed_part(const DataCopy& move, const std::string& plugin) {
  std::error_code failure;
  const std::string folder = move.data + "/plugins/" + plugin;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    const plugins::DiscoveredPlugin found = plugins::look_at_version(entry.path().string(), plugin);
    if (!found.manifest) continue;
    DatabaseRef part{plugin, plugins::read_declaration(*found.manifest, found.folder)};
    if (plan_of(move, part).is_empty()) return part;
  }
  return std::nullopt;
}

// Its folder must say what its data are now: these tables are made in the target.
DatabaseRef part_of(const DataCopy& move, const std::string& plugin) {
  if (std::optional<DatabaseRef> installed = installed_part(move, plugin))
    return *std::move(installed);
  const auto found = plugins::PluginFolders(move.plugins, nullptr).one(plugin);
  if (!found) {
    throw move_refused("The plugin " + plugin +
                       " has data, but no folder; its tables are made from there. Name where it "
                       "is with --plugins.");
  }
  if (!found->manifest) {
    throw move_refused("The plugin " + plugin + " in " + found->folder +
                       " cannot be read: " + found->refused->message);
  }
  DatabaseRef part{plugin, plugins::read_declaration(*found->manifest, found->folder)};
  const auto plan = plan_of(move, part);
  if (!plan.is_empty()) {
    throw move_refused("The data of the plugin " + plugin + " are of version " +
                       (plan.from_version.empty() ? "none" : plan.from_version) + ", its folder " +
                       found->folder + " is of version " + plan.to_version +
                       " and would change them. Start and stop the server on the source once, then "
                       "run the same command again.");
  }
  return part;
}

}  // namespace

base::Error move_refused(const std::string& message) {
  return {409, "data.copy_refused", message};
}

std::vector<DatabaseRef> find_parts(const DataCopy& move) {
  const auto names = databases_of_source(move);
  if (std::find(names.begin(), names.end(), host_name) == names.end()) {
    throw move_refused("There is no installation in " +
                       (move.from.empty() ? move.data : pg::shown_url(move.from)) +
                       ". Name the data directory or the database that a server has used before.");
  }
  std::vector<DatabaseRef> parts{{host_name, std::nullopt}};
  for (const std::string& name : names) {
    if (name == host_name) continue;
    // A plugin that never came to have tables.
    const DatabaseRef bare{name, data::Declaration{}};
    const auto side = open_source(move, bare);
    if (side->tables().empty() && side->migrations().empty()) continue;
    parts.push_back(part_of(move, name));
  }
  return parts;
}

std::unique_ptr<copying::CopySource> open_source(const DataCopy& move, const DatabaseRef& part) {
  if (move.from.empty()) return copying::read_file(file_of(move, part));
  pg::Server server(move.from);
  return copying::read_schema(is_host(part) ? server.known_host_schema()
                                            : *server.known_schema(part.name));
}

data::DatabaseOptions target_options(const DataCopy& move, const DatabaseRef& part) {
  data::DatabaseOptions options;
  if (is_host(part)) options.confinement = data::Confinement::host();
  if (move.to.empty()) {
    options.path = file_of(move, part);
  } else {
    pg::Server server(move.to);
    options.postgresql = is_host(part) ? server.host_schema() : server.plugin_schema(part.name);
  }
  return options;
}

std::unique_ptr<copying::CopyTarget> open_target(const DataCopy& move, const DatabaseRef& part) {
  const auto options = target_options(move, part);
  return options.postgresql ? copying::write_schema(*options.postgresql)
                            : copying::write_file(options.path);
}

std::unique_ptr<copying::CopySource> look_at_target(const DataCopy& move, const DatabaseRef& part) {
  if (move.to.empty()) {
    const std::string file = file_of(move, part);
    return std::filesystem::exists(file) ? copying::read_file(file) : nullptr;
  }
  pg::Server server(move.to);
  if (!pg::ask_server(move.to).has_host_schema) return nullptr;
  if (is_host(part)) return copying::read_schema(server.known_host_schema());
  const auto location = server.known_schema(part.name);
  return location ? copying::read_schema(*location) : nullptr;
}

std::vector<std::string> databases_of_target(const DataCopy& move) {
  if (!move.to.empty()) return databases_in(move.to);
  auto names = files_in(move.data);
  // A copy that was interrupted may have left one in which nothing is yet.
  std::erase_if(names, [&](const std::string& name) {
    const auto file =
        copying::read_file(move.data + "/" + (name == host_name ? std::string(host_file) : name) +
                           std::string(file_end));
    return !file->has_copy_state() && file->tables().empty();
  });
  return names;
}

std::string identity_of_source(const DataCopy& move) {
  if (!move.from.empty()) return "postgresql " + pg::Server(move.from).installation().id;
  std::error_code ignored;
  const auto path = std::filesystem::canonical(move.data, ignored);
  return "sqlite " + (ignored ? move.data : path.string());
}

}  // namespace tenon::console
