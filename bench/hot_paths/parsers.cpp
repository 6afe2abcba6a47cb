#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "http/limits.hpp"
#include "http/parser/head_parser.hpp"
#include "http/parser/header_cache.hpp"
#include "http/parser/target.hpp"
#include "path.hpp"

namespace tenon::bench {

namespace {

// As Firefox sends it for a page's data.
constexpr std::string_view head =
    "GET /api/notes/notes/0192f3c1-7a00-7000-8000-0123456789ab?fields=title,body HTTP/1.1\r\n"
    "Host: notes.example.org\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
    "Accept: application/json\r\n"
    "Accept-Language: en-GB,en;q=0.5\r\n"
    "Accept-Encoding: gzip, deflate, br\r\n"
    "Referer: https://notes.example.org/notes\r\n"
    "Connection: keep-alive\r\n"
    "Cookie: tenon_session=0123456789abcdefghijklmnopqrstuvwxyzABCDEFG\r\n"
    "Sec-Fetch-Dest: empty\r\n"
    "Sec-Fetch-Mode: cors\r\n"
    "Sec-Fetch-Site: same-origin\r\n"
    "\r\n";

Maker head_parse() {
  return one_thread([limits = http::Limits(), text = std::string(),
                     fields = std::vector<http::Field>()]() mutable {
    text.assign(head);
    http::HeadScanner scanner;
    http::Head found;
    if (scanner.scan(text, limits) != http::HeadScanner::Result::complete ||
        http::parse_head({text.data(), text.size()}, limits, fields, found) != nullptr)
      throw std::runtime_error("the head was refused");
    keep(found);
  });
}

Maker head_known() {
  struct Thread {
    http::HeaderCache memory{1};
    http::Limits limits;
    std::string text;
    std::vector<http::Field> fields;
    http::Head found;
  };
  const auto thread = std::make_shared<Thread>();
  for (int i = 0; i < 2; ++i) {
    thread->text.assign(head);
    if (http::parse_head(thread->text, thread->limits, thread->fields, thread->found) != nullptr)
      throw std::runtime_error("the head was refused");
    thread->memory.put(head, thread->text, thread->fields, thread->found);
  }
  return one_thread([thread] {
    const http::HeaderCache::CachedHead known = thread->memory.find(head, thread->limits);
    if (!known) throw std::runtime_error("the head is not known");
    http::HeaderCache::get(known, head, thread->text, thread->fields, thread->found);
    keep(thread->found);
  });
}

Maker path_decode() {
  // In turn: where a single text happens to lie changes the count of the C library's loops.
  std::vector<std::string> targets;
  for (int version = 10; version < 30; ++version)
    targets.push_back("/api/files/Entw%C3%BCrfe/2026%20Q4/plan%20%282%29.pdf?download&version=" +
                      std::to_string(version));
  return one_thread([targets, at = std::size_t{0}, decoded = std::string()]() mutable {
    http::Target target;
    if (http::read_target("GET", targets[at++ % targets.size()], decoded, target) != nullptr)
      throw std::runtime_error("the target was refused");
    keep(target);
  });
}

Maker json_check() {
  std::string text =
      R"({"title":"A record of the usual length","tags":["one","two","three"],"done":false,"order":17,"body":")";
  text.append(600, 'x').append(R"( and \"a\" \u00e4","links":[)");
  for (int i = 0; i < 8; ++i)
    text.append(i == 0 ? "" : ",").append(R"({"id":"0192f3c1-7a00","kind":"note"})");
  text.append("]}");
  return one_thread([text] { base::check_json(text); });
}

}  // namespace

std::vector<Path> parser_paths() {
  return {
      {"head_parse", "scan and parse the head of a browser's request", 2000, head_parse},
      {"head_known", "the same head when it is known", 2000, head_known},
      {"path_decode", "check and decode a target with escapes", 4000, path_decode},
      {"json_check", "check the JSON of a body of 1 KB", 1000, json_check},
  };
}

}  // namespace tenon::bench
