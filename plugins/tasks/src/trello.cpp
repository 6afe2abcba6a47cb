#include "trello.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <tenon/jobs.hpp>

#include "order_key.hpp"

namespace tasks {
namespace {

using tables::LabelsColor;
using tenon::Json;
using tenon::Table;

constexpr std::size_t max_cards = 5000;
constexpr std::size_t max_texts = 20000;  // checklist items and comments together

/// At most so many characters of UTF-8, and `otherwise` where there are none.
std::string cut(const Json& from, const char* name, std::size_t max_characters,
                std::string_view otherwise = "") {
  const auto found = from.find(name);
  std::string text = found != from.end() && found->is_string() ? found->get<std::string>() : "";
  std::size_t at = 0;
  for (std::size_t count = 0; at < text.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(text[at]) & 0xC0U) != 0x80U;
    if (begins && ++count > max_characters) break;
  }
  text.resize(at);
  return text.empty() ? std::string(otherwise) : text;
}

std::vector<Json> ordered(const Json& from, const char* name) {
  const Json all = from.value(name, Json::array());
  std::vector<Json> items(all.begin(), all.end());
  std::stable_sort(items.begin(), items.end(), [](const Json& left, const Json& right) {
    return left.value("pos", 0.0) < right.value("pos", 0.0);
  });
  return items;
}

LabelsColor color_of(const std::string& name) {
  static const std::map<std::string, LabelsColor, std::less<>> others{
      {"sky", LabelsColor::teal}, {"lime", LabelsColor::green}, {"black", LabelsColor::gray}};
  const std::string plain = name.substr(0, name.find('_'));
  if (const auto found = others.find(plain); found != others.end()) return found->second;
  return tenon::parse_choice<LabelsColor>(plain).value_or(LabelsColor::gray);
}

/// One import: ids there to ids here.
class Import {
 public:
  Import(const tenon::Statements& db, const tenon::Id<tables::Boards>& board,
         const tenon::UserId& owner)
      : db_(&db), board_(board), who_(tenon::Actor::user(owner.text()).without_rules()) {}

  void run(const Json& trello) {
    table<tables::Boards>().insert({.id = board_,
                                    .title = cut(trello, "name", 200, "Imported board"),
                                    .description = cut(trello, "desc", 2000)});
    labels(trello);
    lists(trello);
    cards(trello);
    checklists(trello);
    comments(trello);
  }

 private:
  template <class T>
  Table<T> table() const {
    return {*db_, who_};
  }

  void labels(const Json& trello) {
    std::set<std::string> names;
    for (const Json& label : ordered(trello, "labels")) {
      const std::string color = cut(label, "color", 20, "gray");
      const std::string base = cut(label, "name", 40, color);
      std::string name = base;
      for (int number = 2; !names.insert(name).second; ++number)
        name = base + " " + std::to_string(number);
      labels_[label.value("id", "")] =
          table<tables::Labels>().insert({.board = board_, .name = name, .color = color_of(color)});
    }
  }

  void lists(const Json& trello) {
    std::string key;
    for (const Json& list : ordered(trello, "lists")) {
      const bool closed = list.value("closed", false);
      if (closed) closed_.insert(list.value("id", ""));
      columns_[list.value("id", "")] =
          table<tables::Columns>().insert({.board = board_,
                                           .title = cut(list, "name", 100, "Unnamed"),
                                           .position = key = key_after(key)});
    }
  }

  void cards(const Json& trello) {
    const auto all = ordered(trello, "cards");
    if (all.size() > max_cards) throw tenon::JobFailed("The board has more than 5,000 cards.");
    std::string key;
    for (const Json& card : all) {
      const auto column = columns_.find(card.value("idList", ""));
      if (column == columns_.end()) continue;
      std::vector<tenon::Id<tables::Labels>> labels;
      for (const auto& label : card.value("idLabels", std::vector<std::string>()))
        if (const auto known = labels_.find(label); known != labels_.end())
          labels.push_back(known->second);
      const bool archived = card.value("closed", false) || closed_.contains(column->first);
      cards_[card.value("id", "")] = table<tables::Cards>().insert(
          {.board = board_,
           .column = column->second,
           .position = key = key_after(key),
           .title = cut(card, "name", 500, "Untitled"),
           .description = cut(card, "desc", 100000),
           .labels = std::move(labels),
           .due = tenon::parse_date(cut(card, "due", 10)),
           .archived = archived ? std::optional(tenon::now()) : std::nullopt});
    }
  }

  void checklists(const Json& trello) {
    std::map<std::string, std::string> keys;
    for (const Json& list : ordered(trello, "checklists")) {
      const auto card = cards_.find(list.value("idCard", ""));
      if (card == cards_.end()) continue;
      std::string& key = keys[card->first];
      for (const Json& item : ordered(list, "checkItems")) {
        count_text();
        table<tables::ChecklistItems>().insert({.board = board_,
                                                .card = card->second,
                                                .position = key = key_after(key),
                                                .title = cut(item, "name", 500, "Untitled"),
                                                .done = item.value("state", "") == "complete"});
      }
    }
  }

  /// Trello has the newest first.
  void comments(const Json& trello) {
    const Json actions = trello.value("actions", Json::array());
    for (auto action = actions.rbegin(); action != actions.rend(); ++action) {
      if (action->value("type", "") != "commentCard") continue;
      const Json data = action->value("data", Json::object());
      const auto card = cards_.find(data.value("card", Json::object()).value("id", ""));
      const std::string text = cut(data, "text", 19000);
      if (card == cards_.end() || text.empty()) continue;
      count_text();
      const std::string who =
          cut(action->value("memberCreator", Json::object()), "fullName", 200, "Someone");
      table<tables::Comments>().insert(
          {.board = board_,
           .card = card->second,
           .text = "*" + who + ", " + cut(*action, "date", 10) + ":*\n\n" + text});
    }
  }

  void count_text() {
    if (++texts_ > max_texts)
      throw tenon::JobFailed("The board has more than 20,000 checklist items and comments.");
  }

  const tenon::Statements* db_;
  tenon::Id<tables::Boards> board_;
  tenon::Actor who_;
  std::map<std::string, tenon::Id<tables::Labels>> labels_;
  std::map<std::string, tenon::Id<tables::Columns>> columns_;
  std::map<std::string, tenon::Id<tables::Cards>> cards_;
  std::set<std::string> closed_;
  std::size_t texts_ = 0;
};

}  // namespace

void import_trello(tenon::Database& db, std::string_view text, const tenon::Id<tables::Boards>& id,
                   const tenon::UserId& owner) {
  try {
    const Json trello = Json::parse(text);
    if (!trello.is_object() || !trello.value("lists", Json()).is_array() ||
        !trello.value("cards", Json()).is_array())
      throw tenon::JobFailed("The file is no board exported from Trello as JSON.");
    db.transaction(
        [&](tenon::Transaction& write) {
          if (!Table<tables::Boards>(write, tenon::Actor::system()).get(id))
            Import(write, id, owner).run(trello);
        },
        std::chrono::seconds(60));
  } catch (const Json::exception&) {
    throw tenon::JobFailed("The file is no board exported from Trello as JSON.");
  }
}

}  // namespace tasks
