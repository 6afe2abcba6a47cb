#include "expression/parse.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "base/utf8.hpp"
#include "expression/lexer.hpp"

namespace tenon::expression {

namespace {

std::string found(const Token& token) {
  if (token.kind == Token::Kind::end) return "the end";
  std::size_t size = std::min<std::size_t>(token.bytes.size(), 40);
  while (size < token.bytes.size() && (token.bytes[size] & 0xc0) == 0x80)
    --size;
  return std::string(token.bytes.substr(0, size)) + (size < token.bytes.size() ? "…" : "");
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), lexer_(text) { take(); }

  Node parse_all() {
    Node root = any();
    if (token_.kind != Token::Kind::end) expected("an operator or the end");
    return root;
  }

 private:
  Token take() { return std::exchange(token_, lexer_.next()); }

  bool accept(std::string_view what) {
    if (!token_.is(what)) return false;
    take();
    return true;
  }

  [[noreturn]] void expected(const std::string& what) const {
    std::string message = "found " + found(token_) + ", expected " + what;
    std::string lower(token_.bytes);
    for (char& c : lower)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (token_.kind == Token::Kind::name &&
        (lower == "and" || lower == "or" || lower == "not" || lower == "in" || lower == "like"))
      message += "; keywords are in small letters";
    refuse(text_, token_.at, message);
  }

  void close() {
    if (!accept(")")) expected("an operator or )");
    --parentheses_;
  }

  void open() {
    if (++parentheses_ > max_depth)
      refuse(text_, token_.at,
             "parentheses are nested more than " + std::to_string(max_depth) + " deep");
    take();
  }

  Node made(Kind kind, std::size_t at, std::vector<Node> children = {}) {
    if (++nodes_ > max_nodes)
      refuse(text_, at,
             "an expression has at most " + std::to_string(max_nodes) +
                 " values, names and operators");
    Node node;
    node.kind = kind;
    node.at = at;
    for (const Node& child : children)
      node.height = std::max(node.height, child.height + 1);
    if (node.height > max_depth)
      refuse(text_, at, "operators are nested more than " + std::to_string(max_depth) + " deep");
    node.children = std::move(children);
    return node;
  }

  Node pair(Kind kind, std::size_t at, Node left, Node right) {
    std::vector<Node> sides;
    sides.push_back(std::move(left));
    sides.push_back(std::move(right));
    return made(kind, at, std::move(sides));
  }

  Node one(Kind kind, std::size_t at, Node child) {
    std::vector<Node> children;
    children.push_back(std::move(child));
    return made(kind, at, std::move(children));
  }

  Node series(Kind kind, std::string_view keyword, Node (Parser::*member)()) {
    Node first = (this->*member)();
    if (!token_.is(keyword)) return first;
    const std::size_t at = token_.at;
    std::vector<Node> members;
    members.push_back(std::move(first));
    while (accept(keyword))
      members.push_back((this->*member)());
    return made(kind, at, std::move(members));
  }

  Node any() { return series(Kind::or_, "or", &Parser::conjunct); }
  Node conjunct() { return series(Kind::and_, "and", &Parser::negated); }

  Node negated() {
    const std::size_t at = token_.at;
    if (!accept("not")) return compared();
    if (token_.is("not")) expected("a comparison; a second not needs parentheses");
    return one(Kind::not_, at, compared());
  }

  static std::optional<Kind> comparison(const Token& token) {
    static constexpr std::pair<std::string_view, Kind> kinds[] = {
        {"=", Kind::equal},       {"!=", Kind::not_equal}, {"<", Kind::less},
        {"<=", Kind::less_equal}, {">", Kind::greater},    {">=", Kind::greater_equal},
    };
    for (const auto& [symbol, kind] : kinds)
      if (token.is(symbol)) return kind;
    return std::nullopt;
  }

  Node compared() {
    Node left = sum();
    const std::size_t at = token_.at;
    if (const auto kind = comparison(token_)) {
      take();
      Node result = pair(*kind, at, std::move(left), sum());
      if (comparison(token_)) expected("and, or or the end; comparisons do not follow each other");
      return result;
    }
    const bool is_not = accept("not");
    if (accept("in"))
      return pair(is_not ? Kind::not_in : Kind::in, at, std::move(left), container());
    if (accept("like"))
      return pair(is_not ? Kind::not_like : Kind::like, at, std::move(left), sum());
    if (is_not) expected("in or like");
    return left;
  }

