#include "app/dev/dev_output.hpp"

#include <functional>

#include "app/dev/sample_users.hpp"
#include "base/json_writer.hpp"

namespace tenon::app {

namespace {

void print_line(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

void print_event(const char* name, const std::function<void(base::JsonWriter&)>& add_members) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().member("event", name);
  add_members(json);
  json.end_object();
  print_line(text);
}

void print_event(const char* name, const char* member, const std::string& value) {
  print_event(name, [&](base::JsonWriter& json) { json.member(member, value); });
}

std::string without_line_ends(std::string text) {
  while (text.ends_with('\n'))
    text.pop_back();
  return text;
}

}  // namespace

void DevOutput::message(const std::string& text) const {
  if (is_json_) return print_event("message", "text", text);
  print_line(text);
}

void DevOutput::ready(const std::string& id, const std::string& url,
                      const std::string& page) const {
  if (!is_json_) {
    std::string logins;
    for (const SampleUser& user : sample_users)
      logins += (logins.empty() ? "" : ", ") + std::string(user.login);
    return print_line("\n  " + url + page + "\n  Users: " + logins + "; password " +
                      sample_password +
                      "\n  Keys: r resets the plugin's data, u switches the user, w opens the "
                      "inspector, t runs the tests, q quits\n");
  }
  print_event("ready", [&](base::JsonWriter& json) {
    json.member("id", id)
        .member("url", url)
        .member("page", url + page)
        .member("password", sample_password)
        .key("users")
        .begin_array();
    for (const SampleUser& user : sample_users)
      json.value(user.login);
    json.end_array();
  });
}

void DevOutput::changed(const std::string& path, bool more) const {
  if (is_json_) return print_event("changed", "path", path);
  print_line(path + (more ? ", …" : "") + " changed");
}

void DevOutput::plan(const std::string& text) const {
  if (is_json_) return print_event("plan", "text", without_line_ends(text));
  print_line("  " + without_line_ends(text));
}

void DevOutput::loaded(std::int64_t milliseconds) const {
  if (!is_json_) return print_line("  loaded in " + std::to_string(milliseconds) + " ms");
  print_event("loaded", [&](base::JsonWriter& json) { json.member("milliseconds", milliseconds); });
}

void DevOutput::reset(std::int64_t milliseconds) const {
  if (!is_json_) {
    return print_line("The plugin's data was deleted (" + std::to_string(milliseconds) + " ms).");
  }
  print_event("reset", [&](base::JsonWriter& json) { json.member("milliseconds", milliseconds); });
}

void DevOutput::failed(const std::string& part, const std::string& code,
                       const std::string& message) const {
  const std::string text = without_line_ends(message);
  if (!is_json_) return print_line("  failed: " + (code.empty() ? "" : code + ": ") + text);
  print_event("failed", [&](base::JsonWriter& json) {
    json.member("part", part).member("code", code).member("message", text);
  });
}

void DevOutput::tests(bool passed) const {
  if (!is_json_) return print_line(passed ? "Tests passed." : "Tests failed.");
  print_event("tests", [&](base::JsonWriter& json) { json.member("passed", passed); });
}

void DevOutput::user(const std::string& login) const {
  if (is_json_) return print_event("user", "login", login);
  print_line("Open pages sign in as " + login + ".");
}

}  // namespace tenon::app
