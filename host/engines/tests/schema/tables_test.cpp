#include "schema/tables.hpp"

#include <string>
#include <vector>

#include "base/error.hpp"
#include "data/migrate/migrate.hpp"
#include "engines/tests/schema/tables_fixtures.hpp"
#include "engines/tests/support.hpp"
#include "schema/dates.hpp"
#include "schema/ddl.hpp"
#include "schema/field_text.hpp"
#include "schema/version.hpp"

namespace tenon::data::schema {
namespace {

using data::test::bad_files;
using data::test::code_of;
using data::test::everything;

TEST(TablesTest, ReadsTheWholeLanguage) {
  const Tables tables = parse_tables(everything);
  ASSERT_EQ(tables.tables.size(), 3U);
  const Table* books = tables.find("books");
  ASSERT_TRUE(books);
  EXPECT_TRUE(books->timestamps && books->authorship && books->version);
  ASSERT_EQ(books->fields.size(), 12U);
  const Field* title = books->find("title");
  ASSERT_TRUE(title);
  EXPECT_EQ(title->type, FieldType::text);
  EXPECT_EQ(title->min, Value(std::int64_t{1}));
  EXPECT_EQ(title->max, Value(std::int64_t{200}));
  EXPECT_TRUE(title->required && title->searchable);
  EXPECT_EQ(title->search_weight, 8);
  EXPECT_EQ(title->default_value, Value(std::string("Untitled")));
  EXPECT_EQ(books->find("weight")->min, Value(0.0));
  EXPECT_EQ(books->find("weight")->default_value, Value(1.0));
  EXPECT_EQ(books->find("loaned")->default_value, Value(std::int64_t{0}));
  EXPECT_EQ(books->find("extra")->default_value, Value(std::string(R"({"a":[1,"x"]})")));
  EXPECT_EQ(books->find("shelf")->on_delete, OnDelete::clear);
  EXPECT_EQ(books->find("state")->choices, (std::vector<std::string>{"open", "don't"}));
  EXPECT_EQ(books->all_fields().size(), 17U);
  EXPECT_TRUE(books->find("owner")->default_user);
  EXPECT_TRUE(books->find("slug")->set_by_callback);
  EXPECT_EQ(tables.find("nothing"), nullptr);
}

TEST(TablesTest, ReadsRulesManyBlobsAndComputedFields) {
  const Tables tables = parse_tables(everything);
  const Table& authors = *tables.find("authors");
  EXPECT_TRUE(authors.publish && authors.anonymous);
  EXPECT_EQ(authors.formerly, (std::vector<std::string>{"writers", "people"}));
  EXPECT_EQ(authors.rules.read, "true");
  EXPECT_EQ(authors.rules.create, "@user != null");
  EXPECT_EQ(authors.rules.update, "created_by = @user");
  EXPECT_EQ(authors.rules.delete_, "can('library.manage') and name != ''");
  EXPECT_EQ(tables.find("books")->rules, TableRules());
  EXPECT_EQ(authors.find("name")->formerly, std::vector<std::string>{"title"});
  EXPECT_EQ(authors.find("name")->rules, (FieldRules{"true", "@user != null"}));
  EXPECT_EQ(authors.find("genres")->default_value, Value(std::string(R"(["verse","don't"])")));
  EXPECT_EQ(authors.find("books")->on_delete, OnDelete::clear);
  EXPECT_EQ(authors.find("shelves")->on_delete, OnDelete::restrict_);
  EXPECT_TRUE(authors.find("books")->is_link() && authors.find("editors")->is_link());
  EXPECT_FALSE(authors.find("genres")->is_link() || authors.find("team")->is_link());
  EXPECT_TRUE(authors.find("books")->refers_to_own());
  const Target team = authors.find("team")->target();
  EXPECT_TRUE(team.plugin == "core" && team.table == "groups" && !team.is_own());
  EXPECT_EQ(authors.find("editors")->target().table, "users");
  EXPECT_EQ(authors.find("agents")->target().plugin, "crm");
  EXPECT_EQ(referred_plugins(tables), std::vector<std::string>{"crm"});
  EXPECT_EQ(authors.find("portrait")->max_bytes, 1048576);
  EXPECT_EQ(authors.find("letters")->max_bytes, default_blob_bytes);
  EXPECT_EQ(authors.find("portrait")->types,
            (std::vector<std::string>{"image/*", "application/pdf"}));
  EXPECT_TRUE(authors.find("label")->read_only);
  EXPECT_EQ(authors.find("label")->expression, "name + ' (author)'");
  std::vector<std::string> columns;
  for (const Field& field : authors.column_fields())
    columns.push_back(field.name);
  EXPECT_EQ(columns, (std::vector<std::string>{"name", "genres", "team", "portrait", "letters"}));
  EXPECT_EQ(link_table("authors", "books"), "authors__books");
}

TEST(TablesTest, DescribesFieldsForPeople) {
  const Tables tables = parse_tables(everything);
  const auto text = [&](const char* table, const char* field) {
    return describe(*tables.find(table)->find(field));
  };
  EXPECT_EQ(text("authors", "genres"),
            "choice, many, required, default [\"verse\",\"don't\"], one of prose verse don't");
  EXPECT_EQ(text("authors", "books"), "reference to books, many, on delete clear");
  EXPECT_EQ(text("authors", "agents"), "reference to crm:contacts, many");
  EXPECT_EQ(text("authors", "portrait"),
            "blob, at most 1048576 bytes, one of image/* application/pdf");
  EXPECT_EQ(text("authors", "label"), "computed as name + ' (author)'");
  EXPECT_EQ(text("books", "shelf"), "reference to shelves, on delete clear");
  const Tables same = parse_tables(test::two_tables(R"("type":"user")", R"("type":"user")"));
  EXPECT_EQ(describe(*same.find("t")->find("f")), "reference to u, on delete restrict, same g");
  Field longer;
  longer.type = FieldType::computed;
  for (int i = 0; i < 100; ++i)
    longer.expression += "\u00e4\n";
  EXPECT_EQ(describe(longer).size(), std::string("computed as ").size() + 80 + 4);
}

TEST(TablesTest, WritesWhatItReads) {
  const Tables tables = parse_tables(everything);
  EXPECT_EQ(parse_tables(to_json(tables)), tables);
  const Tables same = parse_tables(test::two_tables(R"("type":"user")", R"("type":"user")"));
  EXPECT_EQ(same.find("t")->find("f")->same, "g");
  EXPECT_EQ(parse_tables(to_json(same)), same);
  const std::string zero = to_json(parse_tables(test::with_field(R"("type":"number","min":-0.0)")));
  EXPECT_EQ(to_json(parse_tables(zero)), zero);
}

TEST(TablesTest, SqliteHoldsWhatIsDeclared) {
  const test::Folder folder;
  Database database(test::plugin_file(folder.file("ddl.db")));
  apply(database, {"sample", "1.0.0", parse_tables(everything), {}});
  const std::string shelf = base::new_id();
  database.exec("INSERT INTO shelves (id, name) VALUES (?1, 'a')", {shelf});
  const auto insert = [&](const std::string& column, const Cell& value) {
    return code_of([&] {
      const std::string columns = column.empty() || column == "owner" ? "" : ", \"" + column + "\"";
      const std::string values = columns.empty() ? "" : ", ?2";
      const std::string owner = column == "owner" ? "?2" : "'u'";
      const std::string id = base::new_id();
      std::vector<Cell> cells = {id};
      if (!column.empty()) cells.push_back(value);
      database.exec(
          "INSERT INTO books (id, owner" + columns + ") VALUES (?1, " + owner + values + ")",
          cells);
    });
  };
  EXPECT_EQ(insert("", {}), "none") << test::last_detail();
  auto rows = database.query(
      "SELECT title, pages, weight, loaned, bought = date('now'), read, extra, state, version, "
      "created = updated,"
      " length(created) FROM books");
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.text(0), "Untitled");
  EXPECT_EQ(rows.integer(1), 10);
  EXPECT_EQ(rows.number(2), 1.0);
  EXPECT_EQ(rows.integer(3), 0);
  EXPECT_EQ(rows.integer(4), 1);
  EXPECT_TRUE(rows.is_null(5));
  EXPECT_EQ(rows.text(6), R"({"a":[1,"x"]})");
  EXPECT_EQ(rows.text(7), "open");
  EXPECT_EQ(rows.integer(8), 1);
  EXPECT_EQ(rows.integer(9), 1);
  EXPECT_EQ(rows.integer(10), 24);
  while (rows.next()) {
  }

  struct Case {
    const char* column;
    Cell value;
    const char* code;
  };
  const std::string long_title(201, 'x');
  const std::vector<Case> cases = {
      {"title", nullptr, "data.required"},
      {"title", "", "data.check"},
      {"title", std::string_view(long_title), "data.check"},
      {"title", "ä", "none"},
      {"pages", 0, "data.check"},
      {"pages", 100001, "data.check"},
      {"pages", "many", "data.type"},
      {"pages", nullptr, "none"},
      {"weight", 99.6, "data.check"},
      {"weight", 3, "none"},
      {"loaned", 2, "data.check"},
      {"loaned", nullptr, "data.required"},
      {"bought", "1899-12-31", "data.check"},
      {"bought", "2026-02-30", "data.check"},
      {"bought", "2024-02-29", "none"},
      {"bought", "now", "data.check"},
      {"bought", "2026-1-1", "data.check"},
      {"read", "2026-11-20T08:15:30.123Z", "none"},
      {"read", "2026-11-20T08:15:30Z", "data.check"},
      {"read", "2026-11-20 08:15:30.123Z", "data.check"},
      {"read", "2026-11-20T24:15:30.123Z", "data.check"},
      {"read", "2100-01-01T00:00:00.001Z", "data.check"},
      {"extra", "{", "data.check"},
      {"extra", "\"text\"", "none"},
      {"extra", nullptr, "none"},
      {"state", "closed", "data.check"},
      {"state", "don't", "none"},
      {"shelf", "nowhere", "data.reference"},
      {"owner", nullptr, "data.required"},
      {"isbn", 13, "none"},  // a number is kept as its text
  };
  for (const auto& one : cases)
    EXPECT_EQ(insert(one.column, one.value), one.code) << one.column << " " << test::last_detail();
  EXPECT_EQ(code_of([&] { database.exec("INSERT INTO books (id, owner) VALUES ('short', 'u')"); }),
            "data.check");
  database.exec("UPDATE books SET shelf = ?1, title = 'x' WHERE rowid = 1", {shelf});
  database.exec("DELETE FROM shelves");
  EXPECT_EQ(test::number(database, "SELECT count(*) FROM books WHERE shelf IS NOT NULL"), 0);
}

TEST(TablesTest, SqliteHoldsManyValues) {
  const test::Folder folder;
  Database database(test::plugin_file(folder.file("many.db")));
  apply(database, {"sample", "1.0.0", parse_tables(everything), {}});
  const std::string book = base::new_id();
  const std::string shelf = base::new_id();
  const std::string author = base::new_id();
  const std::string file = R"({"id":"00","name":"a","type":"image/png","size":1})";
  database.exec("INSERT INTO books (id, owner) VALUES (?1, 'u')", {book});
  database.exec("INSERT INTO shelves (id) VALUES (?1)", {shelf});
  const auto insert = [&](const std::string& genres, const std::string& portrait,
                          const std::string& letters) {
    return code_of([&] {
      database.exec(
          "INSERT INTO authors (id, name, genres, portrait, letters) VALUES (?1, 'x', ?2, ?3, ?4)",
          {base::new_id(), genres, portrait, letters});
    });
  };
  const std::string files = "[" + file + "]";
  EXPECT_EQ(insert(R"(["verse"])", file, files), "none") << test::last_detail();
  for (const char* bad : {"[]", "verse", R"("verse")", "{}", "["})
    EXPECT_EQ(insert(bad, file, files), "data.check") << bad;
  for (const char* bad : {"[]", "1", "{"})
    EXPECT_EQ(insert(R"(["verse"])", bad, files), "data.check") << bad;
  for (const char* bad : {"[]", "{}", "x"})
    EXPECT_EQ(insert(R"(["verse"])", file, bad), "data.check") << bad;
  database.exec("INSERT INTO authors (id, name, letters) VALUES (?1, 'y', ?2)", {author, files});
  auto rows = database.query("SELECT genres FROM authors WHERE id = ?1", {author});
  ASSERT_TRUE(rows.next());
  EXPECT_EQ(rows.text(0), R"(["verse","don't"])");
  while (rows.next()) {
  }

  const auto link = [&](const char* field, std::string_view record, std::string_view target) {
    return code_of([&] {
      database.exec("INSERT INTO authors__" + std::string(field) +
                        " (record, target, position) VALUES (?1, ?2, 0)",
                    {record, target});
    });
  };
  EXPECT_EQ(link("books", author, book), "none");
  EXPECT_EQ(link("books", author, book), "data.unique");
  EXPECT_EQ(link("books", author, "nowhere"), "data.reference");
  EXPECT_EQ(link("books", "unknown", book), "data.reference");
  EXPECT_EQ(link("shelves", author, shelf), "none");
  EXPECT_EQ(link("editors", author, "a user of another file"), "none");
  EXPECT_EQ(link("agents", author, "a contact of another plugin"), "none");
  EXPECT_EQ(code_of([&] { database.exec("DELETE FROM shelves"); }), "data.reference");
  database.exec("DELETE FROM books");
  EXPECT_EQ(test::number(database, "SELECT count(*) FROM authors__books"), 0);
  database.exec("DELETE FROM authors");
  EXPECT_EQ(test::number(database, "SELECT count(*) FROM authors__editors"), 0);
  EXPECT_EQ(test::number(database,
                         "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND tbl_name = "
                         "'authors__books' AND sql IS NOT NULL"),
            2);
  EXPECT_TRUE(plan(database, {"sample", "1.0.0", parse_tables(everything), {}}).is_empty());
}

TEST(TablesTest, EveryMillisecondIsADatetime) {
  const test::Folder folder;
  Database database(test::host_file(folder.file("times.db")));
  EXPECT_EQ(test::number(
                database,
                "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999),"
                " t (x) AS (SELECT printf('2026-11-20T23:59:59.%03dZ', i) FROM n)"
                " SELECT count(*) FROM t WHERE x IS strftime('%Y-%m-%dT%H:%M:%fZ', x, '+0 days')"),
            1000);
}

TEST(TablesTest, ReferencesAreIndexed) {
  const auto tables = parse_tables(everything);
  std::vector<std::string> names;
  for (const auto& index : planned_indexes(*tables.find("books")))
    names.push_back(index.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"tenon_ux_books__shelf__title", "tenon_ix_books__state__id",
                                      "tenon_ux_books__isbn", "tenon_ix_books__pages"}));
  const auto plain = parse_tables(
      R"({"tables":[{"name":"a","fields":[{"name":"b","type":"reference","table":"a"}]}]})");
  EXPECT_EQ(planned_indexes(plain.tables[0]).at(0).name, "tenon_ix_a__b");
}

TEST(TablesTest, ErrorsNameFilePathAndReason) {
  for (const auto& bad : bad_files()) {
    try {
      parse_tables(bad.text, "plugins/x/tables.json");
      ADD_FAILURE() << "taken: " << bad.text;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), "data.tables_invalid") << bad.text;
      EXPECT_EQ(error.status(), 422);
      EXPECT_TRUE(error.message().starts_with("plugins/x/tables.json: " + bad.pointer))
          << error.message();
      EXPECT_NE(error.message().find(bad.part), std::string::npos)
          << error.message() << "\n for " << bad.text;
      if (!bad.pointer.empty()) {
        ASSERT_FALSE(error.fields().empty());
        EXPECT_EQ(error.fields().front().field, bad.pointer) << bad.text;
      }
    }
  }
}

TEST(TablesTest, AllFindingsAreGiven) {
  try {
    parse_tables(
        R"({"tables":[{"name":"A","fields":[{"name":"f","type":"x"},{"name":"g","type":"text","min":-1}]}]})");
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.fields().size(), 3U);
    EXPECT_NE(error.message().find("(and 2 more)"), std::string::npos) << error.message();
  }
}

