#include "packages/archive/file_list.hpp"

#include <charconv>

#include <sodium.h>

#include "packages/archive/limits.hpp"
#include "packages/archive/names.hpp"
#include "packages/archive/package_refusal.hpp"

namespace tenon::plugins {

namespace {

constexpr std::string_view first_line = "tenon-package 1\n";
constexpr std::size_t hash_digits = 2 * sizeof(FileHash);

class Parser {
 public:
  Parser(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

  std::vector<ListedFile> parse() {
    if (rest_.size() > PackageLimits::list) {
      refuse_size(
          "FILES is larger than " + std::to_string(PackageLimits::list / (1024 * 1024)) + " MiB.",
          file_, "FILES");
    }
    if (!rest_.starts_with(first_line)) {
      refuse_form(
          "The first line must be \"tenon-package 1\"; a package of another version needs another "
          "version of Tenon.",
          file_, location());
    }
    rest_.remove_prefix(first_line.size());
    std::vector<ListedFile> files;
    std::uint64_t total = 0;
    while (!rest_.empty()) {
      ++line_;
      if (files.size() == PackageLimits::files)
        refuse_size("There are more than " + std::to_string(PackageLimits::files) + " files.",
                    file_, location());
      files.push_back(parse_line());
      check_order(files);
      if (files.back().size > PackageLimits::unpacked - total) {
        refuse_size("The files are larger than " +
                        std::to_string(PackageLimits::unpacked / (1024 * 1024)) + " MiB together.",
                    file_, location());
      }
      total += files.back().size;
    }
    if (files.empty()) refuse_form("The package has no files.", file_, location());
    return files;
  }

 private:
  std::string location() const { return "FILES, line " + std::to_string(line_); }

  [[noreturn]] void refuse_line() const {
    refuse_form("A line is \"<size> <BLAKE2b-512 as 128 hexadecimal digits> <name>\".", file_,
                location());
  }

  std::string_view take(char end) {
    const std::size_t size = rest_.find(end);
    if (size == std::string_view::npos) refuse_line();
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size + 1);
    return taken;
  }

  ListedFile parse_line() {
    ListedFile listed;
    const std::string_view size = take(' ');
    const auto read = std::from_chars(size.data(), size.data() + size.size(), listed.size);
    // One form of a number: no leading zero, which is not the zero itself.
    if (read.ec != std::errc() || read.ptr != size.data() + size.size() ||
        std::to_string(listed.size) != size) {
      refuse_line();
    }
    const std::string_view digits = take(' ');
    std::size_t got = 0;
    if (digits.size() != hash_digits ||
        sodium_hex2bin(listed.hash.data(), listed.hash.size(), digits.data(), digits.size(),
                       nullptr, &got, nullptr) != 0 ||
        hex_of(listed.hash) != digits) {
      refuse_line();
    }
    const std::string_view name = take('\n');
    if (const std::string fault = fault_of_name(name); !fault.empty())
      refuse_package("plugins.package_name_invalid", fault, file_, location());
    listed.name = name;
    return listed;
  }

  void check_order(const std::vector<ListedFile>& files) {
    const std::string& name = files.back().name;
    if (const std::string fault = names_.add(name); !fault.empty())
      refuse_package("plugins.package_name_invalid", "\"" + name + "\": " + fault, file_,
                     location());
    if (files.size() > 1 && files[files.size() - 2].name >= name)
      refuse_form("The names are not sorted by their bytes.", file_, location());
  }

  std::string_view rest_;
  const std::string& file_;
  std::size_t line_ = 1;
  NameSet names_;
};

}  // namespace

std::string hex_of(const FileHash& hash) {
  std::string text(hash_digits + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), hash.data(), hash.size());
  text.pop_back();
  return text;
}

FileHash hash_of(std::string_view content) {
  FileHash hash;
  crypto_generichash(hash.data(), hash.size(),
                     reinterpret_cast<const unsigned char*>(content.data()), content.size(),
                     nullptr, 0);
  return hash;
}

std::string write_file_list(const std::vector<ListedFile>& files) {
  std::string text(first_line);
  for (const ListedFile& listed : files) {
    text += std::to_string(listed.size) + " " + hex_of(listed.hash) + " ";
    text += listed.name;
    text += '\n';
  }
  return text;
}

std::vector<ListedFile> parse_file_list(std::string_view text, const std::string& file) {
  return Parser(text, file).parse();
}

}  // namespace tenon::plugins
