#include "base/json_writer.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace tenon::base {

TEST(JsonWriter, PlacesCommas) {
  std::string out;
  JsonWriter json(out);
  json.begin_object()
      .member("a", 1)
      .member("b", "x")
      .key("c")
      .begin_array()
      .value(true)
      .null()
      .begin_object()
      .end_object();
  json.end_array()
      .member("d", 1.5)
      .member("e", std::uint64_t{18'446'744'073'709'551'615U})
      .end_object();
  EXPECT_EQ(out, R"({"a":1,"b":"x","c":[true,null,{}],"d":1.5,"e":18446744073709551615})");
}

TEST(JsonWriter, BeginsAfterAPrefix) {
  std::string out = "data: ";
  JsonWriter(out).begin_object().member("a", 1).end_object();
  EXPECT_EQ(out, R"(data: {"a":1})");
}

TEST(JsonWriter, EscapesWhatMustBe) {
  std::string out;
  append_json_string(out, std::string_view("a\"\\\n\t\x01</script>\0z", 17));
  EXPECT_EQ(out, R"("a\"\\\n\t\u0001\u003c/script>\u0000z")");
}

TEST(JsonWriter, KeepsUtf8AndReplacesWhatIsNone) {
  std::string out;
  append_json_string(out, "h\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(out, "\"h\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
  out.clear();
  append_json_string(out, "\xC0\xAF|\xED\xA0\x80|\xFF|\xE2\x82");
  EXPECT_EQ(out,
            "\"\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD|"
            "\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(JsonWriter, EscapesAtEveryPositionOfABlock) {
  for (std::size_t size = 0; size <= 600; size += size < 40 ? 1 : 7) {
    for (std::size_t at = 0; at < size; at += size < 40 ? 1 : 11) {
      std::string text(size, 'x');
      text[at] = '"';
      std::string expected = "\"" + text + "\"";
      expected.replace(at + 1, 1, "\\\"");
      std::string out;
      // From memory of its own, so that a sanitizer sees a read after its end.
      const std::vector<char> own(text.begin(), text.end());
      append_json_string(out, std::string_view(own.data(), own.size()));
      ASSERT_EQ(out, expected) << size << " " << at;
    }
  }
}

TEST(JsonWriter, WritesEveryByteAtEveryPosition) {
  const auto expected_of = [](int byte) -> std::string {
    const char letter = static_cast<char>(byte);
    if (letter == '"' || letter == '\\') return {'\\', letter};
    if (letter == '\n') return "\\n";
    if (letter == '\r') return "\\r";
    if (letter == '\t') return "\\t";
    if (byte >= 0x80) return "\xEF\xBF\xBD";
    if (byte >= 0x20 && byte != 0x7F && letter != '<') return {letter};
    static constexpr char digits[] = "0123456789abcdef";
    return std::string("\\u00") + digits[byte / 16] + digits[byte % 16];
  };
  for (const std::size_t size : {1U, 7U, 16U, 23U, 33U, 48U}) {
    for (int byte = 0; byte < 256; ++byte) {
      for (std::size_t at = 0; at < size; ++at) {
        std::string text(size, 'x');
        text[at] = static_cast<char>(byte);
        const std::string expected =
            "\"" + text.substr(0, at) + expected_of(byte) + text.substr(at + 1) + "\"";
        std::string out;
        append_json_string(out, text);
        ASSERT_EQ(out, expected) << size << " " << byte << " " << at;
      }
    }
  }
}

TEST(JsonWriter, WritesNoNumberThatJsonLacks) {
  std::string out;
  JsonWriter json(out);
  json.begin_array()
      .value(std::nan(""))
      .value(std::numeric_limits<double>::infinity())
      .value(-0.5)
      .end_array();
  EXPECT_EQ(out, "[null,null,-0.5]");
}

}  // namespace tenon::base
