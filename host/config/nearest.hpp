#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::config {

/// The candidate that is most likely meant by `name`: fewest edits (Damerau-Levenshtein, adjacent
/// swaps count one), empty when more than a third of the name would have to change.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace tenon::config
