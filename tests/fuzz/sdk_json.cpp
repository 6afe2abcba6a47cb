// The SDK's quick reader of JSON bodies, compared with the library that reads the rest.

#include <tenon/detail/json_reader.hpp>

#include "property.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using Json = nlohmann::json;
  const std::string_view text = tenon::fuzz::text_of(data, size);

  Json quick;
  if (!tenon::detail::JsonReader(text).read(quick)) return 0;
  const Json slow = Json::parse(text, nullptr, false);
  TENON_HOLDS(!slow.is_discarded());
  TENON_HOLDS(quick == slow);
  // Distinguishes whole numbers from fractions, and 0 from -0.
  TENON_HOLDS(quick.dump() == slow.dump());
  return 0;
}
