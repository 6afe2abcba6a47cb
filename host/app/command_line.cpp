#include "app/command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

#include "app/arguments.hpp"
#include "app/subcommands.hpp"
#include "base/error.hpp"

namespace tenon::app {

namespace {

constexpr const char* overview = R"(Usage: tenon COMMAND [OPTIONS]

  serve     run the server                       tenon serve --help
  user      add NAME --role admin|member [--name TEXT] [--password-stdin]
            list | enable NAME | disable NAME | reset-password NAME [--password-stdin]
  hosts     list | add NAME | remove NAME: host names by which the server may be reached
  plugin    list | enable ID | disable ID
            rollback ID [--data keep|restore] [--plan]: the version before, with the data of now or of that time
            remove ID [--data keep|export|purge]: its files, and what becomes of its data
            exports | forget-export NAME: data of plugins that were removed with --data export
            keys | trust KEY.pub [--name TEXT] | revoke NUMBER [--reason TEXT] | forget NUMBER: whose packages may be installed
            plan FOLDER: what installing this version would do to the plugin's data
            plan|install|upgrade FILE|ID[@VERSION] [--with-required] [--replace]: a package, or a plugin of the registry
            new ID [--output FOLDER]: a plugin to begin with, in the folder ID
            keygen NAME --password-stdin|--no-password: a key, NAME.key and NAME.pub, as minisign's
            pack FOLDER [--output FILE]: the package ID-VERSION.tenon, beside the folder
            sign FILE --key NAME.key [--password-stdin]
            verify FILE [--key NAME.pub]: what is in a package, whether it is whole and who signed it
  registry  build DIR --key NAME.key [--serial N] [--password-stdin]: a signed index of the packages in a folder
            verify DIR|URL --key NAME.pub: whether all of a registry is as its index says
            list DIR|URL --key NAME.pub [--search TEXT]
  data      copy --from PLACE --to PLACE      moves an installation between SQLite and PostgreSQL; tenon data --help
  doctor    [--full] say what is wrong with an installation, and what to do
  openapi   print the API's description, as an admin of the running server reads it
  version   print the version

user, hosts and plugin talk to the server that uses the data directory (--data DIR), or work on the data when none runs;
doctor and plan change nothing in either case; new, keygen, pack, sign and verify work on files alone, registry on files and what a web server has. --json prints what the API would answer. Exit codes: 0 done, 1 refused or failed, 2 usage.
)";

struct Subcommand {
  const char* name;
  int (*run)(const std::vector<std::string>&);
};

constexpr Subcommand subcommands[] = {
    {"serve", serve},   {"user", user},         {"hosts", hosts},
    {"plugin", plugin}, {"data", data_command}, {"registry", registry_command},
    {"doctor", doctor}, {"openapi", openapi},   {"version", version}};

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
