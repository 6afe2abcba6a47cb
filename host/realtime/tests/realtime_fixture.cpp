#include "realtime/tests/realtime_fixture.hpp"

#include <chrono>
#include <future>
#include <thread>

#include "base/json_slice.hpp"
#include "data/migrate/migrate.hpp"
#include "records/api/record_text.hpp"
#include "records/model/access.hpp"
#include "records/query/columns.hpp"
#include "records/query/filters.hpp"

namespace tenon::realtime::test {

bool Stream::send(std::shared_ptr<const std::string> events) {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return false;
  if (events->size() > room_) {
    is_closed_ = true;
    return false;
  }
  room_ -= events->size();
  text_ += *events;
  return true;
}

void Stream::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
}

bool Stream::is_closed() const {
  const std::lock_guard lock(mutex_);
  return is_closed_;
}

void Stream::take_only(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  room_ = bytes;
}

std::vector<SentEvent> Stream::sent() const {
  const std::lock_guard lock(mutex_);
  std::vector<SentEvent> all;
  for (std::size_t at = text_.find("event: "); at != std::string::npos;
       at = text_.find("event: ", at + 1)) {
    const std::size_t line = text_.find("\ndata: ", at);
    const std::size_t end = text_.find("\n\n", line);
    all.emplace_back(text_.substr(at + 7, line - at - 7), text_.substr(line + 7, end - line - 7));
  }
  return all;
}

std::string Stream::id() const {
  const std::lock_guard lock(mutex_);
  const std::size_t at = text_.rfind("id: ");
  if (at == std::string::npos) return {};
  return text_.substr(at + 4, text_.find("\n\n", at) - at - 4);
}

std::string id_of(int number) {
  std::string text = "01900000-0000-7000-8000-000000000000";
  const std::string digits = std::to_string(number);
  text.replace(text.size() - digits.size(), digits.size(), digits);
  return text;
}

std::string id_sql(const std::string& number) {
  return "'01900000-0000-7000-8000-' || substr(CAST(1000000000000 + " + number + " AS TEXT), 2)";
}

bool eventually(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

RealtimeFixture::RealtimeFixture() {
  permissions_.declare("planner", {{"planner.see_all", "See all", {}}});
}

void RealtimeFixture::attach(const std::string& tables) {
  std::string text = tables;
  const std::string marks =
      R"({"name":"marks","publish":true,"rules":{"read":"true"},"fields":[{"name":"number","type":"integer"}]},)";
  text.insert(text.find('[') + 1, marks);
  tables_ = data::schema::parse_tables(text);
  database_ = std::make_shared<data::Database>(options_);
  data::Declaration declaration{"planner", "1.0.0", tables_, {}};
  data::apply(*database_, declaration);
  model_ = std::make_shared<const records::Model>(tables_, current());
  live_ = std::make_unique<Realtime>(permissions_, metrics_);
  live_->attach("planner", model_, database_);
}

void RealtimeFixture::restart() {
  live_.reset();
  database_ = std::make_shared<data::Database>(options_);
  live_ = std::make_unique<Realtime>(permissions_, metrics_);
  live_->attach("planner", model_, database_);
}

identity::PrincipalPtr RealtimeFixture::principal(const std::string& user) {
  return std::make_shared<const identity::Principal>(
      identity::Principal{.user_id = user,
                          .login = user,
                          .name = user,
                          .role = user == "root" ? identity::Role::admin : identity::Role::member,
                          .session_id = user});
}

Client RealtimeFixture::follow(const std::string& user, const std::vector<std::string>& topics,
                               const std::string& filter, const std::string& last_id) {
  Client client;
  std::promise<void> ready;
  auto subscriber = std::make_shared<Subscriber>();
  subscriber->principal = principal(user);
  for (const std::string& topic : topics) {
    subscriber->interests.push_back(parse_interest(topic));
    subscriber->interests.back().filter = filter;
  }
  subscriber->stream = client.stream;
  subscriber->positions = parse_positions(last_id);
  subscriber->on_ready = [&](const std::string& id) {
    client.stream->send(std::make_shared<const std::string>("id: " + id + "\n\n"));
    ready.set_value();
  };
  live_->check(subscriber->principal, subscriber->interests);
  client.subscription = live_->subscribe(subscriber);
  ready.get_future().wait();
  return client;
}

void RealtimeFixture::wait_for_delivery() {
  const Client last = follow("root", {"planner.marks"});
  run("INSERT INTO marks (id, number) VALUES ('" + id_of(900000 + marks_) + "', 1)");
  ++marks_;
  EXPECT_TRUE(eventually([&] { return !last.stream->sent().empty(); }));
}

std::string RealtimeFixture::news(const Client& client) {
  wait_for_delivery();
  std::string all;
  for (const auto& [name, data] : client.stream->sent()) {
    std::string action = name;
    std::string what;
    base::JsonSlice(data).each_member([&](const std::string& key, const base::JsonSlice& value) {
      if (key == "action") action = value.string();
      if (key == "id")
        what = value.string().substr(
            value.string().find_last_not_of("0") == 35 ? value.string().find_last_of('0') + 1 : 34);
      if (key == "topic") what = value.string();
    });
    all.append(all.empty() ? "" : "; ").append(action).append(" ").append(what);
  }
  return all;
}

std::string RealtimeFixture::shown(const std::string& user, const std::string& table_name,
                                   const std::string& id, const std::string& filter) {
  const records::TableModel& table = *model_->find(table_name);
  const expression::Context context = records::context_of(principal(user), permissions_);
  if (!table.read) return {};
  records::Statement record = records::record_statement(table, records::shown_fields(table),
                                                        context, records::Visibility::some, id);
  records::Filters filters;
  if (!filter.empty()) {
    // Its parameters use the number of the id, so the id comes after them.
    const auto rule = filters.get(*model_, table, filter);
    std::vector<data::Cell> cells;
    expression::append_cells(table.read_slots, context, cells);
    expression::append_cells(rule->sql, context, cells);
    cells.emplace_back(id);
    std::string sql = "SELECT 1";
    records::append_from(sql, table);
    sql += " WHERE " + rule->sql.text + " AND \"t\".\"id\" = ?" + std::to_string(cells.size());
    if (!database_->query(sql, cells).next()) return {};
  }
  data::JsonText text;
  database_->append_json(data::JsonShape::row, text, record.sql, record.cells);
  return std::string(text.view());
}

}  // namespace tenon::realtime::test
