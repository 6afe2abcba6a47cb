// Mistakes with typed tables that the compiler must reject: refused/refused.py reads them.
#include <string>

#include <tenon/database.hpp>

#include "typed_tables.hpp"

namespace {

using typed::tables::BoardPatch;
using typed::tables::Boards;
using typed::tables::CardPatch;
using typed::tables::Cards;
using typed::tables::CardsState;
using typed::tables::NewBoard;

[[maybe_unused]] void use(tenon::Transaction& db, const tenon::TypedWrite<Cards>& write) {
  const tenon::Table<Cards> cards(db, tenon::Actor::system());
  const tenon::Table<Boards> boards(db, write.actor());
  const tenon::Id<Boards> board;
  const tenon::Id<Cards> card;

  static_cast<void>(cards.where(Cards::points == 5 && Cards::title == "5" &&
                                Cards::board == board && Cards::started < tenon::now() &&
                                Cards::state == CardsState::done));
#ifdef MISTAKES
  // Text compared with an integer.
  // refused: no match for|invalid operands
  static_cast<void>(cards.where(Cards::points == "5"));
  // An integer compared with text.
  // refused: no match for|invalid operands
  static_cast<void>(cards.where(Cards::title == 5));
  // An id of another table.
  // refused: no match for|invalid operands
  static_cast<void>(cards.where(Cards::board == card));
  // A day compared with a moment.
  // refused: no match for|invalid operands
  static_cast<void>(cards.where(Cards::due < tenon::now()));
  // An order of choices.
  // refused: no match for|invalid operands
  static_cast<void>(cards.where(Cards::state < CardsState::done));
  // Null compared with a required field.
  // refused: no match for|invalid operands
  static_cast<void>(cards.where(Cards::title == std::nullopt));
  // Conditions of two tables.
  // refused: no match for|invalid operands
  static_cast<void>(cards.where(Cards::title == "a" && Boards::name == "a"));
#endif

  cards.update(card, CardPatch{.title = "a", .points = 1, .due = std::nullopt});
  cards.update(card, tenon::Expected{1}, CardPatch{.title = "a"});
  boards.update(board, BoardPatch{.name = "a"});
  boards.insert(NewBoard{.name = "a"});
  static_cast<void>(cards.where(has_none(Cards::files)).order_by(-Cards::due, Cards::id));
  write.refuse(Cards::title, "bad", "Not so.");
  write.refuse(Cards::labels, "bad", "Not so.");
#ifdef MISTAKES
  // A text as a number of a change.
  // refused: could not convert|cannot convert|no viable conversion
  static_cast<void>(CardPatch{.points = "1"});
  // A table without an actor.
  // refused: no matching (function|conversion)
  static_cast<void>(tenon::Table<Cards>(db));
  // A version of a table without one.
  // refused: no matching (member )?function
  boards.update(board, tenon::Expected{1}, BoardPatch{.name = "a"});
  // A record without what is required.
  // refused: missing initializer|missing field
  boards.insert(NewBoard{.class_ = "a"});
  // An order by JSON.
  // refused: no matching (member )?function
  static_cast<void>(cards.all().order_by(Cards::extra));
  // The field of another table refused.
  // refused: no matching (member )?function
  write.refuse(Boards::name, "bad", "Not so.");
  // A file as one of many texts.
  // refused: no matching (member )?function
  static_cast<void>(cards.where(has(Cards::files, tenon::File{})));
#endif
}

}  // namespace
