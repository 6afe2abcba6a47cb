#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace notes::text {

/// The text that an export gives for a note: its own bytes, unless reading them would not give back
/// its title and tags; then with these in the front matter.
std::string exported_text(std::string_view text, const std::string& title, std::string_view file,
                          const std::vector<std::string>& tags);

/// A value for Content-Disposition that offers a download under `file` (RFC 6266, RFC 8187).
std::string attachment(std::string_view file);

}  // namespace notes::text
