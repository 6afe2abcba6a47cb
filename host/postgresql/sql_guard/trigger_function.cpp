#include "postgresql/sql_guard/trigger_function.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "postgresql/sql_guard/confined_names.hpp"
#include "postgresql/sql_guard/lexer.hpp"
#include "postgresql/sql_guard/qualified_names.hpp"

namespace tenon::data::postgresql {

namespace {

// Nowhere in a body, as a word without quotes.
constexpr std::array<std::string_view, 3> denied_words = {"execute", "cursor", "refcursor"};

// Words that are complete alone, followed by the statements of a block.
constexpr std::array<std::string_view, 3> block_words = {"begin", "loop", "else"};
// Words whose statement extends to the semicolon.
constexpr std::array<std::string_view, 4> plain_words = {"perform", "null", "exit", "continue"};

// The tokens that say something.
std::vector<Token> tokens_of(std::string_view sql) {
  std::vector<Token> tokens;
  Lexer lexer(sql);
  for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
    if (token.kind != TokenKind::space && token.kind != TokenKind::comment) tokens.push_back(token);
  }
  return tokens;
}

bool is_word(const Token& token, std::string_view word) {
  return token.kind == TokenKind::word && lowered(token.text) == word;
}

bool is_identifier(const Token& token) {
  return token.kind == TokenKind::word || token.kind == TokenKind::name;
}

// Without its quotes.
std::string plain_name(const Token& token) {
  if (token.kind == TokenKind::word) return lowered(token.text);
  const bool is_closed = token.text.size() > 1 && token.text.back() == '"';
  return lowered(token.text.substr(1, token.text.size() - (is_closed ? 2 : 1)));
}

// A schema of the host, of other plugins or of anyone else than the plugin of this body.
bool is_other_schema(const std::string& name) {
  return name == "tenon" || name == "public" || name.starts_with("plugin_");
}

// Reads tokens in order; after the last one it returns a token of kind end.
class Reader {
 public:
  explicit Reader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  std::span<const Token> all() const noexcept { return tokens_; }
  const Token& peek(std::size_t ahead = 0) const noexcept {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : end_;
  }
  bool is_at_end() const noexcept { return at_ >= tokens_.size(); }
  void skip(std::size_t count = 1) noexcept { at_ = std::min(at_ + count, tokens_.size()); }
  bool accept(std::string_view word) {
    if (!is_word(peek(), word)) return false;
    skip();
    return true;
  }
  bool accept(char symbol) {
    if (!peek().is_symbol(symbol)) return false;
    skip();
    return true;
  }
  void expect(std::string_view word) {
    if (!accept(word)) deny("'" + std::string(word) + "' is missing");
  }
  [[noreturn]] void deny(const std::string& what) const {
    throw denied(
        "not authorized in a trigger function: " + what +
        (is_at_end() ? " at its end" : " at '" + std::string(peek().text.substr(0, shown)) + "'"));
  }

 private:
  static constexpr std::size_t shown = 40;
  std::vector<Token> tokens_;
  Token end_;
  std::size_t at_ = 0;
};

// PL/pgSQL ends a statement or a condition where this does: at the first semicolon, and at THEN or
// LOOP outside of parentheses, whatever CASE they belong to.
class TriggerBody {
 public:
  explicit TriggerBody(std::string_view text) : in_(tokens_of(text)) {}

  void check() {
    check_tokens();
    check_qualified_names(in_.all());
    if (!is_word(in_.peek(), "begin") && !is_word(in_.peek(), "declare"))
      in_.deny("a body begins with DECLARE or BEGIN");
    while (!in_.is_at_end())
      statement();
  }

