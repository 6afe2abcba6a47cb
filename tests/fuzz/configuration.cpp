// tenon.conf, and the readers of single values.

#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

#include <unistd.h>

#include "base/error.hpp"
#include "config/keys.hpp"
#include "config/load.hpp"
#include "config/values.hpp"
#include "http/parser/forwarded.hpp"
#include "property.hpp"

namespace {

using namespace tenon::config;

// One folder a process, gone with it.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() / ("tenon-fuzz-" + std::to_string(getpid()))) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

template <typename Read>
auto read_or(Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const std::invalid_argument& expected) {
    TENON_HOLDS(expected.what()[0] != '\0');
    return {};
  }
}

void check_values(std::string_view text) {
  constexpr std::size_t max_bytes = std::numeric_limits<std::size_t>::max();
  const std::size_t bytes = read_or([&] { return read_size(text, 1, max_bytes); });
  if (bytes != 0) TENON_HOLDS(read_size(show_size(bytes), 1, max_bytes) == bytes);
  const std::chrono::milliseconds max_duration(std::numeric_limits<std::int64_t>::max());
  const auto duration =
      read_or([&] { return read_duration(text, std::chrono::milliseconds(1), max_duration); });
  TENON_HOLDS(duration.count() >= 0);
  if (duration.count() != 0) {
    TENON_HOLDS(read_duration(show_duration(duration), std::chrono::milliseconds(1),
                              max_duration) == duration);
  }
  TENON_HOLDS(read_or([&] { return read_count(text, 0, 100); }) <= 100);
  const Endpoint endpoint = read_or([&] { return read_endpoint(text); });
  TENON_HOLDS(endpoint.host.find_first_of("/@[] ") == std::string::npos);
  const std::string network = read_or([&] { return read_network(text); });
  TENON_HOLDS(network.empty() || network == text);
  TENON_HOLDS(network.find_first_not_of("0123456789abcdefABCDEF.:/") == std::string::npos);
  // The HTTP server accepts every value that the file may have.
  if (!network.empty()) tenon::http::AddressBlocks({network});
  for (const std::string& part : split_list(text))
    TENON_HOLDS(!part.empty() && part.find(',') == std::string::npos && trim(part) == part);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  const std::string_view text = tenon::fuzz::text_of(data, size);
  check_values(text.substr(0, text.find('\n')));

  const std::string path = folder.path() + "/tenon.conf";
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(text.data(), static_cast<std::streamsize>(size));
  Sources sources;
  sources.arguments = {"--data", folder.path()};
  sources.program_directory = "/opt/tenon/bin";
  try {
    const Settings settings = load(sources);
    // Nothing that is taken is out of its bounds: the same as flags would say.
    TENON_HOLDS(settings.http.fields > 0 && settings.http.json_depth > 0);
    TENON_HOLDS(settings.http.head_deadline.count() > 0);
  } catch (const tenon::base::Error& error) {
    TENON_HOLDS(error.status() == 422 && error.code() == "config.invalid");
    TENON_HOLDS(!error.message().empty());
  }
  return 0;
}
