#include "packages/archive/lint.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include <tenon/entry.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_slice.hpp"
#include "data/migrate/migrate.hpp"
#include "http_client/origin_pattern.hpp"
#include "packages/archive/deflate.hpp"
#include "packages/archive/limits.hpp"
#include "packages/archive/ui_declaration.hpp"
#include "packages/archive/ui_script.hpp"
#include "packages/elf/elf_file.hpp"
#include "packages/elf/library_facts.hpp"
#include "packages/manifest/schedules.hpp"
#include "packages/reason.hpp"
#include "records/model/model.hpp"
#include "schema/tables.hpp"

namespace tenon::plugins {

namespace {

constexpr const char* ui_manifest = "ui/manifest.json";
constexpr std::uint64_t gzip_frame = 18;  // header and trailer around what is deflated
constexpr std::uint64_t max_budget = 64 * 1024;

std::string kilobytes(std::uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f KB", static_cast<double>(bytes) / 1024);
  return text;
}

std::uint64_t gzipped(std::string_view content) {
  return deflate_content(content).bytes.size() + gzip_frame;
}

std::string text_of(const Poco::JSON::Object& object, const std::string& key) {
  const Poco::Dynamic::Var value = object.get(key);
  return value.isString() ? value.extract<std::string>() : std::string();
}

// A bare name, which the page's import map must have; not a path, not a URL.
bool is_bare(std::string_view module) {
  return !module.starts_with('.') && !module.starts_with('/') &&
         module.find(':') == std::string_view::npos;
}

bool is_relative(std::string_view module) {
  return module.starts_with("./") || module.starts_with("../");
}

class Lint {
 public:
  Lint(const Archive& archive, const Contents& contents, const Manifest& manifest)
      : archive_(archive), contents_(contents), manifest_(manifest) {}

  LintReport run() {
    look_at_tables();
    look_at_schedules();
    look_at_outgoing();
    look_at_migrations();
    look_at_library();
    for (const ListedFile& file : archive_.files())
      if (file.name.starts_with("ui/") &&
          (file.name.ends_with(".js") || file.name.ends_with(".mjs")))
        look_at_script(file);
    look_at_pages();
    look_at_licenses();
    check_ui_declaration(archive_, contents_, manifest_, report_);
    return std::move(report_);
  }

 private:
  void error(const char* code, const std::string& file, std::string message) {
    report_.errors.push_back({code, file, std::move(message)});
  }
  void warn(const char* code, const std::string& file, std::string message) {
    report_.warnings.push_back({code, file, std::move(message)});
  }
  void error(const base::Error& found, const std::string& file) {
    error(found.code().c_str(), file, found.message());
  }

  void look_at_tables() {
    constexpr const char* file = "tables.json";
    if (!contents_.has(file)) return;
    try {
      const auto tables =
          data::schema::parse_tables(contents_.read(file, PackageLimits::unpacked), file);
      const records::Model expressions(tables, data::Dialect::sqlite, file);
      for (const records::UsedPermission& used : expressions.used_permissions())
        check_permission(used, file);
    } catch (const base::Error& found) {
      error(found, file);
    }
  }

  void look_at_schedules() {
    if (manifest_.schedules.empty()) return;
    constexpr const char* file = "plugin.json";
    try {
      const auto tables =
          contents_.has("tables.json")
              ? data::schema::parse_tables(contents_.read("tables.json", PackageLimits::unpacked),
                                           "tables.json")
              : data::schema::Tables();
      check_schedules(manifest_, records::Model(tables, data::Dialect::sqlite));
    } catch (const Refusal& found) {
      error(found.reason().code.c_str(), file, found.reason().path + ": " + found.reason().message);
    } catch (const base::Error&) {
      return;  // of the tables, which look_at_tables() reports
    }
  }

  void look_at_licenses() {
    constexpr const char* file = "ui/licenses.json";
    constexpr const char* code = "plugins.lint_license";
    if (!contents_.has(file)) return;
    try {
      const std::string text = contents_.read(file, UiLimits::script);
      base::check_json(text);
      const base::JsonSlice list(text);
      if (list.type() != base::JsonType::array)
        return warn(code, file, "This is no list of packages. Build the page again.");
      list.each_element([&](const base::JsonSlice& one) { check_license(one, file, code); });
    } catch (const base::Error& found) {
      warn(code, file, found.message() + " Build the page again.");
    }
  }

  void check_license(const base::JsonSlice& json, const char* file, const char* code) {
    std::string name = "a package";
    std::string license;
    if (json.type() == base::JsonType::object) {
      json.each_member([&](const std::string& member, const base::JsonSlice& value) {
        if (value.type() != base::JsonType::string) return;
        if (member == "name") name = value.string();
        if (member == "license") license = value.string();
      });
    }
    if (!license.empty() && license != "UNLICENSED") return;
    warn(code, file,
         "The page contains " + name +
             ", which has no license that allows you to distribute it. Ask its author, or use "
             "another package.");
  }

