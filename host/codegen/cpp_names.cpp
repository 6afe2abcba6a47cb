#include "codegen/cpp_names.hpp"

#include <algorithm>
#include <array>

namespace tenon::codegen {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t comment_width = 100;

// Keywords of C++20, and names that headers of the standard library or compilers define as macros.
constexpr std::array reserved = {"alignas"sv,
                                 "alignof"sv,
                                 "and"sv,
                                 "and_eq"sv,
                                 "asm"sv,
                                 "assert"sv,
                                 "auto"sv,
                                 "bitand"sv,
                                 "bitor"sv,
                                 "bool"sv,
                                 "break"sv,
                                 "case"sv,
                                 "catch"sv,
                                 "char"sv,
                                 "char16_t"sv,
                                 "char32_t"sv,
                                 "char8_t"sv,
                                 "class"sv,
                                 "co_await"sv,
                                 "co_return"sv,
                                 "co_yield"sv,
                                 "compl"sv,
                                 "concept"sv,
                                 "const"sv,
                                 "const_cast"sv,
                                 "consteval"sv,
                                 "constexpr"sv,
                                 "constinit"sv,
                                 "continue"sv,
                                 "decltype"sv,
                                 "default"sv,
                                 "delete"sv,
                                 "do"sv,
                                 "double"sv,
                                 "dynamic_cast"sv,
                                 "else"sv,
                                 "enum"sv,
                                 "errno"sv,
                                 "explicit"sv,
                                 "export"sv,
                                 "extern"sv,
                                 "false"sv,
                                 "float"sv,
                                 "for"sv,
                                 "friend"sv,
                                 "goto"sv,
                                 "i386"sv,
                                 "if"sv,
                                 "inline"sv,
                                 "int"sv,
                                 "linux"sv,
                                 "long"sv,
                                 "mutable"sv,
                                 "namespace"sv,
                                 "new"sv,
                                 "noexcept"sv,
                                 "not"sv,
                                 "not_eq"sv,
                                 "nullptr"sv,
                                 "operator"sv,
                                 "or"sv,
                                 "or_eq"sv,
                                 "private"sv,
                                 "protected"sv,
                                 "public"sv,
                                 "register"sv,
                                 "reinterpret_cast"sv,
                                 "requires"sv,
                                 "return"sv,
                                 "short"sv,
                                 "signed"sv,
                                 "sizeof"sv,
                                 "static"sv,
                                 "static_assert"sv,
                                 "static_cast"sv,
                                 "std"sv,
                                 "struct"sv,
                                 "switch"sv,
                                 "template"sv,
                                 "tenon"sv,
                                 "this"sv,
                                 "thread_local"sv,
                                 "throw"sv,
                                 "true"sv,
                                 "try"sv,
                                 "typedef"sv,
                                 "typeid"sv,
                                 "typename"sv,
                                 "union"sv,
                                 "unix"sv,
                                 "unsigned"sv,
                                 "using"sv,
                                 "virtual"sv,
                                 "void"sv,
                                 "volatile"sv,
                                 "wchar_t"sv,
                                 "while"sv,
                                 "xor"sv,
                                 "xor_eq"sv};

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

char upper(char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// One line of a comment; a backslash at its end would join the next line to it.
void append_line(std::string& to, std::string_view indent, std::string_view line) {
  to.append(indent).append("///");
  if (!line.empty()) to.append(" ").append(line);
  if (line.ends_with('\\')) to += '.';
  to += '\n';
}

}  // namespace

std::string upper_camel(std::string_view name) {
  std::string camel;
  bool is_first = true;
  for (const char c : name) {
    if (c == '_' || c == '-') {
      is_first = true;
      continue;
    }
    if (is_first && is_digit(c) && !camel.empty()) camel += '_';
    camel += is_first ? upper(c) : c;
    is_first = false;
  }
  return camel;
}

std::string singular(std::string_view name) {
  const auto without = [&](std::size_t count) {
    return std::string(name.substr(0, name.size() - count));
  };
  if (name.size() > 4 && name.ends_with("ies")) return without(3) + "y";
  for (const auto ending : {"sses"sv, "xes"sv, "ches"sv, "shes"sv, "zzes"sv}) {
    if (name.size() > ending.size() && name.ends_with(ending)) return without(2);
  }
  const bool is_plural = name.size() > 2 && name.ends_with('s') && !name.ends_with("ss") &&
                         !name.ends_with("us") && !name.ends_with("is") && !name.ends_with("_s");
  return without(is_plural ? 1 : 0);
}

std::string identifier(std::string_view name) {
  std::string made(name);
  std::replace(made.begin(), made.end(), '-', '_');
  if (std::find(reserved.begin(), reserved.end(), made) != reserved.end()) made += '_';
  return made;
}

std::string choice_identifier(std::string_view choice) {
  std::string made;
  for (const char c : choice) {
    const char small = lower(c);
    if ((small >= 'a' && small <= 'z') || is_digit(small)) {
      made += small;
    } else if (!made.empty() && made.back() != '_') {
      made += '_';
    }
  }
  while (!made.empty() && made.back() == '_')
    made.pop_back();
  if (made.empty()) return "choice";
  if (is_digit(made.front())) made.insert(0, 1, '_');
  return identifier(made);
}

std::string NameScope::take(std::string name) {
  while (!taken_.insert(name).second)
    name += '_';
  return name;
}

std::string string_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      // Three digits: more would not be taken as of this character.
      const auto code = static_cast<unsigned char>(c);
      literal += '\\';
      for (const int shift : {6, 3, 0})
        literal += static_cast<char>('0' + (code >> shift & 7));
      continue;
    }
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal += '"';
}

std::string choice_enum(const std::string& name, const std::string& label,
                        const std::vector<std::string>& choices) {
  NameScope names;
  std::string values;
  std::string texts;
  for (const std::string& choice : choices) {
    values += "  " + names.take(choice_identifier(choice)) + ",\n";
    texts += "    " + string_literal(choice) + ",\n";
  }
  return "/// What `" + label + "` may be.\nenum class " + name + " : std::uint8_t {\n" + values +
         "};\nconstexpr auto choices_of(" + name +
         ") noexcept {\n  return std::array<std::string_view, " + std::to_string(choices.size()) +
         ">{\n" + texts + "  };\n}\n\n";
}

std::string doc_comment(std::string_view text, std::string_view indent) {
  std::string comment;
  std::string line;
  const std::size_t width = comment_width - indent.size() - 4;
  const auto end_line = [&] {
    append_line(comment, indent, line);
    line.clear();
  };
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \t\r\n\v\f", at), text.size());
    if (const std::string_view word = text.substr(at, end - at); !word.empty()) {
      if (!line.empty() && line.size() + 1 + word.size() > width) end_line();
      line.append(line.empty() ? "" : " ").append(word);
    }
    if (end < text.size() && text[end] == '\n' && !line.empty()) end_line();
    at = end + 1;
  }
  if (!line.empty()) end_line();
  return comment;
}

}  // namespace tenon::codegen
