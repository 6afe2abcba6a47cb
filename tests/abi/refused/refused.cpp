// What the compiler must refuse, one MISTAKE a number; without one the file compiles.
#include <string>
#include <string_view>

#include <tenon/plugin.hpp>

#ifndef MISTAKE
#define MISTAKE 0
#endif

namespace {

struct NoColumn {};

[[maybe_unused]] void use(tenon::Host& host) {
  using tenon::Request;
  tenon::Database& database = host.database();

  // 1: a route without anything said about who may call it
  // 2: a handler that answers something else than a Response
  // 3: a handler that takes something else than a Request
#if MISTAKE == 1
  host.http().get("/x", [](const Request&) {});
#elif MISTAKE == 2
  host.http().get("/x", tenon::access::everybody, [](const Request&) { return 200; });
#elif MISTAKE == 3
  host.http().get("/x", tenon::access::everybody, [](int) {});
#else
  host.http().get("/x", tenon::access::everybody, [](const Request&) {});
#endif

  // 4: text of a row that is gone; 5: rows of a transaction that is over; 6: a parameter that is no
  // value of a column; 7: a char, which is neither text nor number
#if MISTAKE == 4
  static_cast<void>(database.first<std::string_view>("SELECT 'a'"));
#elif MISTAKE == 5
  static_cast<void>(database.read([](tenon::Read& read) { return read.query("SELECT 1"); }));
#elif MISTAKE == 6
  database.exec("SELECT ?", NoColumn());
#elif MISTAKE == 7
  database.exec("SELECT ?", 'a');
#else
  static_cast<void>(database.first<std::string>("SELECT 'a'"));
  static_cast<void>(database.read([](tenon::Read& read) { return read.all<int>("SELECT 1"); }));
  database.exec("SELECT ?", 1);
#endif

  // 8: a Deferred that two own; 9: an answer that nobody takes over
#if MISTAKE == 8
  const tenon::Deferred first;
  const tenon::Deferred second = first;
#elif MISTAKE == 9
  host.http().get("/y", tenon::access::everybody, [](const Request& r) { r.defer(); });
#endif
}

}  // namespace
