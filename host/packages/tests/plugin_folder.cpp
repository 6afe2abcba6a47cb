#include "packages/tests/plugin_folder.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <gtest/gtest.h>
#include <stdlib.h>

#include "packages/elf/elf_file.hpp"

namespace tenon::plugins::test {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string pattern = fs::path(testing::TempDir()) / "tenon-plugins-XXXXXX";
  if (!::mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code failure;
  fs::remove_all(path_, failure);
}

std::string built_library(const std::string& name) {
  std::string path = PLUGIN_TEST_LIBRARIES "/";
  return path.append(name).append(".so");
}

void write_file(const std::string& path, const std::string& content) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << content;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string manifest_text(const std::string& id, const std::string& version,
                          const std::string& more) {
  return R"({"id":")" + id + R"(","name":"Test","version":")" + version +
         R"(","abi":{"major":0,"minor":13})" + more + "}";
}

std::string put_plugin(const std::string& directory, const std::string& id,
                       const std::string& manifest, const std::string& library) {
  const std::string folder = directory + "/" + id;
  write_file(folder + "/plugin.json", manifest);
  if (!library.empty()) {
    const fs::path target = folder + "/lib/" + std::string(host_architecture()) + "/" + id + ".so";
    fs::create_directories(target.parent_path());
    // A new file, as an installation makes one: what is mapped from the old one stays as it is.
    fs::remove(target);
    fs::copy_file(built_library(library), target);
  }
  return folder;
}

}  // namespace tenon::plugins::test
