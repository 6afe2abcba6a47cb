#pragma once

#include <string>

namespace tasks {

/// Returns the next whole fractional key after `key`, as the npm library fractional-indexing has
/// them; of an empty one the first. Text order by code points is the order. `key` must be such a
/// key.
std::string key_after(const std::string& key);

}  // namespace tasks
