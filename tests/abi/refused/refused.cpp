// Mistakes that the compiler must reject: refused.py reads them.
#include <string>
#include <string_view>

#include <tenon/plugin.hpp>

namespace {

struct NoColumn {};

[[maybe_unused]] void use(tenon::Host& host) {
  using tenon::Request;
  tenon::Database& database = host.database();

  host.http().get("/x", tenon::access::everyone, [](const Request&) {});
#ifdef MISTAKES
  // A route without anything said about who may call it.
  // refused: no matching (member )?function
  host.http().get("/x", [](const Request&) {});
  // A handler that returns something other than a Response.
  // refused: return a tenon::Response
  host.http().get("/x", tenon::access::everyone, [](const Request&) { return 200; });
  // A handler that takes something else than a Request.
  // refused: take a const tenon::Request
  host.http().get("/x", tenon::access::everyone, [](int) {});
#endif

  static_cast<void>(database.first<std::string>("SELECT 'a'"));
  static_cast<void>(database.read([](tenon::Read& read) { return read.all<int>("SELECT 1"); }));
  database.exec("SELECT ?", 1);
#ifdef MISTAKES
  // Text of a row that is gone.
  // refused: the row is invalid
  static_cast<void>(database.first<std::string_view>("SELECT 'a'"));
  // Rows of a transaction that has ended.
  // refused: Rows are invalid
  static_cast<void>(database.read([](tenon::Read& read) { return read.query("SELECT 1"); }));
  // A parameter that is no value of a column.
  // refused: no column can store
  database.exec("SELECT ?", NoColumn());
  // A char, which is neither text nor number.
  // refused: a char parameter is ambiguous
  database.exec("SELECT ?", 'a');

  // A Deferred that two own.
  const tenon::Deferred first;
  // refused: deleted
  const tenon::Deferred second = first;
  // A Deferred that is dropped at once.
  // refused: nodiscard
  host.http().get("/y", tenon::access::everyone, [](const Request& r) { r.defer(); });
#endif
}

}  // namespace
