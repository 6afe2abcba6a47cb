#include "config/nearest.hpp"

#include <algorithm>
#include <cstddef>

namespace tenon::config {

namespace {

std::size_t edits(std::string_view left, std::string_view right) {
  std::vector<std::vector<std::size_t>> cost(left.size() + 1,
                                             std::vector<std::size_t>(right.size() + 1));
  for (std::size_t i = 0; i <= left.size(); ++i)
    cost[i][0] = i;
  for (std::size_t j = 0; j <= right.size(); ++j)
    cost[0][j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = cost[i - 1][j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[left.size()][right.size()];
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& candidates) {
  // The table of edits grows with the product of the lengths, and no key is that long.
  if (name.size() > 100) return {};
  std::string best;
  std::size_t nearest_distance = name.size() / 3 + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edits(name, candidate);
    if (distance < nearest_distance) {
      nearest_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace tenon::config
