#include "app/dev/dev_session.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <set>
#include <utility>

#include <Poco/JSON/Object.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>

#include "app/commands/local_commands.hpp"
#include "app/dev/sample_users.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "bridge/declaration.hpp"
#include "data/migrate/migrate.hpp"
#include "packages/manifest/manifest.hpp"

namespace tenon::app {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::atomic<bool> has_signal{false};
std::atomic<int> signal_event{-1};  // an eventfd, for poll()

void note_signal(int /*number*/) noexcept {
  has_signal = true;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t sent = ::write(signal_event, &one, sizeof one);
}

// Lets keys through at once and without echo while it exists, if standard input is a terminal.
class KeyInput {
 public:
  KeyInput() {
    if (::tcgetattr(STDIN_FILENO, &before_) != 0) return;
    is_terminal_ = true;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
  }
  ~KeyInput() {
    if (is_terminal_) ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  KeyInput(const KeyInput&) = delete;
  KeyInput& operator=(const KeyInput&) = delete;

 private:
  termios before_{};
  bool is_terminal_ = false;
};

std::int64_t milliseconds_since(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

std::string arguments_with_id(const std::string& id) {
  std::string text;
  base::JsonWriter(text).begin_object().member("id", id).end_object();
  return text;
}

}  // namespace

DevSession::DevSession(PluginProject project, config::Settings settings,
                       std::vector<std::string> options, DevOutput output)
    : project_(std::move(project)),
      settings_(std::move(settings)),
      options_(std::move(options)),
      output_(output),
      watch_(project_.folder(), &PluginProject::is_ignored) {}

DevSession::~DevSession() = default;

int DevSession::run() {
  signal_event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    std::signal(number, &note_signal);
  std::signal(SIGPIPE, SIG_IGN);
  output_.message("tenon dev: " + project_.id() + " " + project_.version() + " in " +
                  project_.folder());
  const bool has_ui = build_ui();
  const bool is_built = build_native() && has_ui;
  if (has_signal) return 1;
  // Ignore the files that the builds wrote.
  watch_.changes();
  project_.lay_out();
  if (!is_built)
    output_.message("  The server starts anyway. Fix the errors; each change builds again.");
  add_users();
  if (!start_server()) return 1;
  const KeyInput keys;
  show_help();
  start_type_check();
  show_in_pages();
  while (!is_finished_ && !has_signal)
    wait_for_something();
  bundler_.reset();
  type_check_.reset();
  server_->stop();
  return 0;
}

// The bundler is written in TypeScript, which older versions do not run.
std::string DevSession::fault_of_node() const {
  constexpr const char* check =
      "const [major, minor] = process.versions.node.split('.').map(Number);"
      "process.exitCode = major > 22 || (major === 22 && minor >= 18) ? 0 : 1";
  try {
    std::string output;
    if (run_command_line({{"node", "-e", check}, {}}, output, output_.stream_of_tools()) == 0)
      return {};
    return "ui/ needs Node 22.18 or newer; `node --version` prints an older one.";
  } catch (const base::Error&) {
    return "ui/ needs Node 22.18 or newer, and there is no `node` in the PATH.";
  }
}

// Returns why the page could not be built; empty if it was.
std::string DevSession::fault_of_ui() {
  if (!bundler_) {
    if (std::string fault = fault_of_node(); !fault.empty()) return fault;
    if (const auto install = project_.install_ui()) {
      output_.message("  installing the npm packages of ui/");
      std::string output;
      if (run_command_line(*install, output, output_.stream_of_tools()) != 0)
        return "npm install failed.";
    }
    const bool has_refresh =
        settings_.is_development && fs::exists(settings_.ui + "/development/index.html");
    bundler_ = std::make_unique<ChildProcess>(
        project_.rebuild_ui(has_refresh),
        ChildProcess::Options{.pipes_input = true, .pipes_output = true, .has_own_group = true});
  }
  bundler_->write("\n");
  const auto line = bundler_->read_line();
  if (!line) {
    bundler_.reset();
    return "The bundler ended.";
  }
  const auto result = base::parse_json_object(*line, {.max_bytes = line->size() + 1});
  return result->optValue<std::string>("error", "");
}

bool DevSession::build_ui() {
  ui_fault_.clear();
  if (!project_.has_ui()) return true;
  try {
    ui_fault_ = fault_of_ui();
  } catch (const base::Error& error) {
    ui_fault_ = error.message();
  }
  if (!ui_fault_.empty()) output_.failed("ui", "", ui_fault_);
  return ui_fault_.empty();
}

bool DevSession::build_native() {
  native_fault_.clear();
  if (!project_.has_native()) return true;
  std::string output;
  const auto run_tool = [&](const ToolCommand& command) {
    return run_command_line(command, output, output_.stream_of_tools()) == 0;
  };
  try {
    if (!is_configured_) is_configured_ = run_tool(project_.configure_native());
    if (is_configured_ && run_tool(project_.build_native())) return true;
  } catch (const base::Error& error) {
    output = error.message();
  }
  output_.failed("native", "", output);
  native_fault_ = std::move(output);
  return false;
}

// Sample users, once.
void DevSession::add_users() {
  const auto list = run_command(settings_, "user.list", "{}");
  const auto found = base::parse_json_object(list, {.max_bytes = list.size() + 1});
  if (found->getArray("items")->size() != 0) return;
  for (const SampleUser& user : sample_users) {
    std::string text;
    base::JsonWriter(text)
        .begin_object()
        .member("login", user.login)
        .member("role", user.role)
        .member("name", user.name)
        .member("password", sample_password)
        .end_object();
    run_command(settings_, "user.add", text);
  }
}

bool DevSession::start_server() {
  std::vector<std::string> words{fs::read_symlink("/proc/self/exe").string(), "serve"};
  words.insert(words.end(), options_.begin(), options_.end());
  server_ = std::make_unique<ChildProcess>(
      ToolCommand{words, {}}, ChildProcess::Options{.pipes_output = true, .has_own_group = true});
  constexpr std::string_view ready = "ready ";
  while (const auto line = server_->read_line()) {
    if (!line->starts_with(ready)) continue;
    url_ = line->substr(ready.size());
    return true;
  }
  output_.message("  the server ended with code " + std::to_string(server_->wait()));
  return false;
}

void DevSession::show_help() const {
  output_.ready(project_.id(), url_,
                project_.has_ui() ? "/app/" + project_.id() : "/api/" + project_.id());
}

void DevSession::on_changes() {
  const std::set<std::string> changed = watch_.changes();
  std::set<PluginPart> parts;
  std::string first;
  std::size_t count = 0;
  for (const std::string& path : changed) {
    const PluginPart part = path.empty() ? PluginPart::manifest : project_.part_of(path);
    if (part == PluginPart::none) continue;
    parts.insert(part);
    if (count++ == 0) first = path;
  }
  if (parts.empty()) return;
  output_.changed(first, count > 1);
  unloaded_.merge(parts);
  load_changes();
  show_in_pages();
}

void DevSession::load_changes() {
  const auto start = Clock::now();
  load_fault_.clear();
  load_code_.clear();
  try {
    if (unloaded_.contains(PluginPart::manifest)) project_.refresh();
    // Types are generated from the tables and the settings.
    const bool is_declaration =
        unloaded_.contains(PluginPart::manifest) || unloaded_.contains(PluginPart::tables);
    const bool has_ui = !(is_declaration || unloaded_.contains(PluginPart::ui)) || build_ui();
    const bool has_native =
        !(is_declaration || unloaded_.contains(PluginPart::native)) || build_native();
    if (!has_ui || !has_native) return;
    project_.lay_out();
    if (is_declaration) show_plan();
    run_command(settings_, "plugin.reload", arguments_with_id(project_.id()));
    unloaded_.clear();
    output_.loaded(milliseconds_since(start));
  } catch (const base::Error& error) {
    load_fault_ = message_of(error);
    load_code_ = error.code();
    output_.failed("plugin", load_code_, load_fault_);
    if (error.code() == "data.migration_refused")
      output_.message("  Press r to delete the plugin's data and start with the new tables.");
  }
}

void DevSession::start_type_check() {
  type_check_.reset();
  type_fault_.clear();
  try {
    if (const auto command = project_.check_types())
      type_check_ = std::make_unique<TypeCheck>(*command);
  } catch (const base::Error& error) {
    output_.failed("types", error.code(), error.message());
  }
}

void DevSession::read_type_check() {
  do {
    if (auto errors = type_check_->read()) {
      if (*errors == type_fault_) continue;
      type_fault_ = std::move(*errors);
      if (type_fault_.empty())
        output_.message("  The types of ui/ are correct.");
      else
        output_.failed("types", "", type_fault_);
      show_in_pages();
    }
  } while (!type_check_->has_ended() && type_check_->has_line());
  if (type_check_->has_ended()) type_check_.reset();
}

// Pages that are open, or opened later, show the first fault over their content.
void DevSession::show_in_pages() {
  constexpr std::size_t max_shown = 16 * 1024;
  std::string title;
  std::string message;
  if (!native_fault_.empty()) {
    title = "The native code does not compile";
    message = native_fault_;
  } else if (!ui_fault_.empty()) {
    title = "The page does not build";
    message = ui_fault_;
  } else if (!load_fault_.empty()) {
    title = "The plugin was not loaded";
    message = load_code_ + ": " + load_fault_;
  } else if (!type_fault_.empty()) {
    title = "The types do not fit";
    message = type_fault_;
  }
  if (title.empty() && !has_report_) return;
  has_report_ = !title.empty();
  std::string text;
  base::JsonWriter(text)
      .begin_object()
      .member("title", title)
      .member("message", message.substr(0, max_shown))
      .member("code", native_fault_.empty() && ui_fault_.empty() ? load_code_ : std::string())
      .end_object();
  try {
    run_command(settings_, "development.report", text);
  } catch (const base::Error&) {
    return;  // the terminal has it
  }
}

// Prints how the new declaration changes the data. On PostgreSQL, only the log has the steps.
void DevSession::show_plan() const {
  if (!settings_.database.empty()) return;
  const std::string folder = project_.plugin();
  const plugins::Manifest manifest = plugins::read_manifest(folder);
  const auto plan = data::plan_file(settings_.data + "/" + project_.id() + ".db", true,
                                    plugins::read_declaration(manifest, folder));
  if (plan.steps.empty() || plan.is_refused()) return;
  output_.plan(plan.to_text());
}

// Names the files of the source folder, not their copies. Returns the message.
std::string DevSession::message_of(const base::Error& error) const {
  const auto in_source = [copy = project_.plugin() + "/"](std::string text) {
    for (std::size_t at = text.find(copy); at != std::string::npos; at = text.find(copy, at))
      text.erase(at, copy.size());
    while (text.ends_with('\n'))
      text.pop_back();
    return text;
  };
  std::string text = in_source(error.message());
  if (error.fields().size() > 1) {
    for (const auto& [field, code, message] : error.fields())
      text += "\n    " + field + ": " + in_source(message);
  }
  return text;
}

void DevSession::reset_data() {
  const auto start = Clock::now();
  try {
    project_.lay_out();
    run_command(settings_, "plugin.reset_data", arguments_with_id(project_.id()));
    output_.reset(milliseconds_since(start));
    load_fault_.clear();
    load_code_.clear();
    unloaded_.clear();
    show_in_pages();
  } catch (const base::Error& error) {
    output_.failed("plugin", error.code(), message_of(error));
  }
}

void DevSession::run_tests() {
  const auto native = project_.test_native();
  const auto ui = project_.test_ui();
  if (!native && !ui) return output_.message("There are no tests: neither tests/ nor ui/.");
  try {
    std::string output;
    const int native_code =
        native ? run_command_line(*native, output, output_.stream_of_tools()) : 0;
    const int ui_code = ui ? run_command_line(*ui, output, output_.stream_of_tools()) : 0;
    output_.tests(native_code == 0 && ui_code == 0);
  } catch (const base::Error& error) {
    output_.failed("tests", error.code(), message_of(error));
  }
}

// Signs the open pages in as the next of the sample users.
void DevSession::switch_user() {
  user_ = (user_ + 1) % sample_users.size();
  const char* const login = sample_users[user_].login;
  std::string text;
  base::JsonWriter(text)
      .begin_object()
      .member("login", login)
      .member("password", sample_password)
      .end_object();
  try {
    run_command(settings_, "development.sign_in", text);
    output_.user(login);
  } catch (const base::Error& error) {
    output_.failed("plugin", error.code(), message_of(error));
  }
}

// Shows the inspector of the plugin in the open pages.
void DevSession::open_inspector() {
  const std::string path = "/settings/plugins/" + project_.id() + "/inspector";
  std::string text;
  base::JsonWriter(text).begin_object().member("path", path).end_object();
  try {
    run_command(settings_, "development.open", text);
    output_.message("Inspector: " + url_ + path);
  } catch (const base::Error& error) {
    output_.failed("plugin", error.code(), message_of(error));
  }
}

void DevSession::on_key(char key) {
  if (key == 'q')
    is_finished_ = true;
  else if (key == 'r')
    reset_data();
  else if (key == 't')
    run_tests();
  else if (key == 'u')
    switch_user();
  else if (key == 'w')
    open_inspector();
  else if (key == 'h' || key == '?')
    show_help();
}

void DevSession::wait_for_something() {
  std::array<pollfd, 5> all{{{watch_.descriptor(), POLLIN, 0},
                             {server_->output(), POLLIN, 0},
                             {signal_event, POLLIN, 0},
                             {keys_, POLLIN, 0},
                             {type_check_ ? type_check_->descriptor() : -1, POLLIN, 0}}};
  if (::poll(all.data(), all.size(), -1) < 0 || has_signal) return;
  if (all[0].revents != 0) on_changes();
  if (all[1].revents != 0 && !server_->read_line()) {
    output_.message("The server ended with code " + std::to_string(server_->wait()) + ".");
    is_finished_ = true;
  }
  if (all[4].revents != 0) read_type_check();
  if (all[3].revents == 0) return;
  char key = 0;
  if (::read(keys_, &key, 1) == 1)
    on_key(key);
  else
    keys_ = -1;
}

}  // namespace tenon::app
