#pragma once

#include <string>

namespace tasks {

/// The next whole fractional key behind `key`, as the npm library fractional-indexing has them; of
/// an empty one the first. Text order by code points is the order. `key` must be such a key.
std::string key_after(const std::string& key);

}  // namespace tasks
