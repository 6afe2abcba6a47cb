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

void check_database(const std::string& file, CheckContext& examination) {
  data::sqlite::Inspection inspection(file, examination.has_server);
  const std::vector<std::string> findings =
      inspection.check(examination.patient.is_full, max_database_findings);
  if (findings.empty()) return;
  const bool is_host = file.ends_with("/tenon.db");
  examination.report.error(
      "integrity.damaged", file, "The database is damaged: " + joined(findings),
      std::string(is_host ? "Stop the server" : "Disable its plugin") +
          ", keep a copy of the file with its -wal, then restore it from a backup. Without one, "
          "`sqlite3 FILE .recover` saves what can be read. Check the disk and the memory.");
}

}  // namespace

void check_databases(CheckContext& examination) {
  Report& report = examination.report;
  report.begin("databases");
  if (!examination.is_there) return report.summarize("not looked at");
  std::uint64_t bytes = 0;
  for (const std::string& file : examination.databases) {
    bytes += size_of(file) + size_of(file + "-wal");
    check_database(file, examination);
    if (!examination.has_server && size_of(file + "-wal") > 0) {
      report.note("integrity.unfinished_log", file + "-wal",
                  "The last server did not end in order; what it had acknowledged is in this log.",
                  "Leave it: the next start takes it over.");
    }
  }
  report.summarize(std::to_string(examination.databases.size()) + " databases, " +
                   show_bytes(bytes) +
                   (examination.patient.is_full ? ", read in full" : ", quick check"));
}

void check_leftovers(CheckContext& examination) {
  Report& report = examination.report;
  report.begin("leftovers");
  if (!examination.is_there) return report.summarize("not looked at");
  std::error_code failure;
  std::size_t seen = 0;
  for (const auto& entry : fs::directory_iterator(examination.patient.data, failure)) {
    const std::string path = entry.path().string();
    const std::string name = entry.path().filename().string();
    ++seen;
    for (const char* suffix : {"-wal", "-shm", "-journal"}) {
      if (!name.ends_with(std::string(".db") + suffix)) continue;
      const std::string database = path.substr(0, path.size() - std::string_view(suffix).size());
      if (!fs::exists(database, failure)) {
        report.warning("leftovers.lone_log", path,
                       "The database that this belongs to is gone; a new one of its name would be "
                       "spoilt by it.",
                       "Put the database back beside it, or move this file away.");
      } else if (std::string_view(suffix) == "-journal") {
        report.warning("leftovers.foreign_journal", path,
                       "Another program has changed the database in a mode that Tenon does not "
                       "use.",
                       "Leave it: the next start undoes what was not finished. Change databases "
                       "only while no server runs.");
      }
    }
  }
  if (!examination.has_server) {
    const fs::path copies = fs::path(examination.patient.data) / "run" / "plugins";
    std::size_t count = 0;
    for (fs::directory_iterator at(copies, failure), end; !failure && at != end;
         at.increment(failure))
      ++count;
    if (count != 0) {
      report.note("leftovers.libraries", copies.string(),
                  std::to_string(count) +
                      " copies of libraries are left of a server that did not "
                      "end in order.",
                  "Leave them: the next start deletes them.");
    }
  }
  report.summarize(std::to_string(seen) + " files");
}

}  // namespace tenon::console