  Node container() {
    if (token_.is("@groups")) return made(Kind::groups, take().at);
    if (token_.kind == Token::Kind::name) return path(take());
    if (!token_.is("(")) expected("a list in parentheses, a field or @groups");
    const std::size_t at = token_.at;
    return made(Kind::list, at, members(false));
  }

  // Parses the members between parentheses, separated by commas.
  std::vector<Node> members(bool may_be_empty) {
    std::vector<Node> members;
    open();
    if (may_be_empty && token_.is(")")) {
      close();
      return members;
    }
    do {
      if (members.size() == max_members)
        refuse(text_, token_.at,
               "a list or a call has at most " + std::to_string(max_members) + " members");
      members.push_back(any());
    } while (accept(","));
    close();
    return members;
  }

  Node chain(Node (Parser::*member)(),
             std::initializer_list<std::pair<std::string_view, Kind>> kinds) {
    Node left = (this->*member)();
    for (;;) {
      const auto* const kind = std::find_if(kinds.begin(), kinds.end(),
                                            [&](const auto& one) { return token_.is(one.first); });
      if (kind == kinds.end()) return left;
      const std::size_t at = take().at;
      left = pair(kind->second, at, std::move(left), (this->*member)());
    }
  }

  Node sum() { return chain(&Parser::product, {{"+", Kind::add}, {"-", Kind::subtract}}); }
  Node product() {
    return chain(&Parser::signed_value,
                 {{"*", Kind::multiply}, {"/", Kind::divide}, {"%", Kind::remainder}});
  }

  Node signed_value() {
    const std::size_t at = token_.at;
    if (!accept("-")) return value();
    if (token_.kind == Token::Kind::integer) {
      Node node = made(Kind::integer, at);
      node.integer = static_cast<std::int64_t>(-take().integer);
      return node;
    }
    if (token_.kind == Token::Kind::number) {
      Node node = made(Kind::number, at);
      node.number = -take().number;
      return node;
    }
    return one(Kind::negate, at, value());
  }

  Node value() {
    const std::size_t at = token_.at;
    switch (token_.kind) {
      case Token::Kind::text: {
        Node node = made(Kind::text, at);
        node.text = take().text;
        return node;
      }
      case Token::Kind::integer: {
        Node node = made(Kind::integer, at);
        if (token_.integer > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
          refuse(text_, at, "an integer has 64 bits; larger ones are written with .0 at their end");
        node.integer = static_cast<std::int64_t>(take().integer);
        return node;
      }
      case Token::Kind::number: {
        Node node = made(Kind::number, at);
        node.number = take().number;
        return node;
      }
      case Token::Kind::name: {
        const Token name = take();
        return token_.is("(") ? call(name) : path(name);
      }
      default:
        return word();
    }
  }

  Node word() {
    const std::size_t at = token_.at;
    if (token_.is("true") || token_.is("false")) {
      Node node = made(Kind::boolean, at);
      node.integer = take().is("true") ? 1 : 0;
      return node;
    }
    if (accept("null")) return made(Kind::null_, at);
    if (accept("@user")) return made(Kind::user, at);
    if (accept("@now")) return made(Kind::now, at);
    if (accept("@today")) return made(Kind::today, at);
    if (token_.is("@groups")) refuse(text_, at, "@groups is possible only after in");
    if (!token_.is("(")) expected("a value");
    open();
    Node inner = any();
    close();
    return inner;
  }

  Node call(const Token& name) {
    Node node = made(Kind::call, name.at, members(true));
    node.text = name.bytes;
    return node;
  }

  Node path(const Token& first) {
    Node node = made(Kind::path, first.at);
    node.path.push_back({std::string(first.bytes), first.at});
    while (accept(".")) {
      if (token_.kind != Token::Kind::name) expected("the name of a field after the point");
      if (node.path.size() == max_steps)
        refuse(text_, token_.at, "a path has at most " + std::to_string(max_steps) + " names");
      node.path.push_back({std::string(token_.bytes), token_.at});
      take();
    }
    return node;
  }

  std::string_view text_;
  Lexer lexer_;
  Token token_;
  std::size_t nodes_ = 0;
  std::size_t parentheses_ = 0;
};

}  // namespace

Ast parse(std::string_view text) {
  if (text.size() > max_bytes)
    refuse({}, max_bytes, "an expression has at most " + std::to_string(max_bytes) + " bytes");
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t size = base::utf8_sequence_length(text, at);
    if (size == 0 || text[at] == '\0') refuse({}, at, "the text is not valid UTF-8 without NUL");
    at += size;
  }
  Ast ast;
  ast.text = text;
  ast.root = Parser(text).parse_all();
  return ast;
}

}  // namespace tenon::expression
