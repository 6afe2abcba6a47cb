#include <filesystem>
#include <string>

#include <sys/stat.h>

#include "maintenance/doctor/checks.hpp"
#include "sqlite/connection/inspection.hpp"

namespace tenon::console {

namespace {

namespace fs = std::filesystem;

// More would not help anybody to decide.
constexpr int max_database_findings = 5;

std::uint64_t size_of(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts)
    text += (text.empty() ? "" : "; ") + part;
  return text;
}

void check_database(const std::string& file, CheckContext& context) {
  data::sqlite::Inspection inspection(file, context.has_server);
  const std::vector<std::string> findings =
      inspection.check(context.installation.is_full, max_database_findings);
  if (findings.empty()) return;
  const bool is_host = file.ends_with("/tenon.db");
  context.report.error(
      "integrity.damaged", file, "The database is damaged: " + joined(findings),
      std::string(is_host ? "Stop the server" : "Disable its plugin") +
          ", keep a copy of the file with its -wal, then restore it from a backup. Without one, "
          "`sqlite3 FILE .recover` saves what can be read. Check the disk and the memory.");
}

}  // namespace

void check_databases(CheckContext& context) {
  Report& report = context.report;
  report.begin("databases");
  if (!context.is_there) return report.summarize("not looked at");
  std::uint64_t bytes = 0;
  for (const std::string& file : context.databases) {
    bytes += size_of(file) + size_of(file + "-wal");
    check_database(file, context);
    if (!context.has_server && size_of(file + "-wal") > 0) {
      report.note(
          "integrity.unfinished_log", file + "-wal",
          "The last server did not stop cleanly; writes that it acknowledged are in this WAL.",
          "Leave it: the next start takes it over.");
    }
  }
  report.summarize(std::to_string(context.databases.size()) + " databases, " + show_bytes(bytes) +
                   (context.installation.is_full ? ", read in full" : ", quick check"));
}

void check_leftovers(CheckContext& context) {
  Report& report = context.report;
  report.begin("leftovers");
  if (!context.is_there) return report.summarize("not looked at");
  std::error_code failure;
  std::size_t seen = 0;
  for (const auto& entry : fs::directory_iterator(context.installation.data, failure)) {
    const std::string path = entry.path().string();
    const std::string name = entry.path().filename().string();
    ++seen;
    for (const char* suffix : {"-wal", "-shm", "-journal"}) {
      if (!name.ends_with(std::string(".db") + suffix)) continue;
      const std::string database = path.substr(0, path.size() - std::string_view(suffix).size());
      if (!fs::exists(database, failure)) {
        report.warning(
            "leftovers.lone_log", path,
            "The database that this belongs to is gone; it would damage a new one of that name.",
            "Put the database back next to it, or move this file away.");
      } else if (std::string_view(suffix) == "-journal") {
        report.warning("leftovers.foreign_journal", path,
                       "Another program has changed the database in a mode that Tenon does not "
                       "use.",
                       "Leave it: the next start undoes what was not finished. Change databases "
                       "only while no server runs.");
      }
    }
  }
  if (!context.has_server) {
    const fs::path copies = fs::path(context.installation.data) / "run" / "plugins";
    std::size_t count = 0;
    for (fs::directory_iterator at(copies, failure), end; !failure && at != end;
         at.increment(failure))
      ++count;
    if (count != 0) {
      report.note("leftovers.libraries", copies.string(),
                  std::to_string(count) +
                      " copies of libraries remain from a server that did not stop cleanly.",
                  "Leave them: the next start deletes them.");
    }
  }
  report.summarize(std::to_string(seen) + " files");
}

}  // namespace tenon::console
