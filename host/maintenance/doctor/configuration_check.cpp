#include <filesystem>

#include "config/values.hpp"
#include "maintenance/doctor/checks.hpp"

namespace tenon::console {

namespace {

bool is_loopback(const std::string& host) {
  return host.starts_with("127.") || host == "::1" || host == "localhost";
}

// Values that are right each for itself and do not go together.
void check_contradictions(const config::Settings& settings, Report& report) {
  const auto contradiction = [&report](const char* where, std::string what, const char* todo) {
    report.warning("configuration.contradiction", where, std::move(what), todo);
  };
  const config::HttpSettings& http = settings.http;
  if (http.share_queue > http.queue) {
    contradiction("http.share_queue",
                  "One plugin may have more requests waiting than http.queue allows for all.",
                  "Set http.share_queue below http.queue.");
  }
  if (http.json_body > http.body_memory) {
    contradiction("http.json_body", "One JSON body may be larger than the memory for all bodies.",
                  "Set http.body_memory above http.json_body.");
  }
  if (http.pipeline > http.queue) {
    contradiction("http.pipeline", "One connection may fill the whole queue.",
                  "Set http.pipeline below http.queue.");
  }
  if (settings.session.idle > settings.session.absolute) {
    contradiction("session.idle",
                  "It is longer than session.absolute, which ends every session before it.",
                  "Set session.idle below session.absolute.");
  }
  if (settings.plugin_drain > settings.shutdown_deadline) {
    contradiction("plugins.drain",
                  "A plugin may take longer to finish than the whole server (shutdown.deadline).",
                  "Set shutdown.deadline to plugins.drain or more.");
  }
  if (settings.trace.sample > 0 && settings.trace.file.empty() && settings.trace.endpoint.empty()) {
    contradiction("trace.sample", "Requests are to be traced, but traces go nowhere.",
                  "Set trace.file or trace.endpoint, or trace.sample to 0.");
  }
  if (settings.slow.request.count() > http.handler.count()) {
    contradiction("slow.request",
                  "Requests get a 503 response (http.handler) before they count as slow.",
                  "Set slow.request below http.handler.");
  }
}

void check_locations(const config::Settings& settings, Report& report) {
  std::error_code failure;
  for (const std::string& folder : settings.plugins) {
    if (!std::filesystem::is_directory(folder, failure)) {
      report.warning("configuration.no_plugins", folder, "This directory of plugins is not there.",
                     "Make it, or take it out of the key plugins.");
    }
  }
  if (!std::filesystem::exists(settings.ui + "/index.html", failure)) {
    report.warning("configuration.no_ui", settings.ui,
                   "The browser interface is missing, so / responds with an error.",
                   "Build it, or name its directory with the key ui.");
  }
  if (!is_loopback(settings.listen_host) && settings.http.trusted_proxies.empty()) {
    report.warning("configuration.open_without_tls", "listen",
                   "The server listens for other machines without TLS: passwords travel in clear.",
                   "Put a proxy that speaks TLS before it, listen on 127.0.0.1, and name the proxy "
                   "in http.trusted_proxies.");
  }
}

}  // namespace

void check_configuration(CheckContext& context) {
  const CheckedInstallation& installation = context.installation;
  Report& report = context.report;
  report.begin("configuration");
  const std::string file = installation.data + "/tenon.conf";
  std::error_code failure;
  report.summarize(std::filesystem::exists(file, failure) ? file : "no " + file + ", defaults");
  for (const std::string& mistake : installation.mistakes) {
    const bool is_of_file = mistake.find(file) != std::string::npos;
    report.error("configuration.invalid", is_of_file ? file : "flags and environment", mistake,
                 "Correct it: the server does not start with it. docs/configuration.md has all "
                 "keys.");
  }
  if (!installation.settings) return;
  check_contradictions(*installation.settings, report);
  check_locations(*installation.settings, report);
}

}  // namespace tenon::console
