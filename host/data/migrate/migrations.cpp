#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "data/migrate/migrate.hpp"

namespace tenon::data {

namespace {

constexpr std::size_t max_file = 1024 * 1024;
constexpr std::string_view marker = "-- tenon:";
constexpr std::string_view upgrade_marker = "-- tenon: upgrade-only";
constexpr std::string_view expand_marker = "-- tenon: phase expand";
constexpr std::string_view contract_marker = "-- tenon: phase contract";
constexpr std::string_view plain_end = ".sql";
constexpr std::string_view postgresql_end = ".pg.sql";

[[noreturn]] void refuse(const std::string& file, const std::string& reason) {
  throw base::Error(422, "data.migration_invalid", "migrations/" + file + ": " + reason);
}

// NNNN_lower_snake.sql
int number_of(const std::string& file) {
  constexpr std::size_t digits = 4;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_word = [&](char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '_'; };
  const std::string stem = file.substr(0, file.size() - plain_end.size());
  const bool fits =
      stem.size() > digits + 1 && std::all_of(stem.begin(), stem.begin() + digits, is_digit) &&
      stem[digits] == '_' && std::all_of(stem.begin() + digits + 1, stem.end(), is_word);
  const int number = fits ? std::stoi(stem.substr(0, digits)) : 0;
  if (number == 0)
    refuse(file,
           "the name must be a number of four digits from 0001, an underscore and lower_snake, "
           "like 0002_add_search.sql");
  return number;
}

std::string read_file(const std::filesystem::path& path, const std::string& file) {
  std::ifstream stream(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) refuse(file, "the file cannot be read");
  return text;
}

void check_text(const MigrationFile& file) {
  if (file.text.size() > max_file) refuse(file.name, "at most 1 MiB is allowed");
  if (!base::is_valid_utf8(file.text) || file.text.find('\0') != std::string::npos)
    refuse(file.name, "the file is not UTF-8 text");
}

struct Markers {
  bool upgrade_only = false;
  schema::Phase phase = schema::Phase::none;

  bool operator==(const Markers&) const = default;
};

void read_marker(std::string_view line, const std::string& file, Markers& markers) {
  if (line == upgrade_marker) {
    markers.upgrade_only = true;
    return;
  }
  if (line != expand_marker && line != contract_marker) {
    refuse(file, "'" + std::string(line.substr(0, 60)) + "' is not known; known are '" +
                     std::string(upgrade_marker) + "', '" + std::string(expand_marker) + "' and '" +
                     std::string(contract_marker) + "'");
  }
  if (markers.phase != schema::Phase::none) refuse(file, "it declares its phase twice");
  markers.phase = line == expand_marker ? schema::Phase::expand : schema::Phase::contract;
}

// A marker is on its own line before the first statement.
Markers read_markers(const MigrationFile& file) {
  Markers markers;
  std::string_view sql = file.text;
  while (!sql.empty()) {
    const auto end = sql.find('\n');
    std::string_view line = sql.substr(0, end);
    sql = end == std::string_view::npos ? std::string_view() : sql.substr(end + 1);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
      line.remove_suffix(1);
    if (!line.empty() && !line.starts_with("--")) break;
    if (line.starts_with(marker)) read_marker(line, file.name, markers);
  }
  return markers;
}

}  // namespace

std::vector<Migration> read_migrations(const std::string& folder) {
  std::vector<MigrationFile> files;
  std::error_code failure;
  if (!std::filesystem::exists(folder, failure)) return {};
  for (const auto& entry : std::filesystem::directory_iterator(folder, failure)) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(plain_end) || !entry.is_regular_file())
      refuse(file, "only files NNNN_name.sql belong here");
    files.push_back({file, read_file(entry.path(), file)});
  }
  if (failure)
    throw base::Error(422, "data.migration_invalid",
                      "migrations: the folder cannot be read: " + failure.message());
  return parse_migrations(std::move(files));
}

std::vector<Migration> parse_migrations(std::vector<MigrationFile> files) {
  std::vector<Migration> migrations;
  std::map<std::string, MigrationFile> others;
  for (MigrationFile& file : files) {
    check_text(file);
    if (file.name.ends_with(postgresql_end)) {
      std::string stem = file.name.substr(0, file.name.size() - postgresql_end.size());
      others.emplace(stem.append(plain_end), std::move(file));
      continue;
    }
    if (!file.name.ends_with(plain_end)) refuse(file.name, "only files NNNN_name.sql belong here");
    Migration migration;
    migration.number = number_of(file.name);
    const Markers markers = read_markers(file);
    migration.upgrade_only = markers.upgrade_only;
    migration.phase = markers.phase;
    migration.name = std::move(file.name);
    migration.sql = std::move(file.text);
    migrations.push_back(std::move(migration));
  }
  for (Migration& migration : migrations) {
    if (auto other = others.extract(migration.name)) {
      if (read_markers(other.mapped()) != Markers{migration.upgrade_only, migration.phase})
        refuse(migration.name, "it and its .pg.sql must agree on their lines '-- tenon: …'");
      migration.postgresql_sql = std::move(other.mapped().text);
    }
  }
  if (!others.empty())
    refuse(others.begin()->first,
           "the file is missing; a .pg.sql file needs the .sql file of the same name");
  std::sort(migrations.begin(), migrations.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  const auto twice =
      std::adjacent_find(migrations.begin(), migrations.end(),
                         [](const auto& a, const auto& b) { return a.number == b.number; });
  if (twice != migrations.end())
    refuse(std::next(twice)->name, "the number is taken by " + twice->name);
  return migrations;
}

}  // namespace tenon::data
