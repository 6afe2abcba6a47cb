#include <functional>

#include <gtest/gtest.h>

#include "packages/signature/signature.hpp"
#include "packages/tests/plugin_folder.hpp"
#include "registry/limits.hpp"
#include "registry/package_index.hpp"
#include "registry/search.hpp"
#include "registry/tests/registry_fixture.hpp"

namespace tenon::plugins {
namespace {

using test::indexed;
using test::version_of;

constexpr const char* index_invalid = "plugins.registry_invalid";
constexpr const char* index_too_large = "plugins.registry_too_large";

std::string refused_index(const std::string& text) {
  return test::refused([&] { parse_index(text, "index.json"); });
}
// Returns the error for an index in which one thing is changed.
std::string refused_with(const std::function<void(PackageIndex&)>& change) {
  PackageIndex index = test::sample_index();
  change(index);
  return refused_index(write_index(index));
}
// The same with a piece of its text, which must be there, replaced by another one.
std::string refused_text(const std::string& piece, const std::string& by) {
  std::string text = write_index(test::sample_index());
  const std::size_t at = text.find(piece);
  EXPECT_NE(at, std::string::npos) << piece;
  return refused_index(text.replace(at, piece.size(), by));
}

TEST(RegistryIndex, ReadsBackWhatItWrites) {
  const PackageIndex index = test::sample_index();
  const std::string text = write_index(index);
  const PackageIndex again = parse_index(text, "index.json");
  EXPECT_EQ(write_index(again), text);
  EXPECT_EQ(again.serial, 7U);
  ASSERT_EQ(again.plugins.size(), 2U);
  const IndexedPlugin& notes = again.plugins[0];
  EXPECT_EQ(notes.id, "notes");
  EXPECT_EQ(notes.icon, "notebook-pen");
  EXPECT_EQ(again.plugins[1].icon, "");
  ASSERT_EQ(notes.versions.size(), 3U);
  EXPECT_EQ(notes.versions[0].version_text, "2.0.0-beta.1");
  EXPECT_EQ(notes.latest().version_text, "1.1.0");
  EXPECT_EQ(notes.versions[1].changelog, "- \"quoted\" <b>\n\t- more\n");
  EXPECT_EQ(notes.versions[1].requires_plugins[0].id, "tables");
  EXPECT_EQ(notes.versions[1].screenshots[0].file, "notes/1.1.0/screenshots/a.png");
  EXPECT_EQ(again.find("tables"), &again.plugins[1]);
  EXPECT_EQ(again.find("missing"), nullptr);
  EXPECT_EQ(again.find(""), nullptr);
}

TEST(RegistryIndex, AcceptsAnEmptyIndex) {
  const PackageIndex empty = parse_index(write_index({}), "index.json");
  EXPECT_TRUE(empty.plugins.empty());
  EXPECT_EQ(empty.serial, 1U);
}

TEST(RegistryIndex, IgnoresMembersOfALaterFormat) {
  std::string text = write_index(test::sample_index());
  text.insert(1, R"("later":{"a":[1,2]},)");
  text.insert(text.find(R"("version":)"), R"("stars":5,)");
  EXPECT_EQ(refused_index(text), "");
  EXPECT_EQ(refused_text("tenon-registry 1", "tenon-registry 2"), index_invalid);
}

TEST(RegistryIndex, AcceptsIconNamesByTheirForm) {
  for (const char* icon : {"../x", "A", "a b", ""})
    EXPECT_EQ(refused_text("notebook-pen", icon), index_invalid) << icon;
  EXPECT_EQ(refused_text("notebook-pen", std::string(65, 'a')), index_invalid);
  EXPECT_EQ(refused_text(R"("icon":"notebook-pen")", R"("icon":7)"), index_invalid);
}

TEST(RegistryIndex, RejectsEveryTruncation) {
  const std::string whole = write_index(test::sample_index());
  // Without the newline it is the same JSON.
  for (std::size_t size = 0; size + 1 < whole.size(); ++size)
    EXPECT_EQ(refused_index(whole.substr(0, size)), index_invalid) << size;
}

TEST(RegistryIndex, RefusesUnsortedEntries) {
  const auto swap_versions = [](PackageIndex& index) {
    std::swap(index.plugins[0].versions[1], index.plugins[0].versions[2]);
  };
  EXPECT_EQ(refused_with(swap_versions), index_invalid);
  EXPECT_EQ(refused_with([](PackageIndex& index) {
              index.plugins[0].versions[1] = index.plugins[0].versions[2];
            }),
            index_invalid);
  EXPECT_EQ(
      refused_with([](PackageIndex& index) { std::swap(index.plugins[0], index.plugins[1]); }),
      index_invalid);
  EXPECT_EQ(refused_with([](PackageIndex& index) { index.plugins[1].id = "notes"; }),
            index_invalid);
  EXPECT_EQ(refused_with([](PackageIndex& index) { index.keys.push_back(index.keys[0]); }),
            index_invalid);
  EXPECT_EQ(refused_with([](PackageIndex& index) { index.plugins[1].versions.pop_back(); }), "")
      << "one version is left";
  EXPECT_EQ(refused_text(R"("latest":"1.1.0")", R"("latest":"1.0.0")"), index_invalid);
}

TEST(RegistryIndex, RefusesInvalidValues) {
  using Change = std::function<void(IndexedVersion&)>;
  const Change changes[] = {
      [](IndexedVersion& v) { v.file = "../notes.tenon"; },
      [](IndexedVersion& v) { v.file = "/notes.tenon"; },
      [](IndexedVersion& v) { v.file = "no tes.tenon"; },
      [](IndexedVersion& v) { v.file = ""; },
      [](IndexedVersion& v) { v.size = 64ull * 1024 * 1024 + 1; },
      [](IndexedVersion& v) { v.key = "0123456789ABCDEF"; },
      [](IndexedVersion& v) { v.key = ""; },
      [](IndexedVersion& v) { v.abi_major = 65536; },
      [](IndexedVersion& v) { v.needs_minor = 65536; },
      [](IndexedVersion& v) { v.requires_plugins[0].id = "No"; },
      [](IndexedVersion& v) { v.requires_plugins[0].id = "core"; },
      [](IndexedVersion& v) { v.requires_plugins[0].id = "notes"; },
      [](IndexedVersion& v) {
        v.architectures = {"x86_64", "aarch64"};
      },
      [](IndexedVersion& v) {
        v.architectures = {"x86_64", "x86_64"};
      },
      [](IndexedVersion& v) { v.architectures = {".."}; },
      [](IndexedVersion& v) { v.permissions[0].id = "other.use"; },
      [](IndexedVersion& v) { v.permissions[0].title = ""; },
      [](IndexedVersion& v) { v.changelog = "a\x1b[31m"; },
      [](IndexedVersion& v) { v.screenshots[0].file = "a/../b.png"; },
  };
  for (const Change& change : changes) {
    EXPECT_EQ(refused_with([&](PackageIndex& index) { change(index.plugins[0].versions[1]); }),
              index_invalid)
        << &change - changes;
  }
  EXPECT_EQ(refused_with([](PackageIndex& index) { index.plugins[0].id = "core"; }), index_invalid);
  EXPECT_EQ(refused_with([](PackageIndex& index) { index.plugins[0].name = "a\nb"; }),
            index_invalid);
  EXPECT_EQ(refused_with([](PackageIndex& index) { index.serial = 0; }), index_invalid);
  EXPECT_EQ(refused_with([](PackageIndex& index) { index.serial = RegistryLimits::serial; }), "");
  EXPECT_EQ(refused_with([](PackageIndex& index) { index.serial = RegistryLimits::serial + 1; }),
            index_invalid);
}

TEST(RegistryIndex, RefusesWrongTypes) {
  EXPECT_EQ(refused_text(R"("serial":7)", R"("serial":"7")"), index_invalid);
  EXPECT_EQ(refused_text(R"("serial":7)", R"("serial":7.5)"), index_invalid);
  EXPECT_EQ(refused_text(R"("serial":7)", R"("serial":-7)"), index_invalid);
  EXPECT_EQ(refused_text(R"("serial":7,)", ""), index_invalid);
  EXPECT_EQ(refused_text(R"("serial":7)", R"("serial":7,"serial":7)"), index_invalid);
  EXPECT_EQ(refused_text(R"("^1.0")", R"("one")"), index_invalid);
  EXPECT_EQ(refused_text(R"("^1.0")", "1"), index_invalid);
  EXPECT_EQ(refused_text(R"("x86_64")", "null"), index_invalid);
  EXPECT_EQ(refused_text(R"("blake2b":"00)", R"("blake2b":"0G)"), index_invalid);
  EXPECT_EQ(refused_text(R"("blake2b":"00)", R"("blake2b":"0)"), index_invalid);
  EXPECT_EQ(refused_text(R"("public":"R)", R"("public":"S)"), index_invalid);
  EXPECT_EQ(refused_text(R"("versions":[)", R"("versions":[[],)"), index_invalid);
  EXPECT_EQ(refused_index("[]"), index_invalid);
  EXPECT_EQ(refused_index("{}"), index_invalid);
  EXPECT_EQ(refused_index(""), index_invalid);
}

TEST(RegistryIndex, EnforcesItsLimits) {
  const auto with_versions = [](std::size_t count) {
    return refused_with([count](PackageIndex& index) {
      auto& versions = index.plugins[1].versions;
      versions.clear();
      for (std::size_t i = count; i > 0; --i)
        versions.push_back(version_of("tables", "1." + std::to_string(i) + ".0"));
    });
  };
  EXPECT_EQ(with_versions(RegistryLimits::versions), "");
  EXPECT_EQ(with_versions(RegistryLimits::versions + 1), index_too_large);

  const auto with_plugins = [](std::size_t count) {
    return refused_with([count](PackageIndex& index) {
      index.plugins.clear();
      for (std::size_t i = 0; i < count; ++i)
        index.plugins.push_back(indexed("p" + std::to_string(10'000 + i), {"1.0.0"}));
    });
  };
  EXPECT_EQ(with_plugins(RegistryLimits::plugins), "");
  EXPECT_EQ(with_plugins(RegistryLimits::plugins + 1), index_too_large);

  const auto with = [](const std::function<void(IndexedVersion&)>& change) {
    return refused_with([&](PackageIndex& index) { change(index.plugins[0].versions[1]); });
  };
  EXPECT_EQ(with([](IndexedVersion& v) { v.changelog.assign(RegistryLimits::changelog, 'x'); }),
            "");
  EXPECT_EQ(with([](IndexedVersion& v) { v.changelog.assign(RegistryLimits::changelog + 1, 'x'); }),
            index_invalid);
  EXPECT_EQ(with([](IndexedVersion& v) {
              v.screenshots.assign(RegistryLimits::screenshots, v.screenshots[0]);
            }),
            "");
  EXPECT_EQ(with([](IndexedVersion& v) {
              v.screenshots.assign(RegistryLimits::screenshots + 1, v.screenshots[0]);
            }),
            index_too_large);
  EXPECT_EQ(with([](IndexedVersion& v) { v.screenshots[0].size = RegistryLimits::screenshot + 1; }),
            index_invalid);
  EXPECT_EQ(with([](IndexedVersion& v) {
              v.permissions.assign(ManifestLimits::entries + 1, v.permissions[0]);
            }),
            index_too_large);
  EXPECT_EQ(with([](IndexedVersion& v) {
              for (std::size_t i = 0; i <= ManifestLimits::entries; ++i)
                v.requires_plugins.push_back({"p" + std::to_string(i), *VersionRange::parse("*")});
            }),
            index_too_large);
  EXPECT_EQ(with([](IndexedVersion& v) {
              v.architectures.clear();
              for (std::size_t i = 0; i <= RegistryLimits::architectures; ++i)
                v.architectures.push_back("m" + std::to_string(10 + i));
            }),
            index_too_large);

  PackageIndex index = test::sample_index();
  const PublicKey key = index.keys[0];
  for (std::size_t i = 0; i < RegistryLimits::keys; ++i) {
    index.keys.push_back(key);
    index.keys.back().number = {
        static_cast<unsigned char>(i), static_cast<unsigned char>(i >> 8), 0, 0, 0, 0, 1, 0};
  }
  std::sort(index.keys.begin(), index.keys.end(),
            [](const PublicKey& left, const PublicKey& right) { return left.id() < right.id(); });
  EXPECT_EQ(refused_index(write_index(index)), index_too_large);

  std::string text = write_index(test::sample_index());
  text.append(RegistryLimits::index - text.size(), ' ');
  EXPECT_EQ(refused_index(text), "");
  EXPECT_EQ(refused_index(text + " "), index_too_large);
  EXPECT_EQ(refused_index(std::string(R"({"x":[[[[[[[[]]]]]]]]})")), index_invalid);
}

TEST(RegistryIndex, OpensWithItsKeyOnly) {
  const std::string text = write_index(test::sample_index());
  const SecretKey key = make_key();
  const std::string signature = sign_text(text, key, "tenon registry 7").to_text();
  const auto refused_opening = [&](const std::string& what, const PublicKey& by) {
    return test::refused([&] { open_index(what, signature, by, "index.json"); });
  };
  EXPECT_EQ(refused_opening(text, key.public_key()), "");
  EXPECT_EQ(refused_opening(text, make_key().public_key()), "plugins.signature_wrong_key");
  EXPECT_EQ(refused_opening(text + " ", key.public_key()), "plugins.signature_invalid");
  // Before its JSON is looked at.
  EXPECT_EQ(refused_opening("[", key.public_key()), "plugins.signature_invalid");
}

std::string found(const PackageIndex& index, const std::string& query) {
  std::string ids;
  for (const IndexedPlugin* plugin : search_plugins(index, query))
    ids += (ids.empty() ? "" : " ") + plugin->id;
  return ids;
}

TEST(RegistrySearch, RanksByTheFieldOfTheMatch) {
  PackageIndex index;
  for (const char* id : {"board", "calendar", "notes", "sticky", "tasks"})
    index.plugins.push_back(indexed(id, {"1.0.0"}));
  index.plugins[0].description = "A wall for notes";
  index.plugins[1].author = "Notes & Co";
  index.plugins[3].name = "Sticky Notes";
  index.plugins[4].name = "Aufgaben für ÄRZTE";
  EXPECT_EQ(found(index, "notes"), "notes sticky calendar board");
  EXPECT_EQ(found(index, "NOTES sticky"), "sticky");
  EXPECT_EQ(found(index, "ärzte"), "tasks");
  EXPECT_EQ(found(index, "note"), "notes sticky calendar board");
  EXPECT_EQ(found(index, "nothing"), "");
  EXPECT_EQ(found(index, " \t"), "board calendar notes sticky tasks");
}

TEST(RegistrySearch, EnforcesItsLimits) {
  PackageIndex index;
  index.plugins.push_back(indexed("notes", {"1.0.0"}));
  std::string words;
  for (std::size_t i = 0; i < RegistryLimits::words; ++i)
    words += "notes ";
  EXPECT_EQ(found(index, words + "missing"), "notes") << "the eleventh word is left out";
  EXPECT_EQ(found(index, words.substr(6) + "missing"), "");
  const std::string max_query(RegistryLimits::query, ' ');
  EXPECT_EQ(found(index, max_query), "notes");
  EXPECT_EQ(test::refused([&] { search_plugins(index, max_query + " "); }),
            "plugins.registry_query");
  EXPECT_EQ(test::refused([&] { search_plugins(index, "\xff"); }), "plugins.registry_query");
}

}  // namespace
}  // namespace tenon::plugins
