#include "registry/tests/registry_fixture.hpp"

#include <algorithm>

#include "packages/archive/pack.hpp"
#include "packages/elf/elf_file.hpp"
#include "packages/tests/plugin_folder.hpp"

namespace tenon::plugins::test {

const SecretKey& signer() {
  static const SecretKey key = make_key();
  return key;
}

IndexedVersion version_of(const std::string& id, const std::string& version) {
  IndexedVersion made;
  made.version = SemanticVersion::parse(version).value();
  made.version_text = version;
  made.file = id + "-" + version + ".tenon";
  made.size = 1000;
  made.key = signer().public_key().id();
  made.abi_minor = 10;
  made.needs_minor = 8;
  made.architectures = {"x86_64"};
  return made;
}

IndexedPlugin indexed(const std::string& id, std::initializer_list<const char*> versions) {
  IndexedPlugin plugin;
  plugin.id = id;
  plugin.name = id;
  for (const char* version : versions)
    plugin.versions.push_back(version_of(id, version));
  return plugin;
}

PackageIndex sample_index() {
  PackageIndex index;
  index.serial = 7;
  index.keys = {signer().public_key()};
  index.plugins = {indexed("notes", {"2.0.0-beta.1", "1.1.0", "1.0.0"}),
                   indexed("tables", {"1.2.0", "1.0.0+first"})};
  index.plugins[1].versions[1].file = "tables-1.0.0.tenon";
  IndexedPlugin& notes = index.plugins[0];
  notes.description = "Markdown notes";
  notes.author = "Ada";
  notes.license = "MIT";
  notes.icon = "notebook-pen";
  IndexedVersion& version = notes.versions[1];
  version.requires_plugins.push_back({"tables", VersionRange::parse("^1.0").value()});
  version.architectures = {"aarch64", "x86_64"};
  version.permissions.push_back({"notes.use", "Use notes", {"member", "admin"}});
  version.changelog = "- \"quoted\" <b>\n\t- more\n";
  version.screenshots.push_back({"notes/1.1.0/screenshots/a.png", 100, {}});
  return index;
}

std::string signed_package(const std::string& id, const std::string& version, const SecretKey& key,
                           const std::vector<RawFile>& files, const std::string& more) {
  const auto replace = [](std::string& text, const std::string& old, const std::string& by) {
    const std::size_t at = text.find(old);
    if (at == std::string::npos || old.size() != by.size()) throw std::logic_error(old);
    text.replace(at, old.size(), by);
  };
  std::string library = read_file(built_library("sound"));
  replace(library, R"("id":"broken","version":"1.0.0")",
          R"("id":")" + id + R"(","version":")" + version + "\"");
  std::vector<RawFile> all = files;
  all.push_back({"plugin.json", manifest_text(id, version, more)});
  all.push_back({"lib/" + std::string(host_architecture()) + "/" + id + ".so", library});
  std::sort(all.begin(), all.end(),
            [](const RawFile& left, const RawFile& right) { return left.name < right.name; });
  return sign_package(Archive(bytes_of(package_of(all)), "x.tenon"), key);
}

std::string png(std::size_t size) {
  std::string content("\x89PNG\r\n\x1a\n", 8);
  content.resize(size, '.');
  return content;
}

}  // namespace tenon::plugins::test
