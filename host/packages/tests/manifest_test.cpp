#include "packages/manifest/manifest.hpp"

#include <gtest/gtest.h>

#include "packages/reason.hpp"
#include "packages/tests/plugin_folder.hpp"
#include "settings/schema.hpp"

namespace tenon::plugins {
namespace {

using test::manifest_text;

Reason why(const std::string& text) {
  try {
    parse_manifest(text, "/p/notes/plugin.json");
  } catch (const Refusal& refusal) {
    return refusal.reason();
  }
  return {};
}

TEST(Manifest, ReadsEverything) {
  const Manifest manifest = parse_manifest(R"({
    "$schema": "https://example.org/plugin.schema.json",
    "id": "notes", "name": "Notes", "version": "1.2.3-beta.1+x", "description": "Ä", "author": "A", "license": "MIT",
    "abi": {"major": 0, "minor": 13},
    "requires": {"tasks": "^1.2", "files": ">=1.0.0 <3.0.0"},
    "optional": {"mail": "^2", "calendar": "*"}, "conflicts": {"mail": "<2.1", "old-notes": "*"},
    "permissions": [{"id": "notes.use", "title": "Use", "roles": ["member", "admin"]}, {"id": "notes.manage", "title": "Manage"}],
    "ui": {"module": "entry.js",
           "navigation": [{"id": "notes", "title": "Notes", "path": "/app/notes", "icon": "notebook-pen", "permission": "notes.use"}],
           "contributions": {"home": [{"id": "recent"}]}},
    "settings": {"type": "object", "properties": {"none": {"type": "string"}, "color": {"type": "string", "default": "red"},
                 "depth": {"default": 3}, "list": {"default": [1, {"a": null}]}}},
    "migrations": [{"number": 4, "phase": "expand"}, {"number": 2, "phase": "expand"}],
    "schedules": [{"name": "purge", "cron": "@daily", "time_zone": "Europe/Berlin", "runs_missed": false,
                   "delete": {"table": "notes", "where": "archived"}},
                  {"name": "close", "cron": "0 * * * *",
                   "update": {"table": "notes", "where": "done", "set": {"open": false}}}],
    "isolation": "preferred"})",
                                           "plugin.json");
  EXPECT_EQ(manifest.id, "notes");
  EXPECT_EQ(manifest.version, *SemanticVersion::parse("1.2.3-beta.1"));
  EXPECT_EQ(manifest.version_text, "1.2.3-beta.1+x");
  EXPECT_EQ(manifest.abi_minor, 13U);
  ASSERT_EQ(manifest.requires_plugins.size(), 2U);
  EXPECT_EQ(manifest.requires_plugins[0].id, "files");
  EXPECT_EQ(manifest.requires_plugins[1].range.text(), "^1.2");
  ASSERT_EQ(manifest.optional_plugins.size(), 2U);
  EXPECT_EQ(manifest.optional_plugins[0].id, "calendar");
  ASSERT_EQ(manifest.conflicts.size(), 2U);
  EXPECT_EQ(manifest.conflicts[0].range.text(), "<2.1");
  ASSERT_TRUE(manifest.use_of("tasks") && manifest.use_of("mail"));
  EXPECT_EQ(manifest.use_of("tasks")->range.text(), "^1.2");
  EXPECT_EQ(manifest.use_of("mail")->range.text(), "^2");
  EXPECT_EQ(manifest.use_of("old-notes"), nullptr);
  EXPECT_TRUE(manifest.declares("notes.use"));
  EXPECT_FALSE(manifest.declares("notes.other"));
  EXPECT_EQ(manifest.navigation.at(0).icon, "notebook-pen");
  ASSERT_EQ(manifest.schedules.size(), 2U);
  EXPECT_EQ(manifest.schedules[0].time_zone, "Europe/Berlin");
  EXPECT_FALSE(manifest.schedules[0].runs_missed);
  EXPECT_TRUE(manifest.schedules[1].runs_missed);
  EXPECT_EQ(manifest.schedules[0].action.to_json(),
            R"({"action":"delete","table":"notes","where":"archived"})");
  EXPECT_EQ(manifest.schedules[1].action.to_json(),
            R"({"action":"update","table":"notes","where":"done","set":{"open":false}})");
  EXPECT_EQ(manifest.contributions, R"({"home":[{"id":"recent"}]})");
  EXPECT_LT(manifest.settings->json().find("\"none\""), manifest.settings->json().find("\"color\""))
      << "the order of the file";
  const settings::Values defaults = manifest.settings->with_defaults({});
  EXPECT_EQ(defaults.at("color"), "\"red\"");
  EXPECT_EQ(defaults.at("depth"), "3");
  EXPECT_EQ(defaults.at("list"), R"([1,{"a":null}])");
  EXPECT_FALSE(defaults.contains("none"));
  EXPECT_EQ(manifest.isolation, Isolation::preferred);
  EXPECT_EQ(manifest.expanding_migrations, (std::vector<std::uint32_t>{2, 4}));
}

