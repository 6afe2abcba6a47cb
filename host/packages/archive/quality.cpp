#include "packages/archive/quality.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include <tenon/entry.h>

#include "base/error.hpp"
#include "packages/archive/limits.hpp"
#include "packages/elf/elf_file.hpp"
#include "packages/elf/library_facts.hpp"
#include "schema/tables.hpp"
#include "settings/schema.hpp"

namespace tenon::plugins {

namespace {

class Grading {
 public:
  Grading(const Archive& archive, const Contents& contents, const Manifest& manifest,
          const LintReport& report)
      : archive_(archive), contents_(contents), manifest_(manifest), report_(report) {
    if (!contents_.has("tables.json")) return;
    try {
      tables_ = data::schema::parse_tables(contents_.read("tables.json", PackageLimits::unpacked),
                                           "tables.json");
    } catch (const base::Error&) {
      return;  // the lint has its errors
    }
  }

  Quality run() {
    using enum Grade;
    add("no-errors", bronze, report_.errors.empty(), "Fix the errors of tenon plugin check.");
    add("description", bronze, !manifest_.description.empty(),
        "Say in plugin.json under \"description\" what the plugin does.");
    add("license", bronze, !manifest_.license.empty(),
        "Name the license in plugin.json, as an SPDX expression.");
    add("author", silver, !manifest_.author.empty(), "Name the author in plugin.json.");
    add("no-warnings", silver, report_.warnings.empty(), "Fix the warnings.");
    add("navigation-icons", silver, has_icons(), "Give each entry of the navigation an icon.");
    add("setting-titles", silver, settings_without_title().empty(),
        "Give these settings a title and a description: " + settings_without_title() + ".");
    add("readme", gold, contents_.has("README.md"),
        "Add README.md: what it is for, how to use it, what it stores.");
    add("changelog", gold, contents_.has("CHANGELOG.md"),
        "Add CHANGELOG.md, which admins read before an upgrade.");
    add("table-descriptions", gold, tables_without_description().empty(),
        "Describe these published tables in tables.json: " + tables_without_description() + ".");
    add("optimized", gold, is_optimized(),
        "Build the library for a release (tenon plugin build), without debug data.");
    add("screenshots", platinum, has_file_below("screenshots/"),
        "Add pictures of the pages in screenshots/.");
    add("machines", platinum, is_for_all_machines(),
        "Add the library for x86_64 and for aarch64, or write the plugin without one.");
    add("small-rights", platinum, !is_open_to_everybody(),
        "Do not let people who are not signed in write: restrict create, update and delete of "
        "anonymous tables.");
    return std::move(quality_);
  }

 private:
  void add(const char* id, Grade grade, bool is_satisfied, std::string message) {
    quality_.rules.push_back(
        {id, grade, is_satisfied, is_satisfied ? std::string() : std::move(message)});
    quality_.grade = Grade::none;
    for (const Grade candidate : {Grade::bronze, Grade::silver, Grade::gold, Grade::platinum}) {
      const bool has_all = std::all_of(
          quality_.rules.begin(), quality_.rules.end(),
          [&](const QualityRule& rule) { return rule.grade > candidate || rule.is_satisfied; });
      if (has_all) quality_.grade = candidate;
    }
  }

  bool has_icons() const {
    return std::none_of(manifest_.navigation.begin(), manifest_.navigation.end(),
                        [](const Navigation& entry) { return entry.icon.empty(); });
  }

  static void append(std::string& names, const std::string& name) {
    names.append(names.empty() ? "" : ", ").append(name);
  }

  std::string settings_without_title() const {
    std::string names;
    if (!manifest_.settings) return names;
    for (const settings::Property& property : manifest_.settings->properties())
      if (property.title.empty() || property.description.empty()) append(names, property.key);
    return names;
  }

  std::string tables_without_description() const {
    std::string names;
    for (const data::schema::Table& table : tables_.tables)
      if (table.publish && table.description.empty()) append(names, table.name);
    return names;
  }

  bool has_file_below(std::string_view folder) const {
    return std::any_of(archive_.files().begin(), archive_.files().end(),
                       [&](const ListedFile& file) { return file.name.starts_with(folder); });
  }

  bool is_optimized() const {
    const std::string file = library_path(manifest_.id);
    if (!manifest_.has_library || !contents_.has(file)) return !manifest_.has_library;
    try {
      const std::string content = contents_.read(file, PackageLimits::unpacked);
      const ElfFacts facts = read_elf(std::as_bytes(std::span(content)), file, TENON_ENTRY_SYMBOL,
                                      TENON_FACTS_SECTION);
      return !facts.has_debug_data;
    } catch (const base::Error&) {
      return false;
    }
  }

  bool is_for_all_machines() const {
    if (!manifest_.has_library) return true;
    for (const char* machine : {"x86_64", "aarch64"})
      if (!contents_.has("lib/" + std::string(machine) + "/" + manifest_.id + ".so")) return false;
    return true;
  }

  bool is_open_to_everybody() const {
    return std::any_of(tables_.tables.begin(), tables_.tables.end(),
                       [](const data::schema::Table& table) {
                         return table.publish && table.anonymous &&
                                (table.rules.update == "true" || table.rules.delete_ == "true");
                       });
  }

  const Archive& archive_;
  const Contents& contents_;
  const Manifest& manifest_;
  const LintReport& report_;
  data::schema::Tables tables_;
  Quality quality_;
};

}  // namespace

std::string_view to_string(Grade grade) noexcept {
  constexpr std::array<std::string_view, 5> names{"none", "bronze", "silver", "gold", "platinum"};
  return names[static_cast<std::size_t>(grade)];
}

Quality grade_package(const Archive& archive, const Contents& contents, const Manifest& manifest,
                      const LintReport& report) {
  return Grading(archive, contents, manifest, report).run();
}

}  // namespace tenon::plugins
