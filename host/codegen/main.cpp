#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "codegen/cpp_header.hpp"
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

int run(const std::string& tables, const std::string& plugin, const std::string& header) {
  try {
    const auto parsed = tenon::data::schema::parse_tables(read_file(tables), tables);
    write_file(header, tenon::codegen::cpp_header(parsed, plugin));
    return 0;
  } catch (const tenon::base::Error& error) {
    if (error.fields().empty()) std::fprintf(stderr, "%s\n", error.message().c_str());
    for (const auto& [field, code, message] : error.fields())
      std::fprintf(stderr, "%s: %s: %s\n", tables.c_str(), field.c_str(), message.c_str());
    return 1;
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: tenon-tables TABLES.JSON PLUGIN-ID HEADER.HPP\n");
    return 2;
  }
  try {
    return run(arguments[1], arguments[2], arguments[3]);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "tenon-tables: %s\n", failure.what());
    return 1;
  }
}
