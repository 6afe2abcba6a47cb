#include <cstdio>
#include <iostream>
#include <string>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>
#include <unistd.h>

#include "app/commands/arguments.hpp"
#include "app/commands/local_commands.hpp"
#include "app/commands/subcommands.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "config/load.hpp"

namespace tenon::app {

namespace {

std::string password_from_stdin() {
  std::string password;
  if (isatty(STDIN_FILENO) != 0) std::fputs("Password: ", stderr);
  if (!std::getline(std::cin, password))
    throw UsageError("--password-stdin: there is nothing on standard input");
  if (password.ends_with('\r')) password.pop_back();
  return password;
}

void print_user(const Poco::JSON::Object& user) {
  std::printf("%-24s %-8s %-9s %s\n", user.getValue<std::string>("login").c_str(),
              user.getValue<std::string>("role").c_str(),
              user.getValue<bool>("disabled") ? "disabled" : "",
              user.getValue<std::string>("name").c_str());
}

void print_result(const std::string& action, const std::string& result) {
  const auto response = base::parse_json_object(result, {.max_bytes = result.size() + 1});
  if (action == "list") {
    const auto users = response->getArray("items");
    for (std::size_t i = 0; i < users->size(); ++i)
      print_user(*users->getObject(static_cast<unsigned>(i)));
    return;
  }
  print_user(*response);
  if (response->has("password"))
    std::printf("password: %s\n", response->getValue<std::string>("password").c_str());
}

}  // namespace

int user(const Arguments& given) {
  const std::string action = action_of(given);
  const config::Settings settings = config::load(config::process_sources(given.configuration));

  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  if (action != "list") json.member("login", given.operand(0));
  if (action == "add") {
    if (given.value("--role").empty()) throw UsageError("needs --role admin or --role member");
    json.member("role", given.value("--role"));
    if (!given.value("--name").empty()) json.member("name", given.value("--name"));
  }
  if (given.has("--password-stdin")) json.member("password", password_from_stdin());
  json.end_object();

  const std::string result = run_command(
      settings, action == "reset-password" ? "user.reset_password" : "user." + action, text);
  if (given.has("--json"))
    std::printf("%s\n", result.c_str());
  else
    print_result(action, result);
  return 0;
}

}  // namespace tenon::app
