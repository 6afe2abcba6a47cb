#include "repeat.hpp"

#include <chrono>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "order_key.hpp"

namespace tasks {

using tables::Card;
using tables::Cards;
using tables::CardsRepeat;
using tables::ChecklistItems;
using tenon::Actor;
using tenon::Date;
using tenon::Table;

Date next_day(Date day, CardsRepeat repeat) {
  const std::chrono::sys_days at(day);
  switch (repeat) {
    case CardsRepeat::daily:
      return at + std::chrono::days(1);
    case CardsRepeat::weekdays: {
      const unsigned weekday = std::chrono::weekday(at).iso_encoding();
      return at + std::chrono::days(weekday >= 5 ? 8 - weekday : 1);
    }
    case CardsRepeat::weekly:
      return at + std::chrono::days(7);
    case CardsRepeat::monthly:
    case CardsRepeat::yearly:
      break;
  }
  const Date next = day + std::chrono::months(repeat == CardsRepeat::monthly ? 1 : 12);
  return next.ok() ? next : Date(next.year() / next.month() / std::chrono::last);
}

namespace {

tenon::Id<tables::Columns> column_of_copy(const tenon::Statements& db, const Card& card) {
  using tables::Columns;
  const auto wanted = card.repeat_column.value_or(card.column);
  const bool is_there = Table<Columns>(db, Actor::system())
                            .where(Columns::id == wanted && Columns::board == card.board)
                            .exists();
  return is_there ? wanted : card.column;
}

// A label or column that the card had from another board, before that was refused, is left out.
std::vector<tenon::Id<tables::Labels>> labels_of_copy(const tenon::Statements& db,
                                                      const Card& card) {
  using tables::Labels;
  std::vector<tenon::Id<Labels>> labels = card.labels;
  if (labels.empty()) return labels;
  std::set<std::string> of_board;
  for (const auto& label :
       Table<Labels>(db, Actor::system()).where(Labels::board == card.board).list())
    of_board.insert(label.id.text());
  std::erase_if(labels, [&](const auto& label) { return !of_board.contains(label.text()); });
  return labels;
}

void repeat_card(const tenon::Statements& db, const Card& card, Date today) {
  const Table<Cards> cards(db, Actor::system());
  const CardsRepeat repeat = card.repeat.value();
  Date day = card.repeats.value();
  Date next = next_day(day, repeat);
  // Of days that were missed only the last one is made up for.
  for (; next <= today; next = next_day(next, repeat))
    day = next;
  const auto column = column_of_copy(db, card);
  const bool is_moved = card.repeat_column && *card.repeat_column == column;
  const auto last = cards.where(Cards::column == column).order_by(-Cards::position).first();
  const auto copy =
      cards.insert({.board = card.board,
                    .column = column,
                    .position = key_after(last ? last->position : ""),
                    .title = card.title,
                    .description = card.description,
                    .assignees = card.assignees,
                    .labels = labels_of_copy(db, card),
                    .due = card.due ? std::optional(day) : std::nullopt,
                    .repeat = repeat,
                    .repeats = next,
                    .repeat_column = is_moved ? std::optional(column) : std::nullopt});
  const Table<ChecklistItems> items(db, Actor::system());
  for (const auto& item : items.where(ChecklistItems::card == card.id).list())
    items.insert(
        {.board = card.board, .card = copy, .position = item.position, .title = item.title});
  cards.update(card.id,
               {.repeat = std::nullopt, .repeats = std::nullopt, .repeat_column = std::nullopt});
}

}  // namespace

void repeat_cards(tenon::Database& db, Date today, const tenon::JobRun& run) {
  std::vector<tenon::Id<Cards>> due;
  for (const auto& row :
       db.query("SELECT cards.id FROM cards JOIN boards ON boards.id = cards.board "
                "WHERE repeats <= ?1 AND repeat IS NOT NULL AND boards.archived IS NULL",
                tenon::to_text(today)))
    due.emplace_back(row.get<std::string>(0));
  std::exception_ptr last;
  for (const auto& id : due) {
    run.stop_if_asked();
    try {
      db.transaction(
          [&](tenon::Transaction& write) {
            const auto card = Table<Cards>(write, Actor::system()).get(id);
            if (card && card->repeat && card->repeats && *card->repeats <= today)
              repeat_card(write, *card, today);
          },
          std::chrono::seconds(60));
    } catch (const tenon::Error&) {
      last = std::current_exception();  // one card holds up no other
    }
  }
  if (last) std::rethrow_exception(last);
}

}  // namespace tasks