TEST(TablesTest, SizesAreBounded) {
  const auto fields = [](int count) {
    std::string list;
    for (int i = 0; i < count; ++i)
      list +=
          (i ? "," : "") + std::string(R"({"name":"f)") + std::to_string(i) + R"(","type":"text"})";
    return R"({"tables":[{"name":"t","fields":[)" + list + "]}]}";
  };
  EXPECT_EQ(code_of([&] { parse_tables(fields(200)); }), "none");
  EXPECT_EQ(code_of([&] { parse_tables(fields(201)); }), "data.tables_invalid");
  const auto named = [](std::size_t length) {
    return R"({"tables":[{"name":")" + std::string(length, 'a') + R"(","fields":[]}]})";
  };
  EXPECT_EQ(code_of([&] { parse_tables(named(48)); }), "none");
  EXPECT_EQ(code_of([&] { parse_tables(named(49)); }), "data.tables_invalid");
  const auto computed = [](const std::string& expression) {
    return code_of([&] {
      parse_tables(test::with_field(R"("type":"computed","expression":")" + expression + "\""));
    });
  };
  EXPECT_EQ(computed(std::string(4096, 'a')), "none");
  EXPECT_EQ(computed(std::string(4097, 'a')), "data.tables_invalid");
  EXPECT_EQ(computed(std::string(4095, 'a') + "\u00e4"), "data.tables_invalid") << "bytes count";
  const auto ruled = [](std::size_t length) {
    return code_of([&] {
      parse_tables(R"({"tables":[{"name":"t","fields":[],"rules":{"read":")" +
                   std::string(length, 'a') + "\"}}]}");
    });
  };
  EXPECT_EQ(ruled(4096), "none");
  EXPECT_EQ(ruled(4097), "data.tables_invalid");
  const auto listed = [](const std::string& key, const std::string& type, int count) {
    std::string list;
    for (int i = 0; i < count; ++i)
      list +=
          (i ? ",\"" : "\"") + std::string(key == "types" ? "a/b" : "n") + std::to_string(i) + "\"";
    return code_of([&] {
      parse_tables(test::with_field("\"type\":\"" + type + "\",\"" + key + "\":[" + list + "]"));
    });
  };
  EXPECT_EQ(listed("formerly", "text", 20), "none");
  EXPECT_EQ(listed("formerly", "text", 21), "data.tables_invalid");
  EXPECT_EQ(listed("types", "blob", 50), "none");
  EXPECT_EQ(listed("types", "blob", 51), "data.tables_invalid");
  const auto typed = [](std::size_t length) {
    return code_of([&] {
      parse_tables(
          test::with_field(R"("type":"blob","types":["a/)" + std::string(length - 2, 'b') + "\"]"));
    });
  };
  EXPECT_EQ(typed(127), "none");
  EXPECT_EQ(typed(128), "data.tables_invalid");
}

