// What the compiler must refuse of typed tables, one MISTAKE a number; without one the file
// compiles.
#include <string>

#include <tenon/database.hpp>

#include "typed_tables.hpp"

#ifndef MISTAKE
#define MISTAKE 0
#endif

namespace {

using typed::tables::BoardPatch;
using typed::tables::Boards;
using typed::tables::CardPatch;
using typed::tables::Cards;
using typed::tables::CardsState;
using typed::tables::NewBoard;

[[maybe_unused]] void use(tenon::Transaction& db, const tenon::TypedWrite<Cards>& write) {
  const tenon::Table<Cards> cards(db, tenon::Who::plugin());
  const tenon::Table<Boards> boards(db, write.who());
  const tenon::Id<Boards> board;
  const tenon::Id<Cards> card;

  // 1: text beside an integer; 2: an integer beside text; 3: an id of another table; 4: a day
  // beside a moment; 5: an order of choices; 6: null beside what is never empty; 7: conditions of
  // two tables
#if MISTAKE == 1
  static_cast<void>(cards.where(Cards::points == "5"));
#elif MISTAKE == 2
  static_cast<void>(cards.where(Cards::title == 5));
#elif MISTAKE == 3
  static_cast<void>(cards.where(Cards::board == card));
#elif MISTAKE == 4
  static_cast<void>(cards.where(Cards::due < tenon::now()));
#elif MISTAKE == 5
  static_cast<void>(cards.where(Cards::state < CardsState::done));
#elif MISTAKE == 6
  static_cast<void>(cards.where(Cards::title == std::nullopt));
#elif MISTAKE == 7
  static_cast<void>(cards.where(Cards::title == "a" && Boards::name == "a"));
#else
  static_cast<void>(cards.where(Cards::points == 5 && Cards::title == "5" &&
                                Cards::board == board && Cards::started < tenon::now() &&
                                Cards::state == CardsState::done));
#endif

  // 8: a text as a number of a change; 9: a table for nobody in particular; 10: a version of a
  // table without one; 11: a record without what is required; 12: an order by JSON; 13: the field
  // of another table refused; 14: a file as one of many texts
#if MISTAKE == 8
  static_cast<void>(CardPatch{.points = "1"});
#elif MISTAKE == 9
  static_cast<void>(tenon::Table<Cards>(db));
#elif MISTAKE == 10
  boards.update(board, tenon::Expected{1}, BoardPatch{.name = "a"});
#elif MISTAKE == 11
  boards.insert(NewBoard{.class_ = "a"});
#elif MISTAKE == 12
  static_cast<void>(cards.all().order_by(Cards::extra));
#elif MISTAKE == 13
  write.refuse(Boards::name, "bad", "Not so.");
#elif MISTAKE == 14
  static_cast<void>(cards.where(has(Cards::files, tenon::File{})));
#else
  cards.update(card, CardPatch{.title = "a", .points = 1, .due = std::nullopt});
  cards.update(card, tenon::Expected{1}, CardPatch{.title = "a"});
  boards.update(board, BoardPatch{.name = "a"});
  boards.insert(NewBoard{.name = "a"});
  static_cast<void>(cards.where(has_none(Cards::files)).order_by(-Cards::due, Cards::id));
  write.refuse(Cards::title, "bad", "Not so.");
  write.refuse(Cards::labels, "bad", "Not so.");
#endif
}

}  // namespace
