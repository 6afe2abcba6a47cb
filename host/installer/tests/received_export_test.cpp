// Exports that come in from outside: what is taken, under which name, and what leaves nothing.
#include "installer/exports/received_export.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/ids.hpp"
#include "installer/exports/export_writer.hpp"
#include "installer/exports/limits.hpp"
#include "packages/tests/refused.hpp"

namespace tenon::plugins::test {

namespace {

namespace fs = std::filesystem;

class ReceivedExportTest : public ::testing::Test {
 protected:
  ReceivedExportTest() : data_(fs::temp_directory_path() / ("tenon-received-" + base::new_id())) {
    fs::create_directory(data_);
  }
  ~ReceivedExportTest() override { fs::remove_all(data_); }

  // The bytes of an export without a database.
  std::string written(const std::string& version, const std::string& setting = "null") const {
    ExportFacts facts;
    facts.plugin = "notes";
    facts.version = version;
    facts.taken_ms = 1'700'000'000'123;
    const std::string path = (data_ / "written.tar").string();
    {
      ExportWriter writer(path);
      writer.add(facts_entry, facts_text(facts));
      writer.add("settings/1.json", setting_text({"a", setting}));
      writer.finish();
    }
    std::ifstream in(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    fs::remove(path);
    return bytes;
  }
  ExportItem upload(const std::string& bytes, const std::string& plugin = {}) {
    ReceivedExport came(folder_, bytes.size());
    constexpr std::size_t piece = 100;
    for (std::size_t at = 0; at < bytes.size(); at += piece)
      came.write(std::string_view(bytes).substr(at, piece));
    return came.finish(plugin);
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(data_ / "exports"))
      names.push_back(entry.path().filename().string());
    return names;
  }

  const fs::path data_;
  ExportFolder folder_{data_.string()};
};

TEST_F(ReceivedExportTest, ListsAnUploadUnderADescriptiveName) {
  const ExportItem item = upload(written("1.2.0+build"), "notes");
  EXPECT_TRUE(item.name.starts_with("notes-1.2.0_build-20231114T221320Z-")) << item.name;
  ASSERT_EQ(folder_.list().size(), 1u);
  EXPECT_EQ(folder_.list().front().name, item.name);
  ASSERT_TRUE(folder_.list().front().facts);
  EXPECT_EQ(files().size(), 1u);
  // The same again is not taken twice; another one of the same time has its own name.
  EXPECT_EQ(code_of([&] { upload(written("1.2.0+build")); }), "plugins.export_exists");
  EXPECT_NE(upload(written("1.2.0+build", "true")).name, item.name);
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(ReceivedExportTest, EscapesPathsInAVersion) {
  const ExportItem item = upload(written("../../x y"));
  EXPECT_TRUE(item.name.starts_with("notes-.._.._x_y-")) << item.name;
  EXPECT_EQ(files(), std::vector<std::string>{item.name});
}

TEST_F(ReceivedExportTest, RemovesARefusedUpload) {
  const std::string whole = written("1.0.0");
  std::string changed = whole;
  changed[whole.find("null")] = 'N';
  const auto message_of = [&](const std::string& bytes) {
    try {
      upload(bytes);
    } catch (const Refusal& refusal) {
      return std::string(refusal.what());
    }
    return std::string();
  };
  EXPECT_EQ(code_of([&] { upload(whole.substr(0, whole.size() - 1)); }), "plugins.export_damaged");
  EXPECT_EQ(code_of([&] { upload(""); }), "plugins.export_damaged");
  EXPECT_EQ(code_of([&] { upload(whole + "x"); }), "plugins.export_invalid");
  EXPECT_EQ(code_of([&] { upload(std::string(5000, 'x')); }), "plugins.export_invalid");
  EXPECT_NE(code_of([&] { upload(changed); }), "");
  EXPECT_EQ(code_of([&] { upload(whole, "tasks"); }), "plugins.export_plugin_mismatch");
  // The message names no file on the server.
  EXPECT_TRUE(message_of(whole.substr(0, 600)).starts_with("the export: "))
      << message_of(whole.substr(0, 600));
  { ReceivedExport left(folder_, 0); }
  EXPECT_EQ(files(), std::vector<std::string>{});
}

TEST_F(ReceivedExportTest, RefusesTooManyAndTooLargeUploads) {
  auto first = std::make_unique<ReceivedExport>(folder_, 1);
  const ReceivedExport second(folder_, 1);
  static_assert(ExportLimits::received == 2);
  EXPECT_EQ(code_of([&] { const ReceivedExport third(folder_, 1); }), "plugins.export_busy");
  // An upload that is running is no leftover.
  folder_.sweep({});
  EXPECT_EQ(files().size(), 2u);
  first.reset();
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(code_of([&] { const ReceivedExport third(folder_, std::uint64_t{1} << 60); }),
            "data.disk_full");
  EXPECT_EQ(files().size(), 1u);
}

}  // namespace

}  // namespace tenon::plugins::test