 private:
  void check_tokens() const {
    Reader all = in_;
    bool is_after_dot = false;
    for (; !all.is_at_end(); all.skip()) {
      const Token& token = all.peek();
      const Token& next = all.peek(1);
      if (token.kind == TokenKind::escaped_text || token.kind == TokenKind::unicode_start)
        all.deny("names and texts with escapes");
      if (is_identifier(token)) {
        const std::string name = plain_name(token);
        check_name(name, true);
        if (token.kind == TokenKind::word && is_among(denied_words, name)) all.deny(name);
        if (!is_after_dot && next.is_symbol('.') && is_other_schema(name))
          all.deny("another schema");
      }
      is_after_dot = token.is_symbol('.');
    }
  }

  // Past the word, outside of parentheses, or past the semicolon where it is empty.
  void read_until(std::string_view word) {
    int depth = 0;
    for (; !in_.is_at_end(); in_.skip()) {
      const Token& token = in_.peek();
      if (token.is_symbol('(') || token.is_symbol('[')) ++depth;
      if (token.is_symbol(')') || token.is_symbol(']')) --depth;
      if (depth < 0) in_.deny("a parenthesis too many");
      if (token.is_symbol(';')) {
        if (!word.empty() || depth != 0) break;
        return in_.skip();
      }
      if (depth == 0 && !word.empty() && is_word(token, word)) return in_.skip();
    }
    in_.deny(word.empty() ? "a statement without its end"
                          : "a condition without " + std::string(word));
  }

  void declarations() {
    while (!is_word(in_.peek(), "begin")) {
      if (!is_identifier(in_.peek())) in_.deny("a declaration begins with a name");
      in_.skip();
      in_.accept("constant");
      // cards.title%TYPE is a column's type, sales.cards%ROWTYPE that of another schema's table.
      const bool is_of_column = in_.peek(3).is_symbol('%') && is_word(in_.peek(4), "type");
      if (in_.peek(1).is_symbol('.') && !is_of_column) in_.deny("a type of another schema");
      read_until("");
    }
  }

  // FOR a, b IN …: two dots outside of parentheses make it one over numbers.
  void for_loop() {
    while (is_identifier(in_.peek()) && !is_word(in_.peek(), "in")) {
      in_.skip();
      if (!in_.accept(',')) in_.accept('.');
    }
    in_.expect("in");
    in_.accept("reverse");
    Reader ahead = in_;
    int depth = 0;
    for (; !ahead.is_at_end(); ahead.skip()) {
      const Token& token = ahead.peek();
      const Token& next = ahead.peek(1);
      if (token.is_symbol('(') || token.is_symbol('[')) ++depth;
      if (token.is_symbol(')') || token.is_symbol(']')) --depth;
      if (depth == 0 && is_word(token, "loop")) break;
      const bool is_range =
          (token.kind == TokenKind::number && token.text.find("..") != std::string_view::npos) ||
          (token.is_symbol('.') && next.is_symbol('.') &&
           token.text.data() + 1 == next.text.data());
      if (depth == 0 && is_range) return read_until("loop");
    }
    ahead = in_;
    while (ahead.accept('(')) {
    }
    if (ahead.peek().kind != TokenKind::word ||
        !is_among(allowed_statements, lowered(ahead.peek().text)))
      ahead.deny("a loop goes over numbers or rows");
    read_until("loop");
  }

  void raise() {
    in_.expect("exception");
    // A condition's name in its place would say the server's disk is full.
    if (in_.peek().kind != TokenKind::text) in_.deny("RAISE EXCEPTION has its message in quotes");
    for (Reader ahead = in_; !ahead.is_at_end() && !ahead.peek().is_symbol(';'); ahead.skip()) {
      if (is_word(ahead.peek(), "using")) ahead.deny("a RAISE has no USING");
    }
    read_until("");
  }

  void end_of_block() {
    if (!in_.accept("if")) in_.accept("loop");
    if (!in_.accept(';') && !in_.is_at_end()) in_.deny("END needs its semicolon");
  }

