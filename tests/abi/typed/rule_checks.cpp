#include "checks.hpp"

namespace {

using tenon::Actor;
using tenon::Table;
using tenon::UserId;
using typed::tables::Cards;
using typed::tables::Labels;

}  // namespace

void check_rules(Checks& checks, const UserId& ada, const UserId& bob) {
  checks.clear();
  const Table<Cards> all(checks.db, Actor::system());
  const Table<Cards> adas(checks.db, Actor::user(ada.text()));
  const Table<Cards> bobs(checks.db, Actor::user(bob.text()));
  const Table<Cards> guests(checks.db, Actor::anonymous());

  const auto own = adas.insert({.title = "own", .owner = ada, .budget = 5});
  checks.same(own.record->created_by, ada);
  checks.same(own.record->budget, 5);
  checks.same(own.record->secret.has_value(), false);
  checks.same(all.get(own.id)->secret, "s");

  // Bob sees cards without an owner and cards that he watches, but no budget.
  checks.same(bobs.get(own.id).has_value(), false);
  checks.same(bobs.all().count(), 0);
  checks.same(Checks::failure_of([&] { bobs.update(own.id, {.title = "x"}); }),
              "records.not_found");
  adas.update(own.id, {.watchers = std::vector{bob}});
  checks.same(bobs.get(own.id)->budget.has_value(), false);
  checks.same(bobs.where(Cards::title == "own").select(Cards::title, Cards::points).size(), 1u);
  checks.same(Checks::failure_of([&] {
                static_cast<void>(bobs.where(Cards::budget > 1).exists());
              }).substr(0, 25),
              "records.field_not_allowed");
  checks.same(all.where(Cards::budget > 1).exists(), true);
  checks.same(Checks::failure_of([&] {
                static_cast<void>(bobs.where(Cards::secret == "s").first());
              }).substr(0, 18),
              "expression.invalid");
  bobs.update(own.id, {.points = 9});
  checks.same(adas.get(own.id)->updated_by, bob);
  checks.same(Checks::failure_of([&] { bobs.remove(own.id); }), "records.forbidden");

  // A record that its writer can no longer see is returned as its id only.
  const auto given = bobs.update(own.id, {.pinned = true, .watchers = std::vector<UserId>()});
  checks.same(given.id, own.id);
  checks.same(given.record.has_value(), false);

  checks.same(Checks::failure_of([&] { adas.insert({.title = "x", .secret = "y"}); }),
              "records.validation: secret read_only");
  // A parent has the same team; one that its writer does not see is as one that is not there.
  const auto teamed = all.insert({.title = "t", .team = tenon::GroupId::make()}).id;
  for (const Table<Cards>* cards : {&adas, &all})
    checks.same(Checks::failure_of([&] { cards->insert({.title = "c", .parent = teamed}); }),
                "records.validation: parent same");
  checks.same(Checks::failure_of([&] { bobs.insert({.title = "c", .parent = own.id}); }),
              "records.validation: parent reference");
  checks.same(Checks::failure_of([&] { adas.insert({.title = "x", .stamp = "y"}); }),
              "records.validation: stamp read_only");
  checks.same(Checks::failure_of([&] { guests.insert({.title = "x"}); }), "identity.signed_out");
  checks.same(Checks::failure_of([&] {
                static_cast<void>(Table<Labels>(checks.db, Actor::user(ada.text())).all().count());
              }),
              "records.forbidden");
  const Table<Cards> freely(checks.db, Actor::user(ada.text()).without_rules());
  checks.same(freely.insert({.title = "free", .owner = bob, .secret = "y"}).record->created_by,
              ada);
  adas.remove(own.id);
  checks.same(all.where(Cards::title == "own").exists(), false);
}
