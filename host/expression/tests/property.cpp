#include "expression/tests/property.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "base/error.hpp"
#include "expression/parse.hpp"
#include "expression/tests/generator.hpp"

namespace tenon::expression::test {

namespace {

std::string shown(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* text = std::get_if<std::string>(&value)) return "'" + *text + "'";
  if (const auto* number = std::get_if<double>(&value)) {
    std::array<char, 40> digits{};
    std::snprintf(digits.data(), digits.size(), "%.17g", *number);
    return digits.data();
  }
  return "null";
}

Context context_of(std::size_t kind) {
  constexpr std::int64_t now = 1795320000123;  // 2026-11-22
  const auto can = [](std::string_view permission) { return permission == "yes"; };
  switch (kind) {
    case 0:
      return {
          ids_of("core:users")[1], {ids_of("core:groups")[0], ids_of("core:groups")[3]}, now, can};
    case 1:
      return {std::nullopt, {}, now, can};
    default:
      return {ids_of("core:users")[2], {}, now, can};
  }
}

class Trial {
 public:
  Trial(TestEngine& engine, World& world) : engine_(engine), world_(world) {}

  std::string condition(const std::string& text, const Context& context) {
    text_ = text;
    const Ast ast = parse(text);
    if (!(parse(print(ast.root)).root == ast.root)) return "printed otherwise: " + print(ast.root);
    const Checked checked = check(ast, world_.tables, cards(), Purpose::rule);
    const auto constant = is_constant(checked, context);
    const Sql sql = to_sql_condition(checked, options());
    std::vector<data::Cell> cells;
    append_cells(sql, context, cells);
    sql_ = sql.text;
    std::set<std::string, std::less<>> found;
    for (const Value& id :
         engine_.column(R"(SELECT "id" FROM "cards" AS "t" WHERE )" + sql.text, cells, Type::text))
      found.insert(std::get<std::string>(id));
    for (const auto& id : ids_of("cards")) {
      const bool expected = holds(checked, *world_.find("cards", id), world_, context);
      if (found.contains(id) != expected)
        return id + ": the evaluator says " + (expected ? "true" : "false");
      if (constant && *constant != expected) return id + ": is not the constant that was said";
    }
    if (!found.empty() && found.size() < ids_of("cards").size()) ++selective_count;
    return {};
  }

  std::string value(const std::string& text, const Context& context) {
    text_ = text;
    const Checked checked = check(parse(text), world_.tables, cards(), Purpose::value);
    const Sql sql = to_sql_value(checked, options());
    std::vector<data::Cell> cells;
    append_cells(sql, context, cells);
    sql_ = sql.text;
    const auto values =
        engine_.column("SELECT " + sql.text + R"( FROM "cards" AS "t" ORDER BY "id")" +
                           (engine_.dialect() == Dialect::sqlite ? "" : R"( COLLATE "C")"),
                       cells, checked.type());
    auto ids = ids_of("cards");
    std::sort(ids.begin(), ids.end());
    if (values.size() != ids.size()) return "another number of rows";
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Value expected = evaluate(checked, *world_.find("cards", ids[i]), world_, context);
      if (values[i] != expected)
        return ids[i] + ": SQL says " + shown(values[i]) + ", the evaluator " + shown(expected);
    }
    return {};
  }

  /// The number of conditions that held for some records and not for others.
  std::size_t selective_count = 0;

  std::string describe(const std::string& what) const { return what + "\n" + text_ + "\n" + sql_; }

 private:
  const data::schema::Table& cards() const { return *world_.tables.find("cards"); }
  SqlOptions options() const {
    SqlOptions options;
    options.dialect = engine_.dialect();
    options.alias = "t";
    return options;
  }

  TestEngine& engine_;
  World& world_;
  std::string text_;
  std::string sql_;
};

}  // namespace

std::string disagreement(TestEngine& engine, std::uint64_t seed, std::size_t count) {
  Random random(seed);
  World world(random);
  world.write(engine);
  Generator generator(world.tables, random);
  Trial trial(engine, world);
  std::size_t too_deep = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Context context = context_of(i % 3);
    std::string wrong;
    try {
      if (i % 4 == 3) {
        wrong = trial.value(generator.value(3), context);
      } else {
        const std::string text = generator.condition(3);
        wrong = trial.condition(text, context);
        if (wrong.empty()) wrong = trial.condition("not (" + text + ")", context);
      }
    } catch (const base::Error& error) {
      if (error.message().find("nested too deeply") == std::string::npos)
        wrong = error.message();
      else
        ++too_deep;
    }
    if (!wrong.empty())
      return trial.describe("seed " + std::to_string(seed) + ", expression " + std::to_string(i) +
                            ": " + wrong);
  }
  // Expressions that are the same for all records would prove little.
  if (too_deep > count / 50) return std::to_string(too_deep) + " expressions are too deep";
  if (trial.selective_count < count / 2)
    return "only " + std::to_string(trial.selective_count) +
           " conditions select some records and not others";
  return {};
}

}  // namespace tenon::expression::test
