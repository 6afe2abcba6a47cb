#include "app/commands/command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

#include "app/commands/arguments.hpp"
#include "app/commands/subcommands.hpp"
#include "base/error.hpp"

namespace tenon::app {

namespace {

constexpr const char* overview = R"(Usage: tenon COMMAND [OPTIONS]

Run a server
  serve                                  Runs the server. See: tenon serve --help
  doctor [--full]                        Checks an installation and says how to fix what it finds.
  version                                Prints the version.

Users and host names
  user list                              Lists the users.
  user add NAME --role admin|member [--name TEXT] [--password-stdin]
  user enable|disable NAME
  user reset-password NAME [--password-stdin]
  hosts list | add NAME | remove NAME    Host names that requests may address.

Plugins
  plugin list                            Lists the plugins and their states.
  plugin show ID                         Shows everything about one plugin.
  plugin plan FILE|FOLDER|ID[@VERSION]   Shows what an installation or upgrade would change.
  plugin install FILE|ID[@VERSION] [--consent CODES] [--with-required] [--replace]
         [--restore-export FILE|NAME]    Installs a package file, or a plugin of the registry.
  plugin upgrade FILE|ID[@VERSION] [--consent CODES] [--with-required] [--replace]
  plugin enable|disable ID
  plugin reload ID                       Loads the files of a plugin in a directory again.
  plugin settings ID [KEY [VALUE|--default]]
                                         Shows or sets settings. VALUE "-" reads a line of stdin.
  plugin rollback ID [--data-policy keep|restore] [--plan]
                                         Returns to the previous version, with current or previous data.
  plugin remove ID [--data-policy keep|export|purge]
                                         Removes a plugin; keeps its data unless you say otherwise.
  plugin export list                     Lists the exported data of removed plugins.
  plugin export delete NAME              Deletes one export.

Publishers and registries
  plugin keys                            Lists the keys that may sign packages.
  plugin trust KEY.pub [--name TEXT]     Trusts a key.
  plugin revoke NUMBER [--reason TEXT]   Refuses packages signed by a key.
  plugin forget NUMBER                   Removes a key from the list.
  registry build DIR --key NAME.key [--serial N] [--password-stdin]
                                         Writes the signed index of a folder of packages.
  registry verify DIR|URL --key NAME.pub Checks a registry against its index.
  registry list DIR|URL --key NAME.pub [--search TEXT]

Develop a plugin
  dev [FOLDER] [OPTIONS OF serve]        Builds and serves the plugin, and loads it again after each change.
  plugin new ID [--template full|page|table] [--output FOLDER]
                                         Creates a plugin: with native code, a page, or a table only.
  plugin test [FOLDER]                   Builds a plugin and runs its tests.
  plugin build [FOLDER]                  Builds a plugin for its package, into the folder dist.
  plugin check FOLDER|FILE               Prints all errors and warnings of a built plugin or a package.
  plugin keygen NAME --password-stdin|--no-password
                                         Creates the key pair NAME.key and NAME.pub.
  plugin pack FOLDER [--output FILE]     Creates the package ID-VERSION.tenon.
  plugin sign FILE --key NAME.key [--password-stdin]
  plugin verify FILE [--key NAME.pub]    Checks a package and its signature.
  openapi                                Prints the description of the API.

Move the data
  data copy --from DATABASE --to DATABASE
                                         Copies an installation between SQLite and PostgreSQL.
                                         See: tenon data --help

user, hosts and plugin use the running server of the data directory (--data DIR), or the data itself when no server
runs. doctor and plan change nothing. With --json, commands print the JSON of the API. Exit codes: 0 success, 1 refused
or failed, 2 wrong usage.
)";

struct Subcommand {
  const char* name;
  int (*run)(const std::vector<std::string>&);
};

constexpr Subcommand subcommands[] = {{"serve", serve},
                                      {"dev", dev},
                                      {"user", user},
                                      {"hosts", hosts},
                                      {"plugin", plugin},
                                      {"data", data_command},
                                      {"registry", registry_command},
                                      {"doctor", doctor},
                                      {"openapi", openapi},
                                      {"version", version}};

int wrong_usage(const std::string& what) {
  std::fprintf(stderr, "tenon: %s\nTry: tenon help\n", what.c_str());
  return exit_usage;
}

}  // namespace

int run(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    std::fputs(overview, stderr);
    return exit_usage;
  }
  const std::string& name = arguments.front();
  if (name == "help" || name == "--help" || name == "-h") {
    std::fputs(overview, stdout);
    return exit_done;
  }
  const bool asks = std::any_of(arguments.begin(), arguments.end(), [](const std::string& word) {
    return word == "--help" || word == "-h";
  });
  for (const Subcommand& subcommand : subcommands) {
    if (name != subcommand.name && !(name == "--version" && subcommand.run == version)) continue;
    if (asks && subcommand.run != serve && subcommand.run != data_command) {
      std::fputs(overview, stdout);
      return exit_done;
    }
    try {
      return subcommand.run({arguments.begin() + 1, arguments.end()});
    } catch (const UsageError& error) {
      return wrong_usage(name + ": " + error.what());
    } catch (const base::Error& error) {
      if (error.code() == "config.usage") return wrong_usage(error.message());
      std::fprintf(stderr, "tenon: %s\n", error.message().c_str());
      for (const base::FieldError& field : error.fields()) {
        std::fprintf(stderr, "  %s: %s\n", field.field.c_str(), field.message.c_str());
      }
      return exit_refused;
    }
  }
  return wrong_usage("there is no command \"" + name + "\"");
}

}  // namespace tenon::app
