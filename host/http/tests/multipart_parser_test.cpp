#include "http/parser/multipart_parser.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "http/tests/collected_parts.hpp"

namespace tenon::http {
namespace {

using test::CollectedParts;
using test::Part;

struct MultipartOutcome {
  std::vector<Part> parts;
  std::string code;  // of the refusal
  int status = 200;
};

// Feeds the body in pieces of `step` bytes, each at the end of its own allocation.
MultipartOutcome parse(std::string_view body, std::size_t step,
                       const MultipartLimits& limits = {}) {
  CollectedParts parts;
  MultipartParser parser("XX", parts, limits);
  const Refusal* refusal = nullptr;
  for (std::size_t at = 0; at < body.size() && refusal == nullptr; at += step) {
    const std::string_view piece = body.substr(at, step);
    const std::vector<char> own(piece.begin(), piece.end());
    refusal = parser.feed({own.data(), own.size()});
  }
  refusal = parser.finish();
  EXPECT_TRUE(parts.is_in_order);
  MultipartOutcome outcome{parts.all, {}, 200};
  if (refusal == nullptr) return outcome;
  outcome.code = refusal->code;
  outcome.status = refusal->status;
  // Refused once, refused for good.
  EXPECT_EQ(parser.feed("--XX--\r\n"), refusal);
  EXPECT_EQ(parser.finish(), refusal);
  EXPECT_EQ(parts.all.size(), outcome.parts.size());
  EXPECT_TRUE(parts.is_in_order);
  return outcome;
}

// The same at every pace, or there is a mistake in how pieces join.
MultipartOutcome parse(std::string_view body, const MultipartLimits& limits = {}) {
  const MultipartOutcome whole = parse(body, body.size() + 1, limits);
  for (const std::size_t step : {1, 2, 3, 7, 64}) {
    const MultipartOutcome other = parse(body, step, limits);
    EXPECT_EQ(other.code, whole.code) << "in steps of " << step;
    EXPECT_EQ(other.parts, whole.parts) << "in steps of " << step;
  }
  return whole;
}

std::string form(std::string_view fields, std::string_view data = "x") {
  std::string body("--XX\r\n");
  return body.append(fields).append("\r\n\r\n").append(data).append("\r\n--XX--\r\n");
}

std::string disposition(std::string_view parameters) {
  return "Content-Disposition: form-data; " + std::string(parameters);
}

TEST(MultipartParser, ReadsFieldsAndFilesInTheirOrder) {
  const MultipartOutcome outcome = parse(
      "--XX\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nHello\r\nthere\r\n"
      "--XX\r\ncontent-disposition:FORM-DATA ; Name=file;FileName=\"a b.zip\"\r\n"
      "Content-Type: application/zip\r\nX-Other: y\r\n\r\n\r\n-\r\n--X\r\r\n\r\n--XX--");
  EXPECT_EQ(outcome.code, "");
  ASSERT_EQ(outcome.parts.size(), 2U);
  EXPECT_EQ(outcome.parts[0], (Part{"title", "", "", "Hello\r\nthere", false, true}));
  EXPECT_EQ(outcome.parts[1],
            (Part{"file", "a b.zip", "application/zip", "\r\n-\r\n--X\r\r\n", true, true}));
}

TEST(MultipartParser, KeepsEveryByteOfTheData) {
  std::string data;
  for (int round = 0; round < 3; ++round) {
    for (int byte = 0; byte < 256; ++byte)
      data += static_cast<char>(byte);
    data += "\r\n--X\r\n-\r\n--Y\r\r\n\n--XX";
  }
  const MultipartOutcome outcome = parse(form(disposition("name=a"), data));
  ASSERT_EQ(outcome.parts.size(), 1U);
  EXPECT_EQ(outcome.parts[0].data, data);
  EXPECT_TRUE(outcome.parts[0].is_whole);
}

TEST(MultipartParser, ReadsPartsWithoutData) {
  const std::string head = "--XX\r\nContent-Disposition: form-data; name=a; filename=\"\"\r\n\r\n";
  const MultipartOutcome outcome = parse(head + "\r\n" + head + "--XX--\r\n");
  EXPECT_EQ(outcome.code, "");
  ASSERT_EQ(outcome.parts.size(), 2U);
  EXPECT_EQ(outcome.parts[0], (Part{"a", "", "", "", true, true}));
  EXPECT_EQ(outcome.parts[1], outcome.parts[0]);
}

TEST(MultipartParser, TakesNamesAsBrowsersWriteThem) {
  const auto name_of = [](std::string_view parameters) {
    const MultipartOutcome outcome = parse(form(disposition(parameters)));
    return outcome.parts.empty() ? "refused: " + outcome.code : outcome.parts[0].file_name;
  };
  EXPECT_EQ(name_of("name=a; filename=\"say \\\"hi\\\"; now.txt\""), "say \"hi\"; now.txt");
  EXPECT_EQ(name_of("name=a; filename=\"C:\\new\\a.txt\""), "C:\\new\\a.txt");
  EXPECT_EQ(name_of("name=a; filename=\"50%22.txt\""), "50%22.txt");
  EXPECT_EQ(name_of("name=a; filename=\"\xC3\xA4.txt\""), "\xC3\xA4.txt");
  EXPECT_EQ(name_of("name=a; filename=\"../../etc/passwd\""), "../../etc/passwd");
  EXPECT_EQ(name_of("name=a; filename=a.txt; filename*=utf-8''b.txt"), "a.txt");
}

struct BadCase {
  std::string body;
  const char* code;
};

TEST(MultipartParser, RefusesFormsThatAreNotStrict) {
  const std::string good = form(disposition("name=a"));
  const std::string part = "--XX\r\n" + disposition("name=a") + "\r\n\r\nx\r\n";
  const BadCase cases[] = {
      {"", "http.multipart_cut_off"},
      {"--X", "http.multipart_cut_off"},
      {"--XX\r\n", "http.multipart_cut_off"},
      {part, "http.multipart_cut_off"},
      {part + "--XX", "http.multipart_cut_off"},
      {part + "--XX-", "http.multipart_cut_off"},
      {part + "--XX--\r", "http.multipart_cut_off"},
      {"--XX--", "http.multipart_empty"},
      {"\r\n" + good, "http.bad_part_delimiter"},
      {"preamble\r\n" + good, "http.bad_part_delimiter"},
      {"--YY\r\n", "http.bad_part_delimiter"},
      {"--XX \r\n", "http.bad_part_delimiter"},
      {"--XX\n", "http.bad_part_delimiter"},
      {"--XX\rA", "http.bad_part_delimiter"},
      {"--XX-\r\n", "http.bad_part_delimiter"},
      {part + "--XXY", "http.bad_part_delimiter"},
      {good + "\r\n", "http.multipart_epilogue"},
      {part + "--XX--x", "http.multipart_epilogue"},
      {part + "--XX--\rx", "http.multipart_epilogue"},
      {"--XX\r\n\r\nx", "http.bad_part_disposition"},
      {form("Content-Type: text/plain"), "http.bad_part_disposition"},
      {form("Content-Disposition: form-data"), "http.bad_part_disposition"},
      {form("Content-Disposition: attachment; name=a"), "http.bad_part_disposition"},
      {form("Content-Disposition: form-data name=a"), "http.bad_part_disposition"},
      {form(disposition("name=a") + "\r\n" + disposition("name=b")), "http.bad_part_disposition"},
      {form(disposition("name=a; name=b")), "http.bad_part_disposition"},
      {form(disposition("name=a; filename=b; FILENAME=c")), "http.bad_part_disposition"},
      {form(disposition("name=")), "http.bad_part_disposition"},
      {form(disposition("name=\"\"")), "http.bad_part_disposition"},
      {form(disposition("name=\"a")), "http.bad_part_disposition"},
      {form(disposition("name=\"a\\\"")), "http.bad_part_disposition"},
      {form(disposition("name=a;")), "http.bad_part_disposition"},
      {form(disposition("name =a")), "http.bad_part_disposition"},
      {form(disposition("filename=a")), "http.bad_part_disposition"},
      {form(disposition("name=\"\xFF\"")), "http.bad_part_name"},
      {form(disposition("name=\"a\tb\"")), "http.bad_part_name"},
      {form(disposition("name=a; filename=\"\xED\xA0\x80\"")), "http.bad_part_name"},
      {form(disposition("name=a") + "\r\n folded"), "http.bad_part_head"},
      {form(disposition("name=a") + "\r\nX : y"), "http.bad_part_head"},
      {form(disposition("name=a") + "\r\nno colon"), "http.bad_part_head"},
      {form(disposition("name=a") + "\r\nX: \x01"), "http.bad_part_head"},
      {form(disposition("name=a") + "\r\nX: a\nY: b"), "http.bad_part_head"},
      {form(disposition("name=a") + "\r\nX: a\rY: b"), "http.bad_part_head"},
      {form(std::string("X: \0", 4) + "\r\n" + disposition("name=a")), "http.bad_part_head"},
      {form(disposition("name=a") + "\r\nContent-Type: a/b\r\nContent-Type: a/b"),
       "http.bad_part_head"},
      {form(disposition("name=a") + "\r\nContent-Transfer-Encoding: base64"), "http.part_coded"},
  };
  for (const BadCase& bad : cases)
    EXPECT_EQ(parse(bad.body).code, bad.code) << bad.body;
  EXPECT_EQ(parse(form(disposition("name=a") + "\r\nContent-Transfer-Encoding: BINARY")).code, "");
}

TEST(MultipartParser, NeverCompletesACutOffPart) {
  const std::string body = form(disposition("name=a"), "data");
  for (std::size_t size = 0; size + 9 < body.size(); ++size) {
    const MultipartOutcome outcome = parse(std::string_view(body).substr(0, size));
    EXPECT_EQ(outcome.code, "http.multipart_cut_off");
    EXPECT_FALSE(!outcome.parts.empty() && outcome.parts[0].is_whole) << size;
  }
}

TEST(MultipartParser, HoldsItsLimits) {
  MultipartLimits limits;
  limits.parts = 2;
  limits.part_head = 80;
  limits.name = 5;
  limits.file_name = 6;
  const auto part = [](const std::string& parameters) {
    return "--XX\r\n" + disposition(parameters) + "\r\n\r\nx\r\n";
  };
  const std::string end = "--XX--";
  EXPECT_EQ(parse(part("name=abcde") + part("name=a") + end, limits).code, "");
  const MultipartOutcome outcome =
      parse(part("name=a") + part("name=b") + part("name=c") + end, limits);
  EXPECT_EQ(outcome.code, "http.too_many_parts");
  EXPECT_EQ(outcome.status, 413);
  EXPECT_EQ(outcome.parts.size(), 2U);
  EXPECT_EQ(parse(part("name=abcdef") + end, limits).code, "http.part_name_too_long");
  EXPECT_EQ(parse(part("name=a; filename=abcdef") + end, limits).code, "");
  EXPECT_EQ(parse(part("name=a; filename=abcdefg") + end, limits).code, "http.part_name_too_long");
  const std::string field = disposition("name=a") + "\r\nX: ";
  const std::string value(80 - 4 - field.size(), 'x');
  EXPECT_EQ(parse(form(field + value), limits).code, "");
  EXPECT_EQ(parse(form(field + value + "x"), limits).code, "http.part_head_too_large");
  EXPECT_EQ(parse("--XX\r\n" + std::string(10'000, 'x'), limits).code, "http.part_head_too_large");
}

TEST(MultipartParser, PassesOnExceptionsOfTheSink) {
  struct Full final : PartSink {
    void on_part(const PartHead&) override {}
    void on_data(std::string_view) override { throw 507; }
    void on_part_end() override { FAIL(); }
  } full;
  MultipartParser parser("XX", full);
  EXPECT_THROW(parser.feed(form(disposition("name=a"))), int);
}

TEST(Boundary, IsTakenFromTheContentType) {
  std::string boundary;
  EXPECT_EQ(read_boundary("multipart/form-data; boundary=----abc123", boundary), nullptr);
  EXPECT_EQ(boundary, "----abc123");
  EXPECT_EQ(read_boundary("Multipart/Form-Data ;charset=utf-8; BOUNDARY=\"a b:c\"", boundary),
            nullptr);
  EXPECT_EQ(boundary, "a b:c");
  EXPECT_EQ(read_boundary("multipart/form-data; boundary=" + std::string(70, 'a'), boundary),
            nullptr);
}

TEST(Boundary, IsRefusedIfMissingRepeatedOrInvalid) {
  std::string boundary;
  for (const char* none : {"", "multipart/form-data", "multipart/mixed; boundary=a",
                           "text/plain; boundary=a", "multipart/form-data; boundary=a; boundary=a",
                           "multipart/form-data; boundary=a;", "multipart/form-data boundary=a",
                           "multipart/form-data; boundary=\"a", "multipart/form-data; boundary="}) {
    const Refusal* refusal = read_boundary(none, boundary);
    ASSERT_NE(refusal, nullptr) << none;
    EXPECT_EQ(refusal->status, 415) << none;
  }
  const std::string long_one = "multipart/form-data; boundary=" + std::string(71, 'a');
  for (const std::string& odd : {long_one, std::string("multipart/form-data; boundary=\"\""),
                                 std::string("multipart/form-data; boundary=\"a \""),
                                 std::string("multipart/form-data; boundary=\"a\\r\""),
                                 std::string("multipart/form-data; boundary=\"\xC3\xA4\"")}) {
    const Refusal* refusal = read_boundary(odd, boundary);
    ASSERT_NE(refusal, nullptr) << odd;
    EXPECT_STREQ(refusal->code, "http.bad_boundary") << odd;
  }
}

}  // namespace
}  // namespace tenon::http