TEST(Manifest, NeedsNoAbiWithoutALibrary) {
  const Manifest manifest =
      parse_manifest(R"({"id":"links","name":"Links","version":"1.0.0"})", "plugin.json");
  EXPECT_FALSE(manifest.has_library);
  EXPECT_TRUE(parse_manifest(test::manifest_text("links"), "plugin.json").has_library);
  for (const char* more :
       {R"("isolation":"none")", R"("migrations":[])", R"("response_headers":[])",
        R"("outgoing":[])", R"("public_paths":[])"}) {
    const std::string text =
        R"({"id":"links","name":"Links","version":"1.0.0",)" + std::string(more) + "}";
    EXPECT_EQ(test::refused([&] { parse_manifest(text, "plugin.json"); }),
              "plugins.manifest_invalid")
        << more;
  }
}

TEST(Manifest, ReadsPublicPaths) {
  const auto parse = [](const std::string& path, const std::string& route) {
    return parse_manifest(
        test::manifest_text("links", "1.0.0",
                            R"(,"public_paths":[{"path":")" + path + R"(","route":")" + route +
                                R"(","title":"Short links"}])"),
        "plugin.json");
  };
  const Manifest manifest = parse("/s/a_b-1", "/v1.0/go");
  ASSERT_EQ(manifest.public_paths.size(), 1U);
  EXPECT_EQ(manifest.public_paths[0].path, "/s/a_b-1");
  EXPECT_EQ(manifest.public_paths[0].route, "/v1.0/go");
  EXPECT_EQ(manifest.public_paths[0].title, "Short links");
  EXPECT_TRUE(manifest.declares_public_path("/s/a_b-1"));
  EXPECT_FALSE(manifest.declares_public_path("/s"));
  const std::string limit = "/" + std::string(64, 'a');
  EXPECT_EQ(parse(limit, limit).public_paths.size(), 1U);
  EXPECT_EQ(parse("/s", "/1/2/3/4/5/6/7/8").public_paths.size(), 1U);
  EXPECT_EQ(test::refused([&] { parse("/s", limit + "a"); }), "plugins.manifest_invalid");
  for (const std::string& bad :
       {std::string("s"), std::string("/"), std::string("/s/"), std::string("//s"),
        std::string("/S"), std::string("/s.txt"), std::string("/%61"), std::string("/a/b/c"),
        std::string("/.."), std::string("/s?x"), limit + "a"}) {
    EXPECT_EQ(test::refused([&] { parse(bad, "/go"); }), "plugins.manifest_invalid") << bad;
  }
  for (const char* bad :
       {"go", "/", "/go/", "/go//x", "/go/..", "/.", "/{id}", "/Go", "/1/2/3/4/5/6/7/8/9"}) {
    EXPECT_EQ(test::refused([&] { parse("/s", bad); }), "plugins.manifest_invalid") << bad;
  }
}

