#include "packages/tests/plugin_set.hpp"

#include <algorithm>

namespace tenon::plugins::test {

namespace {

std::vector<Requirement> read(const Ranges& ranges) {
  std::vector<Requirement> all;
  for (const auto& [id, range] : ranges)
    all.push_back({id, VersionRange::parse(range).value()});
  std::sort(all.begin(), all.end(),
            [](const Requirement& left, const Requirement& right) { return left.id < right.id; });
  return all;
}

Ranges random_ranges(Random& random, const std::string& own, unsigned count, unsigned likely) {
  Ranges all;
  for (unsigned i = 0; i < count; ++i) {
    const std::string id = "p" + std::to_string(i);
    if (id == own || number(random, 99) >= likely) continue;
    constexpr const char* ranges[] = {"*", "*", "^1", "^2", ">=1.0.0"};
    all.emplace_back(id, ranges[number(random, 4)]);
  }
  return all;
}

}  // namespace

Manifest make_manifest(const std::string& id, const std::string& version, const Others& others) {
  Manifest manifest;
  manifest.id = id;
  manifest.version_text = version;
  manifest.version = SemanticVersion::parse(version).value();
  manifest.requires_plugins = read(others.required);
  manifest.optional_plugins = read(others.optional);
  manifest.conflicts = read(others.conflicts);
  return manifest;
}

const Manifest& PluginSet::add(const std::string& id, const Others& others,
                               const std::string& version, bool enabled) {
  return add(make_manifest(id, version, others), enabled);
}

const Manifest& PluginSet::add(Manifest manifest, bool enabled) {
  manifests_.push_back(std::move(manifest));
  candidates_.push_back({&manifests_.back(), enabled, true});
  return manifests_.back();
}

const Candidate* PluginSet::find(std::string_view id) const {
  const auto found =
      std::find_if(candidates_.begin(), candidates_.end(),
                   [id](const Candidate& candidate) { return candidate.manifest->id == id; });
  return found == candidates_.end() ? nullptr : &*found;
}

unsigned number(Random& random, unsigned max) {
  return static_cast<unsigned>(random() % (max + 1U));
}

Manifest random_manifest(Random& random, const std::string& id, unsigned count) {
  constexpr const char* versions[] = {"1.0.0", "1.4.2", "1.9.0", "2.0.0"};
  Others others;
  others.required = random_ranges(random, id, count, 12);
  others.optional = random_ranges(random, id, count, 15);
  others.conflicts = random_ranges(random, id, count, 3);
  const auto is_required = [&others](const auto& one) {
    return std::any_of(others.required.begin(), others.required.end(),
                       [&one](const auto& required) { return required.first == one.first; });
  };
  std::erase_if(others.optional, is_required);
  std::erase_if(others.conflicts, is_required);
  return make_manifest(id, versions[number(random, 3)], others);
}

PluginSet random_set(Random& random, unsigned count) {
  PluginSet set;
  for (unsigned i = 0; i < count; ++i) {
    if (number(random, 9) == 0) continue;
    Manifest manifest = random_manifest(random, "p" + std::to_string(i), count);
    set.add(std::move(manifest), number(random, 9) != 0);
  }
  return set;
}

}  // namespace tenon::plugins::test
