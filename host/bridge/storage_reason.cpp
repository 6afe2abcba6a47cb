#include "bridge/storage_reason.hpp"

namespace tenon::plugins {

std::optional<Reason> storage_reason(std::string_view code, std::string_view detail,
                                     const std::string& file) {
  const auto reason = [&](const std::string& what, const std::string& remedy) {
    const std::string said = detail.empty() ? std::string() : " (" + std::string(detail) + ")";
    return Reason{std::string(code), what + said + ". " + remedy, file, {}};
  };
  if (code == "data.corrupt") {
    return reason("The database of this plugin is damaged",
                  "Stop the server, replace the file with a backup, remove the -wal and -shm files "
                  "next to it, and start again. Other plugins are not affected.");
  }
  if (code == "data.storage_failed") {
    return reason("The disk did not confirm a write of this plugin",
                  "What was acknowledged is safe and can be read; nothing more is written. Look "
                  "after the disk, then enable the plugin again or restart the server.");
  }
  if (code == "data.disk_full") {
    return reason("The disk is too full to store writes of this plugin",
                  "Free disk space in the data directory; writing then continues automatically.");
  }
  if (code == "data.io") {
    return reason("The disk refused to read or write for this plugin",
                  "Look after the disk. Each request is tried on, and this notice goes with the "
                  "next write that succeeds.");
  }
  if (code == "data.connection_lost") {
    return reason("The database server cannot be reached",
                  "Start it again. Each request is tried on, and this notice goes with the next "
                  "write that succeeds.");
  }
  if (code == "data.open") {
    return reason("The database of this plugin could not be opened",
                  "Give the server the right to read and write the file, then enable the plugin "
                  "again.");
  }
  return std::nullopt;
}

}  // namespace tenon::plugins
