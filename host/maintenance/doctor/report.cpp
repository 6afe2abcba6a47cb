#include "maintenance/doctor/report.hpp"

#include <algorithm>
#include <utility>

#include "base/json_writer.hpp"

namespace tenon::console {

namespace {

// Names of files and texts of plugins must not drive the terminal.
std::string printable(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    safe += byte < 0x20 || byte == 0x7F ? '?' : c;
  }
  return safe;
}

std::string_view worst_of(const Report::Check& check) {
  const auto worst = std::max_element(
      check.findings.begin(), check.findings.end(),
      [](const Finding& left, const Finding& right) { return left.severity < right.severity; });
  return worst == check.findings.end() || worst->severity == Severity::note
             ? "ok"
             : to_string(worst->severity);
}

}  // namespace

std::string_view to_string(Severity severity) noexcept {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";
}

void Report::begin(std::string check) {
  checks_.push_back({std::move(check), {}, {}});
}

void Report::summarize(std::string summary) {
  checks_.back().summary = std::move(summary);
}

void Report::add(Finding finding) {
  checks_.back().findings.push_back(std::move(finding));
}

void Report::error(std::string code, std::string where, std::string what, std::string todo) {
  add({Severity::error, std::move(code), std::move(where), std::move(what), std::move(todo)});
}
void Report::warning(std::string code, std::string where, std::string what, std::string todo) {
  add({Severity::warning, std::move(code), std::move(where), std::move(what), std::move(todo)});
}
void Report::note(std::string code, std::string where, std::string what, std::string todo) {
  add({Severity::note, std::move(code), std::move(where), std::move(what), std::move(todo)});
}

std::size_t Report::count(Severity severity) const noexcept {
  std::size_t sum = 0;
  for (const Check& check : checks_)
    sum += static_cast<std::size_t>(
        std::count_if(check.findings.begin(), check.findings.end(),
                      [&](const Finding& finding) { return finding.severity == severity; }));
  return sum;
}

std::string Report::text() const {
  std::string out;
  const auto column = [&out](std::string_view text, std::size_t width) {
    out += text;
    out.append(text.size() < width ? width - text.size() : 1, ' ');
  };
  for (const Check& check : checks_) {
    column(worst_of(check), 9);
    column(check.name, 15);
    out += printable(check.summary) + "\n";
    for (const Finding& finding : check.findings) {
      out += "         ";
      out += std::string(to_string(finding.severity)) + " " + finding.code + ": " +
             printable(finding.where) + "\n           " + printable(finding.what) + "\n";
      if (!finding.todo.empty()) out += "           -> " + printable(finding.todo) + "\n";
    }
  }
  out += is_healthy() ? "healthy" : "not healthy";
  out += ": " + std::to_string(count(Severity::error)) + " errors, " +
         std::to_string(count(Severity::warning)) + " warnings\n";
  return out;
}

std::string Report::json() const {
  std::string out;
  base::JsonWriter json(out);
  json.begin_object().member("healthy", is_healthy());
  json.member("errors", count(Severity::error)).member("warnings", count(Severity::warning));
  json.key("checks").begin_array();
  for (const Check& check : checks_) {
    json.begin_object().member("check", check.name).member("summary", check.summary);
    json.key("findings").begin_array();
    for (const Finding& finding : check.findings) {
      json.begin_object().member("severity", to_string(finding.severity));
      json.member("code", finding.code).member("where", finding.where);
      json.member("what", finding.what).member("todo", finding.todo).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace tenon::console
