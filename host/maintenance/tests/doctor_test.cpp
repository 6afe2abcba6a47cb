#include "maintenance/doctor/doctor.hpp"

#include <string>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>
#include <gtest/gtest.h>

#include "base/json.hpp"
#include "maintenance/doctor/checks.hpp"

namespace tenon::console {

namespace {

constexpr std::int64_t fixed_now = 1'800'000'000'000;
constexpr std::uint64_t gib = 1024ULL * 1024 * 1024;

// The codes that a check gives, with the severity before each.
template <typename Check>
std::string codes(Check&& check) {
  Report report;
  report.begin("test");
  check(report);
  std::string text;
  for (const Finding& finding : report.checks().back().findings) {
    EXPECT_FALSE(finding.where.empty() || finding.what.empty() || finding.todo.empty())
        << finding.code << " says what, where and what to do";
    text += std::string(to_string(finding.severity)) + " " + finding.code + ";";
  }
  return text;
}

std::string clock_codes(const ClockReading& reading) {
  return codes([&](Report& report) { check_clock_reading(reading, report); });
}

std::string space_codes(const FreeSpace& space) {
  return codes([&](Report& report) { check_free_space("/data", space, report); });
}

}  // namespace

TEST(DoctorClock, OneThatIsRightIsNotMentioned) {
  EXPECT_EQ(clock_codes({.now = fixed_now, .newest = fixed_now - 1000, .newest_where = "f"}), "");
  EXPECT_EQ(clock_codes({.now = fixed_now, .newest = fixed_now + 60'000, .newest_where = "f"}), "")
      << "clocks are set by a little";
  EXPECT_EQ(clock_codes({.now = fixed_now, .wall_passed = 290, .steady_passed = 250}), "");
}

TEST(DoctorClock, ReportsBackwardJumpingOrInsaneClock) {
  EXPECT_EQ(clock_codes({.now = fixed_now, .newest = fixed_now + 600'000, .newest_where = "f"}),
            "error clock.went_back;");
  EXPECT_EQ(clock_codes({.now = 0, .newest = fixed_now, .newest_where = "f"}),
            "error clock.insane;");
  EXPECT_EQ(clock_codes({.now = 5'000'000'000'000}), "error clock.insane;");
  EXPECT_EQ(clock_codes({.now = fixed_now, .wall_passed = -3000, .steady_passed = 250}),
            "warning clock.jumps;");
  EXPECT_EQ(clock_codes({.now = fixed_now, .wall_passed = 4000, .steady_passed = 250}),
            "warning clock.jumps;");
  EXPECT_EQ(clock_codes({.now = fixed_now, .is_synchronized = false}), "note clock.alone;");
}

TEST(DoctorFreeSpace, ChecksBytesAndFiles) {
  const FreeSpace plenty{50 * gib, 100 * gib, 1'000'000, 2'000'000};
  EXPECT_EQ(space_codes(plenty), "");
  EXPECT_EQ(space_codes({50 * gib, 100 * gib, 0, 0}), "") << "some file systems count no files";
  EXPECT_EQ(space_codes({0, 100 * gib, 1'000'000, 2'000'000}), "error data.disk_full;");
  EXPECT_EQ(space_codes({gib / 2, 100 * gib, 1'000'000, 2'000'000}), "warning data.disk_low;");
  EXPECT_EQ(space_codes({gib / 2, gib, 1'000'000, 2'000'000}), "") << "small, and half empty";
  EXPECT_EQ(space_codes({50 * gib, 100 * gib, 99, 2'000'000}), "error data.no_inodes;");
  EXPECT_EQ(space_codes({50 * gib, 100 * gib, 9'999, 2'000'000}), "warning data.few_inodes;");
  EXPECT_EQ(show_bytes(0), "0 bytes");
  EXPECT_EQ(show_bytes(1536), "1.5 KiB");
  EXPECT_EQ(show_bytes(3 * gib), "3.0 GiB");
}

TEST(DoctorReport, OnlyErrorsAreUnhealthy) {
  Report report;
  report.begin("data");
  report.summarize("looked");
  report.note("a.b", "w", "x", "y");
  report.warning("a.c", "w", "x", "y");
  EXPECT_TRUE(report.is_healthy());
  EXPECT_NE(report.text().find("healthy: 0 errors, 1 warnings"), std::string::npos);
  report.error("a.d", "file\n\x1b[31m", "x", "y");
  EXPECT_FALSE(report.is_healthy());
  const std::string text = report.text();
  EXPECT_NE(text.find("error    data           looked\n"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << "names of files do not drive the terminal";
  EXPECT_NE(text.find("error a.d: file??[31m\n"), std::string::npos) << text;

  const auto object = base::parse_json_object(report.json());
  EXPECT_FALSE(object->getValue<bool>("healthy"));
  EXPECT_EQ(object->getValue<int>("warnings"), 1);
  const auto finding = object->getArray("checks")->getObject(0)->getArray("findings")->getObject(2);
  EXPECT_EQ(finding->getValue<std::string>("severity"), "error");
  EXPECT_EQ(finding->getValue<std::string>("code"), "a.d");
  EXPECT_EQ(finding->getValue<std::string>("todo"), "y");
}

TEST(Doctor, ReportsAMissingDirectoryWithoutCreatingIt) {
  const CheckedInstallation installation{.data = "/no/such/directory", .host_version = "1"};
  const Report report = run_checks(installation);
  EXPECT_FALSE(report.is_healthy());
  EXPECT_EQ(report.count(Severity::error), 1U);
  EXPECT_NE(report.json().find("data.missing"), std::string::npos);
}

TEST(Doctor, EveryMistakeOfTheConfigurationIsAnError) {
  const CheckedInstallation installation{
      .data = "/", .mistakes = {"first", "second"}, .host_version = "1"};
  Report report;
  CheckContext context{.installation = installation, .report = report};
  check_configuration(context);
  EXPECT_EQ(report.count(Severity::error), 2U);
}

}  // namespace tenon::console