  // name := …, name.field[1] = …
  void assignment() {
    in_.skip();
    for (bool has_more = true; has_more;) {
      has_more = false;
      if (in_.peek().is_symbol('.') && is_identifier(in_.peek(1))) {
        in_.skip(2);
        has_more = true;
      } else if (in_.accept('[')) {
        while (!in_.is_at_end() && !in_.peek().is_symbol(']') && !in_.peek().is_symbol(';'))
          in_.skip();
        if (!in_.accept(']')) in_.deny("a bracket without its end");
        has_more = true;
      }
    }
    in_.accept(':');
    if (!in_.accept('=')) in_.deny("not a statement of a trigger function");
    read_until("");
  }

  void statement() {
    const Token first = in_.peek();
    if (first.kind != TokenKind::word) {
      if (first.kind != TokenKind::name) in_.deny("not a statement of a trigger function");
      return assignment();
    }
    const std::string word = lowered(first.text);
    if (is_among(block_words, word)) return in_.skip();
    if (is_among(allowed_statements, word)) return read_until("");
    const bool is_assigned = in_.peek(1).is_symbol(':') || in_.peek(1).is_symbol('=') ||
                             in_.peek(1).is_symbol('.') || in_.peek(1).is_symbol('[');
    if (is_assigned) return assignment();
    if (is_among(plain_words, word)) return read_until("");
    in_.skip();
    if (word == "declare") return declarations();
    if (word == "if" || word == "elsif" || word == "elseif") return read_until("then");
    if (word == "while") return read_until("loop");
    if (word == "for") return for_loop();
    if (word == "end") return end_of_block();
    if (word == "raise") return raise();
    if (word == "return") {
      if (is_word(in_.peek(), "query") || is_word(in_.peek(), "next"))
        in_.deny("a trigger returns one row");
      return read_until("");
    }
    if (word == "foreach") {
      while (is_identifier(in_.peek()) && !is_word(in_.peek(), "in") &&
             !is_word(in_.peek(), "slice"))
        in_.skip();
      if (in_.accept("slice") && in_.peek().kind == TokenKind::number) in_.skip();
      in_.expect("in");
      in_.expect("array");
      return read_until("loop");
    }
    throw denied("not authorized in a trigger function: " + word);
  }

  Reader in_;
};

// Between the dollar quotes.
std::string_view quoted_body(std::string_view text) {
  const std::size_t tag = text.find('$', 1) + 1;
  if (text.size() < 2 * tag || text.substr(text.size() - tag) != text.substr(0, tag))
    throw denied("not authorized: a body without its end");
  return text.substr(tag, text.size() - 2 * tag);
}

bool accept_create(Reader& in) {
  if (!in.accept("create")) return false;
  if (in.accept("or") && !in.accept("replace")) return false;
  return in.accept("function") || in.accept("procedure");
}

}  // namespace

bool makes_function(std::string_view statement) {
  Reader in(tokens_of(statement));
  return accept_create(in);
}

void check_trigger_function(std::string_view statement) {
  Reader in(tokens_of(statement));
  if (!accept_create(in) || !is_identifier(in.peek())) in.deny("not a function");
  check_name(plain_name(in.peek()), true);
  in.skip();
  if (!in.accept('(') || !in.accept(')')) in.deny("it takes no arguments");
  in.expect("returns");
  in.expect("trigger");
  std::string_view body;
  bool has_language = false;
  while (!in.is_at_end()) {
    if (!has_language && in.accept("language")) {
      in.expect("plpgsql");
      has_language = true;
    } else if (body.empty() && in.accept("as")) {
      if (in.peek().kind != TokenKind::dollar_text) in.deny("its body must be in dollar quotes");
      body = quoted_body(in.peek().text);
      in.skip();
    } else if (!in.accept(';') || !in.is_at_end()) {
      in.deny("it is only RETURNS trigger LANGUAGE plpgsql AS $$…$$");
    }
  }
  if (!has_language || body.empty()) in.deny("LANGUAGE plpgsql or AS $$…$$ is missing");
  TriggerBody(body).check();
}

}  // namespace tenon::data::postgresql