TEST(Manifest, RefusesPathsOfTheHost) {
  for (const std::string_view segment : reserved_segments) {
    const std::string path = "/" + std::string(segment);
    EXPECT_NE(public_path_fault(path).find("the host keeps"), std::string::npos) << path;
    EXPECT_NE(public_path_fault(path + "/x").find("the host keeps"), std::string::npos) << path;
    EXPECT_EQ(public_path_fault(path + "x"), "") << path;
    EXPECT_EQ(public_path_fault("/x" + path), "") << path;
  }
}

TEST(PublicPath, OverlapsPathsBelowIt) {
  EXPECT_TRUE(do_overlap("/s", "/s"));
  EXPECT_TRUE(do_overlap("/s", "/s/x"));
  EXPECT_TRUE(do_overlap("/s/x", "/s"));
  EXPECT_FALSE(do_overlap("/s/x", "/s/y"));
  EXPECT_FALSE(do_overlap("/s", "/sx"));
  EXPECT_FALSE(do_overlap("/sx/a", "/s"));
}

TEST(Manifest, ReportsFileMemberAndReason) {
  const struct {
    std::string text;
    const char* path;
    const char* part;
  } cases[] = {
      {"", "", "valid JSON"},
      {"[]", "", "object"},
      {"{", "", "JSON"},
      {R"({"id":"notes","id":"notes"})", "", "twice"},
      {"{}", "id", "missing"},
      {R"({"id":7})", "id", "text"},
      {manifest_text("N"), "id", "no id"},
      {manifest_text("a"), "id", "no id"},
      {manifest_text("-ab"), "id", "no id"},
      {manifest_text("a234567890123456789012345678901234"), "id", "no id"},
      {manifest_text("notes", "1.2"), "version", "semantic"},
      {manifest_text("notes", "1.0.0", R"(,"colour":1)"), "colour", "\"colour\" is not known"},
      {manifest_text("notes", "1.0.0", R"(,"author":"a\u0007b")"), "author", "control"},
      {manifest_text("notes", "1.0.0", R"(,"description":")" + std::string(1001, 'x') + "\""),
       "description", "1000"},
      {R"({"id":"notes","name":"","version":"1.0.0","abi":{"major":0,"minor":13}})", "name",
       "1 to"},
      {R"({"id":"notes","name":"N","version":"1.0.0","abi":null})", "abi", "object"},
      {R"({"id":"notes","name":"N","version":"1.0.0","abi":{"major":0,"minor":-1}})", "abi.minor",
       "whole number"},
      {R"({"id":"notes","name":"N","version":"1.0.0","abi":{"major":0,"minor":1.5}})", "abi.minor",
       "whole number"},
      {R"({"id":"notes","name":"N","version":"1.0.0","abi":{"major":0,"minor":true}})", "abi.minor",
       "whole number"},
      {R"({"id":"notes","name":"N","version":"1.0.0","abi":{"major":null,"minor":1}})", "abi.major",
       "whole number"},
      {R"({"id":"notes","name":"N","version":"1.0.0","abi":{"major":0,"minor": 13,"patch":1}})",
       "abi.patch", "not known"},
      {manifest_text("notes", "1.0.0", R"(,"requires":["tasks"])"), "requires", "object"},
      {manifest_text("notes", "1.0.0", R"(,"requires":{"Tasks":"1"})"), "requires.Tasks", "no id"},
      {manifest_text("notes", "1.0.0", R"(,"requires":{"core":"1"})"), "requires.core", "no id"},
      {manifest_text("notes", "1.0.0", R"(,"requires":{"notes":"1"})"), "requires.notes", "itself"},
      {manifest_text("notes", "1.0.0", R"(,"requires":{"tasks":"new"})"), "requires.tasks",
       "range"},
      {manifest_text("notes", "1.0.0", R"(,"optional":["tasks"])"), "optional", "object"},
      {manifest_text("notes", "1.0.0", R"(,"optional":{"notes":"1"})"), "optional.notes", "itself"},
      {manifest_text("notes", "1.0.0", R"(,"optional":{"tasks":"new"})"), "optional.tasks",
       "range"},
      {manifest_text("notes", "1.0.0", R"(,"requires":{"tasks":"1"},"optional":{"tasks":"1"})"),
       "optional.tasks", "is required"},
      {manifest_text("notes", "1.0.0", R"(,"conflicts":{"core":"1"})"), "conflicts.core", "no id"},
      {manifest_text("notes", "1.0.0", R"(,"conflicts":{"tasks":""})"), "conflicts.tasks", "1 to"},
      {manifest_text("notes", "1.0.0", R"(,"requires":{"tasks":"1"},"conflicts":{"tasks":"<1"})"),
       "conflicts.tasks", "is required"},
      {manifest_text("notes", "1.0.0", R"(,"permissions":{})"), "permissions", "array"},
      {manifest_text("notes", "1.0.0", R"(,"permissions":[1])"), "permissions[0]", "object"},
      {manifest_text("notes", "1.0.0", R"(,"permissions":[{"id":"tasks.use","title":"T"}])"),
       "permissions[0].id", "notes."},
      {manifest_text("notes", "1.0.0", R"(,"permissions":[{"id":"notes.","title":"T"}])"),
       "permissions[0].id", "notes."},
      {manifest_text(
           "notes", "1.0.0",
           R"(,"permissions":[{"id":"notes.a","title":"T"},{"id":"notes.a","title":"T"}])"),
       "permissions[1].id", "twice"},
      {manifest_text("notes", "1.0.0",
                     R"(,"permissions":[{"id":"notes.a","title":"T","roles":["boss"]}])"),
       "permissions[0].roles[0]", "boss"},
      {manifest_text("notes", "1.0.0",
                     R"(,"permissions":[{"id":"notes.a","title":"T","rules":[]}])"),
       "permissions[0].rules", "not known"},
      {manifest_text("notes", "1.0.0",
                     R"(,"ui":{"navigation":[{"id":"n","title":"T","path":"/app/tasks"}]})"),
       "ui.navigation[0].path", "/app/notes"},
      {manifest_text("notes", "1.0.0",
                     R"(,"ui":{"navigation":[{"id":"n","title":"T","path":"/app/notes2"}]})"),
       "ui.navigation[0].path", "/app/notes"},
      {manifest_text(
           "notes", "1.0.0",
           R"(,"ui":{"navigation":[{"id":"n","title":"T","path":"/app/notes","permission":"notes.x"}]})"),
       "ui.navigation[0].permission", "not among"},
      {manifest_text("notes", "1.0.0", R"(,"ui":{"module":"../x.js"})"), "ui.module", "inside"},
      {manifest_text("notes", "1.0.0", R"(,"ui":{"contributions":[]})"), "ui.contributions",
       "object"},
      {manifest_text("notes", "1.0.0", R"(,"settings":{"properties":{"Bad Key":{}}})"),
       "settings.properties.Bad Key", "key"},
      {manifest_text("notes", "1.0.0", R"(,"settings":{"type":"array"})"), "settings.type",
       "object"},
      {manifest_text("notes", "1.0.0", R"(,"isolation":"maybe")"), "isolation", "preferred"},
      {manifest_text("notes", "1.0.0", R"(,"response_headers":["Service-Worker-Allowed"])"),
       "response_headers[0]", "cannot be declared"},
      {manifest_text("notes", "1.0.0", R"(,"response_headers":["Access-Control-\n"])"),
       "response_headers[0]", "cannot be declared"},
      {manifest_text("notes", "1.0.0",
                     R"(,"response_headers":["Clear-Site-Data","clear-site-data"])"),
       "response_headers[1]", "declared twice"},
      {manifest_text("notes", "1.0.0", R"(,"outgoing":"https://a.example")"), "outgoing", "array"},
      {manifest_text("notes", "1.0.0", R"(,"outgoing":["https://a.example","b.example"])"),
       "outgoing[1]", "must be an origin"},
      {manifest_text("notes", "1.0.0", R"(,"outgoing":["https://*","https://*"])"), "outgoing[1]",
       "declared twice"},
      {manifest_text("notes", "1.0.0", R"(,"public_paths":[{"path":"/s","route":"/go"}])"),
       "public_paths[0].title", "missing"},
      {manifest_text(
           "notes", "1.0.0",
           R"(,"public_paths":[{"path":"/n","route":"/a","title":"A"},{"path":"/n","route":"/b","title":"B"}])"),
       "public_paths[1].path", "declared twice"},
      {manifest_text("notes", "1.0.0", R"(,"public_paths":[{},{},{},{},{}])"), "public_paths",
       "At most 4"},
      {manifest_text("notes", "1.0.0", R"(,"migrations":{})"), "migrations", "array"},
      {manifest_text("notes", "1.0.0", R"(,"migrations":[{"number":0,"phase":"expand"}])"),
       "migrations[0].number", "1 to 9,999"},
      {manifest_text("notes", "1.0.0", R"(,"migrations":[{"number":10000,"phase":"expand"}])"),
       "migrations[0].number", "1 to 9,999"},
      {manifest_text("notes", "1.0.0", R"(,"migrations":[{"number":1,"phase":"contract"}])"),
       "migrations[0].phase", "\"contract\" is not known"},
      {manifest_text("notes", "1.0.0", R"(,"migrations":[{"number":1}])"), "migrations[0].phase",
       "missing"},
      {manifest_text(
           "notes", "1.0.0",
           R"(,"migrations":[{"number":1,"phase":"expand"},{"number":1,"phase":"expand"}])"),
       "migrations[1].number", "twice"},
  };
  for (const auto& test : cases) {
    const Reason reason = why(test.text);
    EXPECT_EQ(reason.code, "plugins.manifest_invalid") << test.text;
    EXPECT_EQ(reason.file, "/p/notes/plugin.json") << test.text;
    EXPECT_EQ(reason.path, test.path) << test.text;
    EXPECT_NE(reason.message.find(test.part), std::string::npos)
        << test.text << " → " << reason.message;
  }
}

TEST(Manifest, LimitsResponseHeaders) {
  const auto declared = [](std::size_t count) {
    std::string list;
    for (std::size_t i = 0; i < count; ++i)
      list += (i == 0 ? "\"access-control-" : ",\"access-control-") + std::to_string(i) + "\"";
    return manifest_text("notes", "1.0.0", ",\"response_headers\":[" + list + "]");
  };
  const Manifest manifest = parse_manifest(declared(ManifestLimits::response_headers), "/p");
  EXPECT_EQ(manifest.response_headers.size(), ManifestLimits::response_headers);
  EXPECT_TRUE(manifest.declares_header("Access-Control-3"));
  EXPECT_FALSE(manifest.declares_header("Access-Control-Allow-Origin"));
  EXPECT_EQ(why(declared(ManifestLimits::response_headers + 1)).path, "response_headers");
}

TEST(Manifest, LimitsOutgoingServers) {
  const auto declared = [](std::size_t count) {
    std::string list;
    for (std::size_t i = 0; i < count; ++i)
      list += (i == 0 ? "\"https://a" : ",\"https://a") + std::to_string(i) + ".example\"";
    return manifest_text("notes", "1.0.0", ",\"outgoing\":[" + list + "]");
  };
  EXPECT_EQ(parse_manifest(declared(ManifestLimits::outgoing), "/p").outgoing.size(),
            ManifestLimits::outgoing);
  EXPECT_EQ(why(declared(ManifestLimits::outgoing + 1)).path, "outgoing");
}

TEST(Manifest, RefusesReservedIds) {
  for (const char* id : {"core", "ui", "api", "app", "dav", "admin", "tenon"}) {
    const Reason reason = why(manifest_text(id));
    EXPECT_EQ(reason.code, "plugins.reserved_id") << id;
    EXPECT_EQ(reason.path, "id");
  }
  EXPECT_EQ(why(manifest_text("cores")).code, "");
}

TEST(Manifest, LimitsItsSize) {
  EXPECT_EQ(why(std::string(300 * 1024, ' ')).code, "plugins.manifest_invalid");
  std::string nested = "1";
  for (int i = 0; i < 100; ++i)
    nested = "[" + nested + "]";
  EXPECT_EQ(
      why(manifest_text("notes", "1.0.0", R"(,"ui":{"contributions":{"a":)" + nested + "}}")).code,
      "plugins.manifest_invalid");
  for (const std::string key : {"requires", "optional", "conflicts"}) {
    const auto plugins = [&key](int count) {
      std::string entries;
      for (int i = 0; i < count; ++i)
        entries += (i ? ",\"p" : "\"p") + std::to_string(i) + R"(":"1")";
      return manifest_text("notes", "1.0.0", ",\"" + key + "\":{" + entries + "}");
    };
    EXPECT_EQ(why(plugins(100)).code, "") << key;
    EXPECT_EQ(why(plugins(101)).path, key);
  }
  std::string many;
  for (int i = 0; i < 101; ++i)
    many +=
        (i ? "," : "") + std::string(R"({"id":"notes.p)") + std::to_string(i) + R"(","title":"T"})";
  EXPECT_EQ(why(manifest_text("notes", "1.0.0", ",\"permissions\":[" + many + "]")).path,
            "permissions");
  const auto phases = [](int count) {
    std::string entries;
    for (int i = 1; i <= count; ++i)
      entries += (i > 1 ? "," : "") + std::string(R"({"number":)") + std::to_string(i) +
                 R"(,"phase":"expand"})";
    return manifest_text("notes", "1.0.0", ",\"migrations\":[" + entries + "]");
  };
  EXPECT_EQ(why(phases(100)).code, "");
  EXPECT_EQ(why(phases(101)).path, "migrations");
}

TEST(Manifest, RequiresTheIdAsFolderName) {
  const test::TemporaryFolder folder;
  test::put_plugin(folder.path(), "tasks", manifest_text("notes"));
  try {
    read_manifest(folder.path() + "/tasks");
    FAIL();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.reason().path, "id");
    EXPECT_EQ(refusal.reason().file, folder.path() + "/tasks/plugin.json");
  }
  test::put_plugin(folder.path(), "notes", manifest_text("notes"));
  EXPECT_EQ(read_manifest(folder.path() + "/notes").id, "notes");
  EXPECT_EQ(test::refused([&] { read_manifest(folder.path() + "/nowhere"); }),
            "plugins.manifest_invalid");
}

TEST(Manifest, KeepsNavigationBelowThePluginsPath) {
  const auto text = [](const std::string& path) {
    return manifest_text(
        "notes", "1.0.0",
        R"(,"ui":{"navigation":[{"id":"n","title":"T","path":")" + path + R"("}]})");
  };
  for (const char* good :
       {"/app/notes", "/app/notes/", "/app/notes/a.b/..c?x=y", "/app/notes/x?next=//y/../z"}) {
    EXPECT_EQ(parse_manifest(text(good), "plugin.json").navigation[0].path, good);
  }
  for (const char* bad :
       {"/app/notes/../../admin", "/app/notes/..", "/app/notes/.", "/app/notes//x",
        "/app/notes/./x", R"(/app/notes/..\\x)", "/app/notes/..?x", "/app/notes/..#x",
        "/app/notes/%2E./x", "/app/notes/.%2e"}) {
    try {
      parse_manifest(text(bad), "plugin.json");
      ADD_FAILURE() << bad;
    } catch (const Refusal& refusal) {
      EXPECT_EQ(refusal.reason().path, "ui.navigation[0].path") << bad;
    }
  }
}

}  // namespace
}  // namespace tenon::plugins
