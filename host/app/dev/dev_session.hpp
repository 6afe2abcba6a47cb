#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/dev/child_process.hpp"
#include "app/dev/dev_output.hpp"
#include "app/dev/file_watch.hpp"
#include "app/dev/plugin_project.hpp"
#include "app/dev/type_check.hpp"
#include "config/settings.hpp"

namespace tenon::base {
class Error;
}

namespace tenon::app {

/// `tenon dev`: builds a plugin, runs a server with it and with sample users, and loads it again
/// after each change. Reads keys from standard input. One use, one thread.
class DevSession {
 public:
  /// `settings` are those of the server; `options` start it with them.
  DevSession(PluginProject project, config::Settings settings, std::vector<std::string> options,
             DevOutput output);
  ~DevSession();
  DevSession(const DevSession&) = delete;
  DevSession& operator=(const DevSession&) = delete;

  /// Runs until the user quits, a signal asks for the end, or the server ends. Returns the exit
  /// code.
  int run();

 private:
  std::string fault_of_node() const;
  std::string fault_of_ui();
  bool build_ui();
  bool build_native();
  void add_users();
  bool start_server();
  void on_changes();
  void load_changes();
  void start_type_check();
  void read_type_check();
  void show_in_pages();
  void reset_data();
  void run_tests();
  void switch_user();
  void open_inspector();
  void show_help() const;
  void show_plan() const;
  std::string message_of(const base::Error& error) const;
  void on_key(char key);
  void wait_for_something();

  PluginProject project_;
  const config::Settings settings_;
  const std::vector<std::string> options_;
  const DevOutput output_;
  FileWatch watch_;
  std::unique_ptr<ChildProcess> bundler_;
  std::unique_ptr<ChildProcess> server_;
  std::unique_ptr<TypeCheck> type_check_;
  std::string url_;
  std::set<PluginPart> unloaded_;  ///< changed, and not yet built and loaded
  std::string native_fault_;       ///< why the last build or load failed; empty: it did not
  std::string ui_fault_;
  std::string type_fault_;
  std::string load_fault_;
  std::string load_code_;
  std::size_t user_ = 0;     ///< of the sample users, whom open pages are signed in as
  bool has_report_ = false;  ///< pages show one of them
  bool is_configured_ = false;
  bool is_finished_ = false;
  int keys_ = 0;  ///< standard input; -1 after its end
};

}  // namespace tenon::app
