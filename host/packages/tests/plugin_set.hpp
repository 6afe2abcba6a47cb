#pragma once

#include <deque>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "packages/manifest/manifest.hpp"
#include "packages/resolver/resolver.hpp"

namespace tenon::plugins::test {

using Ranges = std::vector<std::pair<std::string, std::string>>;

/// The entries of a manifest for other plugins.
struct Others {
  Ranges required = {};
  Ranges optional = {};
  Ranges conflicts = {};
};

Manifest make_manifest(const std::string& id, const std::string& version = "1.0.0",
                       const Others& others = {});

/// Plugins as the resolver gets them.
class PluginSet {
 public:
  const Manifest& add(const std::string& id, const Others& others = {},
                      const std::string& version = "1.0.0", bool enabled = true);
  const Manifest& add(Manifest manifest, bool enabled = true);

  const std::vector<Candidate>& candidates() const noexcept { return candidates_; }
  /// Null when there is none.
  const Candidate* find(std::string_view id) const;

 private:
  std::deque<Manifest> manifests_;
  std::vector<Candidate> candidates_;
};

using Random = std::mt19937;

/// Returns 0…`max`.
unsigned number(Random& random, unsigned max);
/// A plugin with random relations to "p0" … "p<count>".
Manifest random_manifest(Random& random, const std::string& id, unsigned count);
/// Up to `count` plugins "p0" …, some disabled.
PluginSet random_set(Random& random, unsigned count);

}  // namespace tenon::plugins::test