  void look_at_outgoing() {
    for (const std::string& one : manifest_.outgoing) {
      if (http_client::OriginPattern(one).is_unprotected())
        warn("plugins.lint_outgoing", "plugin.json",
             "outgoing: \"" + one + "\" is not encrypted. Use https:// if the server has it.");
    }
  }

  // A name with a typo would keep out everybody.
  void check_permission(const records::UsedPermission& used, const char* file) {
    const std::string plugin = used.permission.substr(0, used.permission.find('.'));
    const std::string location = used.pointer + ": can('" + used.permission + "'): ";
    if (plugin == manifest_.id && !manifest_.declares(used.permission)) {
      std::string declared;
      for (const DeclaredPermission& one : manifest_.permissions)
        declared.append(declared.empty() ? "" : ", ").append(one.id);
      error("plugins.lint_permission", file,
            location + "plugin.json does not declare this permission" +
                (declared.empty() ? ". It declares none." : ". It declares: " + declared + "."));
    } else if (plugin != manifest_.id && manifest_.use_of(plugin) == nullptr) {
      warn("plugins.lint_foreign_permission", file,
           location +
               "this is a permission of another plugin. Name the plugin in \"requires\" or "
               "\"optional\".");
    }
  }

  void look_at_migrations() {
    constexpr std::string_view folder = "migrations/";
    std::vector<data::MigrationFile> files;
    for (const ListedFile& file : archive_.files()) {
      if (file.name.starts_with(folder))
        files.push_back(
            {file.name.substr(folder.size()), contents_.read(file.name, PackageLimits::unpacked)});
    }
    try {
      data::parse_migrations(std::move(files));
    } catch (const base::Error& found) {
      error(found, "migrations");
    }
  }

  void look_at_library() {
    if (!manifest_.has_library) return look_for_libraries();
    const std::string file = library_path(manifest_.id);
    if (!contents_.has(file)) {
      warn("plugins.lint_other_machine", file,
           "There is no library for this machine, so none was looked at.");
      return;
    }
    const std::string content = contents_.read(file, PackageLimits::unpacked);
    const auto bytes = std::as_bytes(std::span(content));
    try {
      inspect_library(manifest_, bytes, file);
      check_library(read_elf(bytes, file, TENON_ENTRY_SYMBOL, TENON_FACTS_SECTION), file);
    } catch (const base::Error& found) {
      error(found, file);
    }
  }

  void look_for_libraries() {
    for (const ListedFile& file : archive_.files()) {
      try {
        require_declared(manifest_, file.name, file.name);
      } catch (const base::Error& found) {
        error(found, file.name);
      }
    }
  }

  void check_library(const ElfFacts& elf, const std::string& file) {
    if (elf.has_unique_symbols) {
      error("plugins.lint_unique_symbols", file,
            "It holds a GNU_UNIQUE symbol and could never be unloaded. Build it with "
            "tenon_add_plugin() of the SDK; nm -D names it (\"u\").");
    }
    if (elf.exported > 1) {
      error("plugins.lint_exports", file,
            "It exports " + std::to_string(elf.exported) + " symbols; a plugin exports " +
                TENON_ENTRY_SYMBOL +
                " and nothing else. Build it with tenon_add_plugin() of the SDK; nm -D "
                "--defined-only names them.");
    }
    if (elf.has_thread_destructors) {
      warn("plugins.lint_stays_mapped", file,
           "A thread_local with a destructor: the library will stay mapped until each thread that "
           "touched it ends.");
    }
    if (elf.is_never_unloaded) {
      warn("plugins.lint_stays_mapped", file,
           "It is linked with -z nodelete: the library will stay mapped.");
    }
  }

  void look_at_script(const ListedFile& file) {
    if (file.size > UiLimits::script) {
      error("plugins.lint_script_too_large", file.name,
            "A script of more than " + std::to_string(UiLimits::script / (1024 * 1024)) +
                " MiB is not for a page.");
      return;
    }
    const std::string script = contents_.read(file.name, UiLimits::script);
    for (const std::string_view package : bundled_copies(script)) {
      error("plugins.lint_bundled", file.name,
            "The code of " + std::string(package) +
                " is in it; the page has it already, and there may be one. Import it by its shared "
                "name: @tenon/rollup-preset does.");
    }
    const auto shared = shared_modules();
    for (const std::string& module : leading_imports(script)) {
      if (is_relative(module) || std::find(shared.begin(), shared.end(), module) != shared.end())
        continue;
      error("plugins.lint_import", file.name,
            "It imports \"" + module.substr(0, 200) + "\", " +
                (is_bare(module)
                     ? "which the page does not share. Bundle it: list it under \"dependencies\" "
                       "in ui/package.json."
                     : "and a page takes scripts from its own folder alone."));
    }
  }

