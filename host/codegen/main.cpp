#include <cstdio>
#include <exception>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "codegen/cpp_header.hpp"
#include "codegen/settings_header.hpp"
#include "schema/tables.hpp"

namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be read");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (file.bad()) throw std::runtime_error(path + " cannot be read");
  return text;
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw std::runtime_error(path + " cannot be written");
}

void print(const std::string& file, const tenon::base::Error& error) {
  if (error.fields().empty()) {
    const bool has_name = error.message().find(file) != std::string::npos;
    std::fprintf(stderr, "%s%s%s\n", has_name ? "" : file.c_str(), has_name ? "" : ": ",
                 error.message().c_str());
  }
  for (const auto& [field, code, message] : error.fields())
    std::fprintf(stderr, "%s: %s: %s\n", file.c_str(), field.c_str(), message.c_str());
}

int write_header(const std::string& source, const std::string& header,
                 const std::function<std::string(const std::string& text)>& make) {
  try {
    write_file(header, make(read_file(source)));
    return 0;
  } catch (const tenon::base::Error& error) {
    print(source, error);
    return 1;
  }
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 4 && words[0] == "tables") {
    return write_header(words[1], words[3], [&](const std::string& text) {
      return tenon::codegen::cpp_header(tenon::data::schema::parse_tables(text, words[1]),
                                        words[2]);
    });
  }
  if (words.size() == 3 && words[0] == "settings")
    return write_header(words[1], words[2], tenon::codegen::settings_header);
  std::fprintf(stderr,
               "Usage: tenon-types tables TABLES.JSON PLUGIN-ID HEADER.HPP\n"
               "       tenon-types settings PLUGIN.JSON HEADER.HPP\n");
  return 2;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run({arguments + 1, arguments + count});
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "tenon-types: %s\n", failure.what());
    return 1;
  }
}