TEST(DatesTest, KnowTheCalendar) {
  EXPECT_TRUE(is_date("2024-02-29"));
  EXPECT_TRUE(is_date("2000-02-29"));
  EXPECT_FALSE(is_date("1900-02-29"));
  EXPECT_FALSE(is_date("2026-04-31"));
  EXPECT_FALSE(is_date("2026-00-10"));
  EXPECT_FALSE(is_date("2026-1-10"));
  EXPECT_FALSE(is_date(""));
  EXPECT_TRUE(is_datetime("2026-11-20T23:59:59.999Z"));
  EXPECT_FALSE(is_datetime("2026-11-20T23:60:59.999Z"));
  EXPECT_FALSE(is_datetime("2026-11-20T23:59:59Z"));
  EXPECT_FALSE(is_datetime("2026-11-20T23:59:59.999+01:00"));
}

TEST(VersionTest, ComparesAsTheSpecificationSays) {
  // Semantic Versioning 2.0.0, section 11, with a build in between.
  const std::vector<std::string> ascending = {"0.9.0",
                                              "1.0.0-alpha",
                                              "1.0.0-alpha.1",
                                              "1.0.0-alpha.beta",
                                              "1.0.0-beta",
                                              "1.0.0-beta.2",
                                              "1.0.0-beta.11",
                                              "1.0.0-rc.1",
                                              "1.0.0",
                                              "1.0.1",
                                              "1.2.0",
                                              "1.10.0",
                                              "10.0.0",
                                              "10.0.1-2",
                                              "10.0.1-99999999999999999999",
                                              "10.0.1-100000000000000000000",
                                              "10.0.1-a"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    EXPECT_TRUE(is_version(ascending[i])) << ascending[i];
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      const int order = compare_versions(ascending[i], ascending[j]);
      EXPECT_EQ(order < 0, i < j) << ascending[i] << " " << ascending[j];
      EXPECT_EQ(order > 0, i > j) << ascending[i] << " " << ascending[j];
    }
  }
  EXPECT_EQ(compare_versions("1.0.0+a", "1.0.0+b"), 0);
  for (const char* bad : {"", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.3-", "1.2.3-01", "v1.2.3",
                          "1.0.0-00000000000000000000", "1.2.x", "1..2", "1.2.", ".1.2"}) {
    EXPECT_FALSE(is_version(bad)) << bad;
  }
}

}  // namespace
}  // namespace tenon::data::schema
