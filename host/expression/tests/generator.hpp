#pragma once

#include <string>
#include <string_view>

#include "expression/tests/world.hpp"

namespace tenon::expression::test {

/// Random well-typed expressions about the table `cards`.
class Generator {
 public:
  Generator(const data::schema::Tables& tables, Random& random)
      : tables_(tables), random_(random) {}

  std::string condition(int depth);
  /// Of any type that a computed field can have.
  std::string value(int depth);

 private:
  bool chance(std::size_t percent) { return below(random_, 100) < percent; }
  std::string comparison(int depth);
  std::string compare_texts(int depth);
  std::string compare_numbers(int depth);
  std::string compare_moments(int depth);
  std::string compare_ids();
  std::string compare_choices();
  std::string compare_null();
  std::string order();
  std::string equality() { return chance(50) ? " = " : " != "; }

  std::string text(int depth);
  std::string number(int depth);
  std::string integer(int depth);
  std::string boolean(int depth);
  std::string date(int depth);
  std::string datetime(int depth);
  std::string moment(int depth) { return chance(50) ? date(depth) : datetime(depth); }

  /// A path from a card to a field of the type; for ids to one of `target`.
  std::string path(Type type, std::string_view target = {});
  std::string any_path();
  std::string walk(std::string& table);

  const data::schema::Tables& tables_;
  Random& random_;
  bool may_be_many_ = false;  ///< the comparison has no path through many yet
};

}  // namespace tenon::expression::test
