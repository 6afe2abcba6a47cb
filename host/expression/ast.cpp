#include "expression/ast.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/error.hpp"

namespace tenon::expression {

namespace {

// How tightly a kind binds; a child that binds less than its place asks for gets parentheses.
enum Binding { any_, conjunct, negated, compared, summand, factor, signed_, alone };

Binding binding(const Node& node) {
  switch (node.kind) {
    case Kind::or_:
      return any_;
    case Kind::and_:
      return conjunct;
    case Kind::not_:
      return negated;
    case Kind::equal:
    case Kind::not_equal:
    case Kind::less:
    case Kind::less_equal:
    case Kind::greater:
    case Kind::greater_equal:
    case Kind::in:
    case Kind::not_in:
    case Kind::like:
    case Kind::not_like:
      return compared;
    case Kind::add:
    case Kind::subtract:
      return summand;
    case Kind::multiply:
    case Kind::divide:
    case Kind::remainder:
      return factor;
    case Kind::negate:
      return signed_;
    case Kind::integer:
      return node.integer < 0 ? signed_ : alone;
    case Kind::number:
      return std::signbit(node.number) ? signed_ : alone;
    default:
      return alone;
  }
}

std::string_view symbol(Kind kind) {
  switch (kind) {
    case Kind::equal:
      return " = ";
    case Kind::not_equal:
      return " != ";
    case Kind::less:
      return " < ";
    case Kind::less_equal:
      return " <= ";
    case Kind::greater:
      return " > ";
    case Kind::greater_equal:
      return " >= ";
    case Kind::in:
      return " in ";
    case Kind::not_in:
      return " not in ";
    case Kind::like:
      return " like ";
    case Kind::not_like:
      return " not like ";
    case Kind::add:
      return " + ";
    case Kind::subtract:
      return " - ";
    case Kind::multiply:
      return " * ";
    case Kind::divide:
      return " / ";
    case Kind::remainder:
      return " % ";
    case Kind::and_:
      return " and ";
    case Kind::or_:
      return " or ";
    default:
      return ", ";
  }
}

class Printer {
 public:
  void put(const Node& node, Binding lowest) {
    const bool is_wrapped = binding(node) < lowest;
    if (is_wrapped) out += '(';
    bare(node);
    if (is_wrapped) out += ')';
  }

  std::string out;

 private:
  void joined(const Node& node, Binding first, Binding others) {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      if (i > 0) out += symbol(node.kind);
      put(node.children[i], i == 0 ? first : others);
    }
  }

  void number(double value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    const std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
    out += text;
    if (text.find_first_of(".e") == std::string_view::npos) out += ".0";
  }

  void quoted(std::string_view text) {
    out += '\'';
    for (const char c : text)
      out.append(c == '\'' ? 2 : 1, c);
    out += '\'';
  }

  void bare(const Node& node) {
    switch (node.kind) {
      case Kind::null_:
        out += "null";
        break;
      case Kind::boolean:
        out += node.integer != 0 ? "true" : "false";
        break;
      case Kind::integer:
        out += std::to_string(node.integer);
        break;
      case Kind::number:
        number(node.number);
        break;
      case Kind::text:
        quoted(node.text);
        break;
      case Kind::path:
        for (const Step& step : node.path)
          out.append(&step == node.path.data() ? "" : ".").append(step.name);
        break;
      case Kind::user:
        out += "@user";
        break;
      case Kind::groups:
        out += "@groups";
        break;
      case Kind::now:
        out += "@now";
        break;
      case Kind::today:
        out += "@today";
        break;
      case Kind::call:
        out += node.text;
        [[fallthrough]];
      case Kind::list:
        out += '(';
        joined(node, any_, any_);
        out += ')';
        break;
      case Kind::negate: {
        // A number after the sign would be parsed as a negative literal.
        const Kind inner = node.children[0].kind;
        const bool is_digits = inner == Kind::integer || inner == Kind::number;
        out += is_digits ? "-(" : "-";
        put(node.children[0], alone_unless(is_digits));
        if (is_digits) out += ')';
        break;
      }
      case Kind::not_:
        out += "not ";
        put(node.children[0], compared);
        break;
      case Kind::or_:
        joined(node, conjunct, conjunct);
        break;
      case Kind::and_:
        joined(node, negated, negated);
        break;
      case Kind::add:
      case Kind::subtract:
        joined(node, summand, factor);
        break;
      case Kind::multiply:
      case Kind::divide:
      case Kind::remainder:
        joined(node, factor, signed_);
        break;
      default:
        joined(node, summand, summand);
    }
  }

  static Binding alone_unless(bool is_wrapped) { return is_wrapped ? any_ : alone; }
};

}  // namespace

bool Node::operator==(const Node& other) const {
  const auto same_names = [](const Step& left, const Step& right) {
    return left.name == right.name;
  };
  return kind == other.kind && integer == other.integer && number == other.number &&
         text == other.text &&
         std::equal(path.begin(), path.end(), other.path.begin(), other.path.end(), same_names) &&
         children == other.children;
}

std::string print(const Node& node) {
  Printer printer;
  printer.put(node, any_);
  return std::move(printer.out);
}

void refuse(std::string_view text, std::size_t at, const std::string& what) {
  std::string where = "byte " + std::to_string(at);
  if (text.find('\n') != std::string_view::npos) {
    const std::string_view before = text.substr(0, at);
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is the beginning
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const auto column = std::count_if(before.begin() + static_cast<std::ptrdiff_t>(start),
                                      before.end(), [](char c) { return (c & 0xc0) != 0x80; }) +
                        1;
    where = std::to_string(line) + ":" + std::to_string(column) + " (" + where + ")";
  }
  throw base::Error(422, "expression.invalid", where + ": " + what);
}

}  // namespace tenon::expression
