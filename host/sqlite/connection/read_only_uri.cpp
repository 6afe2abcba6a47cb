#include "sqlite/connection/read_only_uri.hpp"

#include <sys/stat.h>

#include "sqlite/snapshot/restore.hpp"

namespace tenon::data::sqlite {

namespace {

bool has_wal(const std::string& path) {
  struct stat facts {};
  return ::stat((path + "-wal").c_str(), &facts) == 0 && facts.st_size > 0;
}

// A path as a URI of SQLite.
std::string uri_of(const std::string& path) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '?' || c == '#' || c == '%' || byte < 0x21 || byte > 0x7E)
      ((uri += '%') += digits[byte >> 4]) += digits[byte & 15];
    else
      uri += c;
  }
  return uri;
}

}  // namespace

std::string read_only_uri(const std::string& path, bool has_writer) {
  const std::string file = restored_file(path);
  const bool may_change = has_writer || has_wal(file);
  return uri_of(file) + (may_change ? "?mode=ro" : "?mode=ro&immutable=1");
}

}  // namespace tenon::data::sqlite
