#include "tasks.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/plugin.hpp>

namespace bench {
namespace {

constexpr tenon::Access use = tenon::access::permission("bench.tasks");
constexpr std::size_t max_title_bytes = 200;
constexpr std::size_t max_body_bytes = 65'536;
constexpr std::array<std::string_view, 3> statuses = {"open", "doing", "done"};

struct Task {
  std::string id;
  std::string title;
  std::string body;
  std::string status;
  std::int64_t priority = 0;
  std::optional<std::string> assignee;
  std::string created;
  std::string updated;
};

tenon::Json to_json(const tenon::Row& row) {
  const auto assignee = row.get<std::optional<std::string_view>>(5);
  return {{"id", row.get<std::string_view>(0)},
          {"title", row.get<std::string_view>(1)},
          {"body", row.get<std::string_view>(2)},
          {"status", row.get<std::string_view>(3)},
          {"priority", row.get<std::int64_t>(4)},
          {"assignee", assignee ? tenon::Json(*assignee) : tenon::Json()},
          {"created", row.get<std::string_view>(6)},
          {"updated", row.get<std::string_view>(7)}};
}

tenon::Response list(tenon::Host& host) {
  tenon::Json items = tenon::Json::array();
  for (const tenon::Row& row : host.database().query(
           "SELECT id, title, body, status, priority, assignee, created, updated FROM tasks "
           "ORDER BY created DESC LIMIT 50")) {
    items.push_back(to_json(row));
  }
  return tenon::Response::json({{"items", std::move(items)}});
}

tenon::Response get(tenon::Host& host, std::string_view id) {
  tenon::Rows rows = host.database().query(
      "SELECT id, title, body, status, priority, assignee, created, updated FROM tasks "
      "WHERE id = ?",
      id);
  if (rows.empty()) throw tenon::Error(404, "bench.no_task", "There is no such task.");
  return tenon::Response::json(to_json(*rows.begin()));
}

tenon::Error invalid(std::string field, std::string message) {
  return {422, "bench.task_invalid", message, {{std::move(field), "wrong_value", message}}};
}

Task read_task(const tenon::Json& json) {
  Task task;
  task.title = tenon::required_member<std::string>(json, "title");
  task.body = tenon::member<std::string>(json, "body").value_or("");
  task.status = tenon::member<std::string>(json, "status").value_or("open");
  task.priority = tenon::member<std::int64_t>(json, "priority").value_or(0);
  task.assignee = tenon::member<std::string>(json, "assignee");
  if (task.title.empty() || task.title.size() > max_title_bytes)
    throw invalid("title", "A title has 1 to 200 bytes.");
  if (task.body.size() > max_body_bytes) throw invalid("body", "A body has at most 65,536 bytes.");
  if (std::find(statuses.begin(), statuses.end(), task.status) == statuses.end())
    throw invalid("status", "A task is open, doing or done.");
  if (task.priority < 0 || task.priority > 9) throw invalid("priority", "A priority is 0 to 9.");
  task.id = tenon::new_id();
  task.created = task.updated = tenon::now_text();
  return task;
}

tenon::Response create(tenon::Host& host, const tenon::Request& request) {
  const Task task = read_task(request.json());
  host.database().exec(
      "INSERT INTO tasks (id, title, body, status, priority, assignee, created, updated) "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      task.id, task.title, task.body, task.status, task.priority, task.assignee, task.created,
      task.updated);
  return tenon::Response::json(
      {{"id", task.id},
       {"title", task.title},
       {"body", task.body},
       {"status", task.status},
       {"priority", task.priority},
       {"assignee", task.assignee ? tenon::Json(*task.assignee) : tenon::Json()},
       {"created", task.created},
       {"updated", task.updated}},
      201);
}

}  // namespace

void add_task_routes(tenon::Host& host) {
  host.http().get("/tasks", use, [&host](const tenon::Request&) { return list(host); });
  host.http().get("/tasks/{id}", use, [&host](const tenon::Request& request) {
    return get(host, request.param("id"));
  });
  host.http().post("/tasks", use,
                   [&host](const tenon::Request& request) { return create(host, request); });
}

}  // namespace bench
