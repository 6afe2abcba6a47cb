#include "app/server/binding.hpp"

#include <filesystem>
#include <fstream>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

#include "base/error.hpp"

namespace tenon::app {

namespace {

constexpr const char* binding_file = "/database";
constexpr const char* copying_file = "/copying";

[[noreturn]] void fail(const std::string& file) {
  throw base::Error(
      500, "app.data_unusable",
      "The file " + file +
          " cannot be written. Free disk space, or give this user the right to write there.");
}

// On disk before what follows.
void sync(const std::string& path) {
  const int opened = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_synced = opened >= 0 && fsync(opened) == 0;
  if (opened >= 0) close(opened);
  if (!is_synced) fail(path);
}

void write(const std::string& data, const std::string& file, const std::string& text) {
  const std::string draft = file + ".new";
  std::ofstream out(draft, std::ios::trunc);
  std::error_code failure;
  std::filesystem::permissions(
      draft, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write, failure);
  out << text << '\n';
  out.close();
  if (!out) fail(file);
  sync(draft);
  std::filesystem::rename(draft, file, failure);
  if (failure) fail(file);
  sync(data);
}

void remove(const std::string& data, const std::string& file) {
  std::error_code failure;
  std::filesystem::remove(file, failure);
  if (failure) fail(file);
  sync(data);
}

}  // namespace

std::string bound_database(const std::string& data) {
  std::ifstream in(data + binding_file);
  std::string bound;
  std::getline(in, bound);
  return bound;
}

bool is_bound(const std::string& data) {
  std::error_code ignored;
  return std::filesystem::exists(data + binding_file, ignored);
}

void bind_to_database(const std::string& data, const std::string& installation) {
  write(data, data + binding_file, installation);
}

void unbind_from_database(const std::string& data) {
  remove(data, data + binding_file);
}

bool is_being_copied_into(const std::string& data) {
  std::error_code ignored;
  return std::filesystem::exists(data + copying_file, ignored);
}

void mark_being_copied_into(const std::string& data, bool is_being_copied) {
  if (is_being_copied)
    write(data, data + copying_file, "tenon data copy");
  else
    remove(data, data + copying_file);
}

}  // namespace tenon::app
