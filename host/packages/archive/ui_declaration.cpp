#include "packages/archive/ui_declaration.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json_slice.hpp"
#include "config/nearest.hpp"

namespace tenon::plugins {

namespace {

constexpr const char* plugin_file = "plugin.json";
constexpr const char* points_member = "ui.points";

/// An extension point of the shell, and the members that an entry there may have. As
/// ManifestContributions in shell-ui/packages/host/src/contract.ts.
struct ExtensionPoint {
  std::string_view name;
  std::array<std::string_view, 5> members;
};

constexpr std::array<ExtensionPoint, 5> extension_points{{
    {"account.panels", {"id", "title", "", "", ""}},
    {"commands", {"id", "title", "path", "icon", "keywords"}},
    {"home.widgets", {"id", "title", "", "", ""}},
    {"search", {"id", "title", "", "", ""}},
    {"settings.panels", {"id", "title", "", "", ""}},
}};

/// Points that a plugin declares under ui.points: a slot of one of its pages, or the actions for
/// its records. The name says which, so that the package of another plugin can be checked too.
constexpr ExtensionPoint slot{"", {"id", "title", "", "", ""}};
constexpr ExtensionPoint actions{"", {"id", "title", "icon", "", ""}};
constexpr std::string_view actions_suffix = ".actions";

bool is_id_letter(char c) noexcept {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

// Whether a script has `id` as a whole word, as a key or a text.
bool has_word(std::string_view script, std::string_view id) {
  for (std::size_t at = script.find(id); at != std::string_view::npos;
       at = script.find(id, at + 1)) {
    const std::size_t end = at + id.size();
    if ((at == 0 || !is_id_letter(script[at - 1])) &&
        (end == script.size() || !is_id_letter(script[end])))
      return true;
  }
  return false;
}

template <typename Names>
std::string suggestion(std::string_view name, const Names& names) {
  std::vector<std::string> candidates;
  for (const auto& one : names)
    candidates.emplace_back(one);
  const std::string near = config::nearest(name, candidates);
  return near.empty() ? std::string() : " Did you mean \"" + near + "\"?";
}

std::vector<std::string_view> all_icons() {
  std::vector<std::string_view> names;
  for (std::string_view rest = icon_names.substr(1); !rest.empty();) {
    const std::size_t end = rest.find('\n');
    names.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end, rest.size() - 1) + 1);
  }
  return names;
}

class UiDeclarationCheck {
 public:
  UiDeclarationCheck(const Archive& archive, const Contents& contents, const Manifest& manifest,
                     LintReport& report)
      : archive_(archive), contents_(contents), manifest_(manifest), report_(report) {}

  void run() {
    for (std::size_t i = 0; i < manifest_.navigation.size(); ++i)
      check_icon(manifest_.navigation[i].icon, "ui.navigation[" + std::to_string(i) + "].icon");
    for (const std::string& point : manifest_.extension_points)
      check_name(manifest_.id + "." + point);
    base::JsonSlice(manifest_.contributions)
        .each_member([this](const std::string& name, const base::JsonSlice& entries) {
          check_point(name, entries);
        });
  }

 private:
  struct Entry {
    std::string id;
    std::string title;
    std::string path;
    std::string icon;
  };

  void error(const std::string& location, const std::string& message) {
    report_.errors.push_back({"plugins.lint_contribution", plugin_file, location + ": " + message});
  }

  void check_icon(const std::string& icon, const std::string& location) {
    if (icon.empty() || icon_names.find("\n" + icon + "\n") != std::string_view::npos) return;
    report_.warnings.push_back(
        {"plugins.lint_icon", plugin_file,
         location + ": there is no icon \"" + icon + "\"." + suggestion(icon, all_icons())});
  }

  // A plugin called "account" could declare a point that has the name of one of the shell.
  void check_name(const std::string& point) {
    for (const ExtensionPoint& one : extension_points)
      if (one.name == point)
        error(points_member, "\"" + point + "\" is an extension point of the shell. Rename yours.");
  }