  void look_at_pages() {
    if (!contents_.has(ui_manifest)) {
      if (manifest_.has_ui && !manifest_.navigation.empty() && manifest_.ui_module.empty()) {
        warn("plugins.lint_no_page", ui_manifest,
             "The file is missing, so the navigation of plugin.json leads to no page. Build the "
             "pages, and then the plugin.");
      }
      return;
    }
    try {
      weigh(*base::parse_json_object(contents_.read(ui_manifest, base::JsonLimits{}.max_bytes)));
    } catch (const base::Error& found) {
      error("plugins.lint_ui_invalid", ui_manifest, found.message());
    }
  }

  // The files that a list of {"href": …} names.
  std::set<std::string> named(const Poco::JSON::Object& pages, const std::string& key) {
    std::set<std::string> files;
    const Poco::JSON::Array::Ptr list = pages.isArray(key) ? pages.getArray(key) : nullptr;
    for (std::size_t i = 0; list && i < list->size(); ++i) {
      const Poco::JSON::Object::Ptr one = list->getObject(static_cast<unsigned>(i));
      add(files, one ? text_of(*one, "href") : std::string(), key);
    }
    return files;
  }

  void add(std::set<std::string>& files, const std::string& name, const std::string& key) {
    const std::string file = "ui/" + name;
    if (!name.empty() && contents_.has(file)) {
      files.insert(file);
    } else {
      error("plugins.lint_ui_invalid", ui_manifest,
            "\"" + key + "\" names \"" + name.substr(0, 200) + "\", which is not in ui/.");
    }
  }

  std::uint64_t weight(const std::set<std::string>& files) const {
    std::uint64_t sum = 0;
    for (const std::string& file : files)
      sum += gzipped(contents_.read(file, PackageLimits::unpacked));
    return sum;
  }

  void weigh(const Poco::JSON::Object& pages) {
    std::set<std::string> at_once = named(pages, "preload");
    add(at_once, text_of(pages, "entry"), "entry");
    read_budget(pages);
    check("The entry and what it preloads", ui_manifest, weight(at_once), entry_);
    check("The stylesheets together", ui_manifest, weight(named(pages, "styles")), styles_);
    for (const ListedFile& file : archive_.files()) {
      if (!file.name.starts_with("ui/") || !file.name.ends_with(".js") ||
          at_once.contains(file.name) || file.size <= chunk_ || file.size > UiLimits::script)
        continue;
      check("The script", file.name, weight({file.name}), chunk_);
    }
  }

  void read_budget(const Poco::JSON::Object& pages) {
    if (!pages.has("budget")) return;
    const Poco::JSON::Object::Ptr budget =
        pages.isObject("budget") ? pages.getObject("budget") : nullptr;
    const std::string reason = budget ? text_of(*budget, "reason") : std::string();
    if (reason.find_first_not_of(" \t\r\n") == std::string::npos) {
      error("plugins.lint_ui_invalid", ui_manifest, "\"budget\" has no \"reason\".");
      return;
    }
    const auto take = [&](const char* key, std::uint64_t& limit) {
      const Poco::Dynamic::Var value = budget->get(key);
      if (!value.isNumeric() || value.isBoolean()) return;
      const double kilobytes = value.convert<double>();
      if (kilobytes > 0 && kilobytes <= max_budget)
        limit = std::max(limit, static_cast<std::uint64_t>(kilobytes * 1024));
    };
    take("entry", entry_);
    take("chunk", chunk_);
    take("styles", styles_);
    warn("plugins.lint_budget", ui_manifest,
         "The pages have a larger budget: " + reason.substr(0, 200));
  }

  void check(const std::string& what, const std::string& file, std::uint64_t size,
             std::uint64_t limit) {
    if (size <= limit) return;
    error("plugins.lint_budget", file,
          what + (what.ends_with("together") ? " are " : " is ") + kilobytes(size) +
              " gzipped, over the budget of " + kilobytes(limit) +
              ". Load what the first page does not need with import(), or build with a `budget` "
              "and its reason.");
  }

  const Archive& archive_;
  const Contents& contents_;
  const Manifest& manifest_;
  LintReport report_;
  std::uint64_t entry_ = UiLimits::entry;
  std::uint64_t chunk_ = UiLimits::chunk;
  std::uint64_t styles_ = UiLimits::styles;
};

}  // namespace

LintReport lint_package(const Archive& archive, const Contents& contents,
                        const Manifest& manifest) {
  return Lint(archive, contents, manifest).run();
}

}  // namespace tenon::plugins
