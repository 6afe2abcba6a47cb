#include "packages/reason.hpp"

#include <utility>

#include "base/error.hpp"

namespace tenon::plugins {

std::string describe(const Reason& reason) {
  std::string text;
  if (!reason.file.empty()) {
    text += reason.file.substr(reason.file.rfind('/') + 1);
    text += ": ";
  }
  if (!reason.path.empty()) {
    text += reason.path;
    text += ": ";
  }
  return text + reason.message;
}

Reason isolation_unavailable(const std::string& file) {
  return {
      "plugins.isolation_unavailable",
      "The plugin requires a process of its own (\"isolation\": \"required\"), which this version "
      "of Tenon does not have. Ask its author for a version with \"preferred\".",
      file, "isolation"};
}

base::Error unknown_plugin(const std::string& id) {
  return {404, "plugins.unknown", "There is no plugin \"" + id + "\"."};
}

Reason installed_from_package() {
  return {"plugins.installed_from_package",
          "The plugin was installed from a package, whose files do not change. Install another "
          "package to upgrade it.",
          {},
          {}};
}

base::Error no_server() {
  return {409, "plugins.no_server",
          "No server runs on this data. It loads the files of its plugins when it starts."};
}

Refusal::Refusal(Reason reason, int status)
    : base::Error(status, reason.code, describe(reason)), reason_(std::move(reason)) {}

Reason reason_of(const std::exception& failure, std::string_view code) {
  if (const auto* refusal = dynamic_cast<const Refusal*>(&failure)) return refusal->reason();
  if (const auto* error = dynamic_cast<const base::Error*>(&failure)) {
    return {error->code(), error->message(), {}, {}};
  }
  return {std::string(code), failure.what(), {}, {}};
}

}  // namespace tenon::plugins