  void check_point(const std::string& name, const base::JsonSlice& entries) {
    const std::string location = "ui.contributions." + name;
    const ExtensionPoint* point = find_point(name, location);
    if (!point) return;
    if (entries.type() != base::JsonType::array)
      return error(location, "an array of entries is expected.");
    std::set<std::string> seen;
    std::size_t index = 0;
    entries.each_element([&](const base::JsonSlice& json) {
      const std::string at = location + "[" + std::to_string(index++) + "]";
      if (json.type() != base::JsonType::object) return error(at, "a JSON object is expected.");
      const Entry entry = read_entry(json, *point, at);
      if (entry.id.empty()) return error(at + ".id", "an id is missing.");
      if (entry.title.empty()) error(at + ".title", "a title is missing.");
      if (!seen.insert(entry.id).second) error(at + ".id", "\"" + entry.id + "\" is there twice.");
      check_icon(entry.icon, at + ".icon");
      check_target(entry, at);
    });
  }

  // Null after an error. The declaration of another plugin is not in this package.
  const ExtensionPoint* find_point(const std::string& name, const std::string& location) {
    for (const ExtensionPoint& one : extension_points)
      if (one.name == name) return &one;
    const std::string owner = name.substr(0, name.find('.'));
    const std::string id = name.substr(std::min(owner.size() + 1, name.size()));
    const auto& own = manifest_.extension_points;
    const bool is_own = owner == manifest_.id && std::find(own.begin(), own.end(), id) != own.end();
    if (is_own || (!id.empty() && manifest_.use_of(owner)))
      return name.ends_with(actions_suffix) ? &actions : &slot;
    std::vector<std::string> names;
    for (const ExtensionPoint& one : extension_points)
      names.emplace_back(one.name);
    for (const std::string& one : own)
      names.push_back(manifest_.id + "." + one);
    error(location,
          "there is no such extension point. The shell has account.panels, commands, home.widgets, "
          "search and settings.panels. A point of this plugin must be in ui.points, and the plugin "
          "of any other point in requires or optional." +
              suggestion(name, names));
    return nullptr;
  }

  Entry read_entry(const base::JsonSlice& json, const ExtensionPoint& point,
                   const std::string& location) {
    Entry entry;
    const std::array<std::pair<std::string_view, std::string*>, 4> texts{
        {{"id", &entry.id}, {"title", &entry.title}, {"path", &entry.path}, {"icon", &entry.icon}}};
    json.each_member([&](const std::string& name, const base::JsonSlice& value) {
      if (std::find(point.members.begin(), point.members.end(), name) == point.members.end())
        return error(location + "." + name,
                     "it is not known here." + suggestion(name, point.members));
      if (value.type() != base::JsonType::string)
        return error(location + "." + name, "a text is expected.");
      for (const auto& [member, text] : texts)
        if (name == member) *text = value.string();
    });
    return entry;
  }

  // A command with a path needs no code; anything else is a function of the page.
  void check_target(const Entry& entry, const std::string& location) {
    const std::string own = "/app/" + manifest_.id;
    if (!entry.path.empty()) {
      const std::string_view path =
          std::string_view(entry.path)
              .substr(0, std::min(entry.path.find_first_of("?#"), entry.path.size()));
      if (path != own && !path.starts_with(own + "/"))
        error(location + ".path", "\"" + entry.path + "\" must be " + own + " or lie below it.");
      return;
    }
    for (const ListedFile& file : archive_.files()) {
      if (!file.name.starts_with("ui/") || !file.name.ends_with(".js") ||
          file.size > UiLimits::script)
        continue;
      if (has_word(contents_.read(file.name, UiLimits::script), entry.id)) return;
    }
    error(location + ".id", "no script of the page has \"" + entry.id +
                                "\". Add its code under `contributions` of definePlugin(), or fix "
                                "the id.");
  }

  const Archive& archive_;
  const Contents& contents_;
  const Manifest& manifest_;
  LintReport& report_;
};

}  // namespace

void check_ui_declaration(const Archive& archive, const Contents& contents,
                          const Manifest& manifest, LintReport& report) {
  UiDeclarationCheck(archive, contents, manifest, report).run();
}

}  // namespace tenon::plugins
