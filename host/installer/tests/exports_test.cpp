#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "blobs/sha256.hpp"
#include "installer/exports/export_facts.hpp"
#include "installer/exports/export_folder.hpp"
#include "installer/exports/export_reader.hpp"
#include "installer/exports/export_writer.hpp"
#include "installer/exports/limits.hpp"
#include "installer/exports/tar_form.hpp"
#include "packages/tests/refused.hpp"

namespace tenon::plugins::test {

namespace {

namespace fs = std::filesystem;

std::string hash_of_text(std::string_view text) {
  blobs::Sha256 hash;
  hash.add(text);
  return hash.hex();
}

ExportFacts facts_of(std::uint64_t data_bytes) {
  ExportFacts facts;
  facts.plugin = "notes";
  facts.version = "1.2.0+build";
  facts.taken_ms = 1'700'000'000'123;
  facts.data_version = "1.2.0";
  facts.migration = 7;
  facts.data_bytes = data_bytes;
  facts.tables = {{"notes", 3}, {"labels", 0}};
  facts.files = 2;
  facts.file_bytes = 9;
  return facts;
}

// The parts of an export as read.
class Parts final : public ExportParts {
 public:
  void facts(const ExportFacts& facts) override { facts_ = facts; }
  void setting(const ExportedSetting& setting) override {
    received_ += setting.key + "=" + setting.json + " ";
  }
  void begin_data(std::uint64_t bytes) override {
    received_ += "data " + std::to_string(bytes) + " ";
  }
  void data(std::string_view piece) override { received_ += piece; }
  void end_data() override { received_ += " "; }
  void begin_blob(const std::string& id, std::uint64_t) override {
    received_ += id.substr(0, 4) + ":";
  }
  void blob(std::string_view piece) override { received_ += piece; }
  void end_blob(const std::string&) override { received_ += " "; }
  void claims(const std::vector<blobs::Blobs::Claim>& claims) override {
    for (const auto& claim : claims)
      received_ += claim.key + ">" + claim.blob.substr(0, 4) + " ";
  }

  ExportFacts facts_;
  std::string received_;
};

class ExportsTest : public ::testing::Test {
 protected:
  ExportsTest() : folder_(fs::temp_directory_path() / ("tenon-exports-" + base::new_id())) {
    fs::create_directory(folder_);
  }
  ~ExportsTest() override { fs::remove_all(folder_); }

  using Entries = std::vector<std::pair<std::string, std::string>>;

  std::string file(const std::string& name = "x.tar") const { return (folder_ / name).string(); }

  // An export of these entries, with the hash that is right for them.
  std::string write(const Entries& entries) {
    fs::remove(file());
    ExportWriter writer(file());
    for (const auto& [name, content] : entries)
      writer.add(name, content);
    writer.finish();
    return file();
  }
  // Writes the entries after facts that name no database.
  std::string write_after_facts(Entries entries) {
    entries.insert(entries.begin(), {facts_entry, facts_text(facts_of(0))});
    return write(entries);
  }
  std::string bytes() const {
    std::ifstream in(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  std::string put(const std::string& content) const {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << content;
    return file();
  }
  static std::string refused(const std::string& path) {
    return code_of([&] {
      Parts parts;
      read_export(path, parts);
    });
  }

  const fs::path folder_;
};

constexpr const char* invalid = "plugins.export_invalid";
constexpr const char* damaged = "plugins.export_damaged";
constexpr const char* too_large = "plugins.export_too_large";

TEST(TarFormTest, ReadsBackItsOwnHeadersOnly) {
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{513}, (std::uint64_t{1} << 33) - 1, std::uint64_t{1} << 33,
        ExportLimits::entry}) {
    const auto header = tar_header({"blobs/a", size});
    const std::string block(header.data(), header.size());
    const auto entry = read_tar_header(block);
    ASSERT_TRUE(entry) << size;
    EXPECT_EQ(entry->name, "blobs/a");
    EXPECT_EQ(entry->size, size);
    for (std::size_t at = 0; at < block.size(); ++at) {
      std::string other = block;
      other[at] = static_cast<char>(other[at] ^ 1);
      EXPECT_FALSE(read_tar_header(other)) << at;
    }
  }
  EXPECT_FALSE(read_tar_header(std::string(tar_block, '\0')));
  EXPECT_FALSE(read_tar_header("short"));
  const auto max_name = tar_header({std::string(max_tar_name, 'n'), 1});
  ASSERT_TRUE(read_tar_header({max_name.data(), max_name.size()}));
  EXPECT_EQ(read_tar_header({max_name.data(), max_name.size()})->name.size(), max_tar_name);
}

TEST_F(ExportsTest, ReadsBackWhatItWrites) {
  const std::string one = "content";
  const std::string other = "of files";
  Entries blobs{{blobs_folder + hash_of_text(one), one},
                {blobs_folder + hash_of_text(other), other}};
  if (blobs[1].first < blobs[0].first) std::swap(blobs[0], blobs[1]);
  const std::string id = hash_of_text(one);
  Entries entries{{facts_entry, facts_text(facts_of(5))},
                  {"settings/1.json", setting_text({"a.b", "{\"x\": \"<é\"}"})},
                  {"settings/2.json", setting_text({"c", "null"})},
                  {data_entry, "bytes"}};
  entries.insert(entries.end(), blobs.begin(), blobs.end());
  entries.emplace_back("claims/1.json", claims_text({{id, "k <\"ü"}}));
  entries.emplace_back("claims/2.json", claims_text({}));
  Parts parts;
  read_export(write(entries), parts);
  EXPECT_EQ(facts_text(parts.facts_), facts_text(facts_of(5)));
  const auto expected = [](const std::pair<std::string, std::string>& blob) {
    return blob.first.substr(6, 4) + ":" + blob.second + " ";
  };
  EXPECT_EQ(parts.received_, "a.b={\"x\": \"<é\"} c=null data 5 bytes " + expected(blobs[0]) +
                                 expected(blobs[1]) + "k <\"ü>" + id.substr(0, 4) + " ");
  ExportReader reader(file());
  EXPECT_EQ(read_facts(reader).version, "1.2.0+build");
  struct stat known {};
  ASSERT_EQ(::stat(file().c_str(), &known), 0);
  EXPECT_EQ(known.st_mode & 0777U, 0600U);
  EXPECT_EQ(known.st_size % static_cast<off_t>(tar_block), 0);
}

TEST_F(ExportsTest, RejectsEveryTruncation) {
  write({{facts_entry, facts_text(facts_of(5))}, {data_entry, "bytes"}});
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); size += size < 600 ? 1 : 61)
    EXPECT_EQ(refused(put(whole.substr(0, size))), damaged) << size;
}

TEST_F(ExportsTest, RejectsAnyChangedByte) {
  write({{facts_entry, facts_text(facts_of(5))}, {data_entry, "bytes"}});
  const std::string whole = bytes();
  for (std::size_t at = 0; at < whole.size(); at += at < 2 * tar_block ? 3 : 11) {
    std::string other = whole;
    other[at] = static_cast<char>(other[at] ^ 4);
    const std::string code = refused(put(other));
    EXPECT_TRUE(code == damaged || code == invalid || code == "plugins.export_format")
        << at << code;
  }
}

TEST_F(ExportsTest, RejectsBytesAfterItsEnd) {
  write_after_facts({});
  EXPECT_EQ(refused(file()), "");
  const std::string whole = bytes();
  EXPECT_EQ(refused(put(whole + '\0')), invalid);
  EXPECT_EQ(refused(put(whole + std::string(tar_block, '\0'))), invalid);
}

TEST_F(ExportsTest, RejectsForeignEntriesWhateverTheHash) {
  const std::string id = hash_of_text("x");
  const std::string later(64, 'f');
  const std::string claims = claims_text({});
  const std::string setting = setting_text({"a", "1"});
  const std::vector<Entries> hostile{
      {{"../escape", "x"}},
      {{"/etc/passwd", "x"}},
      {{"blobs/../" + id, "x"}},
      {{"blobs/" + id.substr(1), "x"}},
      {{"blobs/" + std::string(64, 'A'), "x"}},
      {{"blobs/" + id, "x"}, {"blobs/" + id, "x"}},
      {{"claims/1.json", claims}, {"blobs/" + id, "x"}},
      {{"claims/2.json", claims}},
      {{"claims/1.json", claims}, {"claims/1.json", claims}},
      {{"settings/2.json", setting}},
      {{"settings/01.json", setting}},
      {{"blobs/" + id, "x"}, {"settings/1.json", setting}},
      {{"settings/1.json", "[]"}},
      {{"settings/1.json", "{\"key\":\"a\"}"}},
      {{"settings/1.json", setting_text({"A key", "1"})}},
      {{"settings/1.json", setting_text({"a", "1,2]"})}},
      {{"settings/1.json", setting_text({"a", std::string(64 * 1024 + 1, '1')})}},
      {{"claims/1.json", "{\"claims\":[1]}"}},
      {{"claims/1.json", "{\"claims\":[{\"key\":\"k\",\"blob\":\"../../x\"}]}"}},
      {{"claims/1.json", claims_text({{id, std::string(201, 'k')}})}},
      {{"claims/1.json", "{\"claims\":{}}"}},
      {{data_entry, ""}},
      {{data_entry, "bytes"}},
      {{facts_entry, facts_text(facts_of(0))}},
      {{"more.txt", "x"}},
  };
  for (std::size_t i = 0; i < hostile.size(); ++i)
    EXPECT_EQ(refused(write_after_facts(hostile[i])), invalid) << i << " " << hostile[i][0].first;
  EXPECT_EQ(refused(write_after_facts({{"blobs/" + id, "y"}})), damaged);
  EXPECT_EQ(refused(write_after_facts({{"blobs/" + later, "x"}})), damaged);
  EXPECT_EQ(refused(write({{facts_entry, facts_text(facts_of(5))}})), invalid);
  EXPECT_EQ(refused(write({{facts_entry, facts_text(facts_of(5))}, {data_entry, "byte"}})),
            invalid);
  EXPECT_EQ(refused(write({{"blobs/" + id, "x"}})), invalid);
  EXPECT_EQ(refused(write({})), invalid);
}

TEST_F(ExportsTest, ReadsItsFactsStrictly) {
  const auto with = [this](const std::string& from, const std::string& to) {
    std::string text = facts_text(facts_of(0));
    text.replace(text.find(from), from.size(), to);
    return refused(write({{facts_entry, text}}));
  };
  EXPECT_EQ(with("\"format\":1", "\"format\":2"), "plugins.export_format");
  EXPECT_EQ(with("\"format\":1", "\"format\":\"1\""), invalid);
  EXPECT_EQ(with("\"notes\"", "\"../notes\""), invalid);
  EXPECT_EQ(with("\"plugin\"", "\"plugins\""), invalid);
  EXPECT_EQ(with("\"migration\":7", "\"migration\":-7"), invalid);
  EXPECT_EQ(with("\"migration\":7", "\"migration\":7.5"), invalid);
  EXPECT_EQ(with("\"files\":2", "\"files\":2,\"more\":1"), invalid);
  EXPECT_EQ(with("\"tables\":[", "\"tables\":[1,"), invalid);
  EXPECT_EQ(with("{", ""), invalid);
}

TEST_F(ExportsTest, EnforcesItsLimits) {
  Entries settings;
  for (std::size_t i = 1; i <= ExportLimits::settings; ++i)
    settings.emplace_back("settings/" + std::to_string(i) + ".json",
                          setting_text({"k" + std::to_string(i), "1"}));
  EXPECT_EQ(refused(write_after_facts(settings)), "");
  settings.emplace_back("settings/501.json", setting_text({"more", "1"}));
  EXPECT_EQ(refused(write_after_facts(settings)), too_large);

  const auto padded = [](std::string text, std::size_t size) {
    text.resize(size, ' ');
    return text;
  };
  const std::string setting = setting_text({"a", "1"});
  EXPECT_EQ(
      refused(write_after_facts({{"settings/1.json", padded(setting, ExportLimits::setting)}})),
      "");
  EXPECT_EQ(
      refused(write_after_facts({{"settings/1.json", padded(setting, ExportLimits::setting + 1)}})),
      too_large);
  const std::string facts = facts_text(facts_of(0));
  EXPECT_EQ(refused(write({{facts_entry, padded(facts, ExportLimits::facts)}})), "");
  EXPECT_EQ(refused(write({{facts_entry, padded(facts, ExportLimits::facts + 1)}})), too_large);

  std::vector<blobs::Blobs::Claim> claims(ExportLimits::claims,
                                          {hash_of_text("x"), std::string(200, 'k')});
  const std::string page = claims_text(claims);
  EXPECT_EQ(refused(write_after_facts({{"claims/1.json", padded(page, ExportLimits::page)}})), "");
  EXPECT_EQ(refused(write_after_facts({{"claims/1.json", padded(page, ExportLimits::page + 1)}})),
            too_large);
  claims.push_back(claims.front());
  EXPECT_EQ(refused(write_after_facts({{"claims/1.json", claims_text(claims)}})), too_large);

  // An entry of an impossible size, whose content is not read.
  write_after_facts({});
  const auto huge = tar_header({"blobs/" + hash_of_text("x"), ExportLimits::entry + 1});
  const std::string head = bytes().substr(0, 2 * tar_block);
  EXPECT_EQ(refused(put(head + std::string(huge.data(), huge.size()))), too_large);
}

TEST_F(ExportsTest, ReadsRegularFilesOnly) {
  EXPECT_EQ(refused(folder_.string()), invalid);
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(refused(file("pipe")), invalid);
  EXPECT_EQ(refused(file("nothing")), "plugins.export_unknown");
}

TEST_F(ExportsTest, RemovesAnUnfinishedExport) {
  {
    ExportWriter writer(file());
    writer.add(facts_entry, "x");
    EXPECT_TRUE(fs::exists(file()));
    EXPECT_EQ(code_of([&] { ExportWriter again(file()); }), "plugins.export_write_failed");
  }
  EXPECT_FALSE(fs::exists(file()));
  ExportWriter writer(file());
  writer.begin("a", 2);
  EXPECT_EQ(code_of([&] { writer.write("abc"); }), "plugins.export_write_failed");
  EXPECT_EQ(code_of([&] { writer.end(); }), "plugins.export_write_failed");
}

TEST_F(ExportsTest, ListsCompleteExportsOnly) {
  ExportFolder exports(folder_.string());
  EXPECT_TRUE(exports.list().empty());
  const std::string name = exports.new_name("notes", "1.2.0+build");
  EXPECT_TRUE(name.starts_with("notes-1.2.0_build-")) << name;
  EXPECT_NE(exports.new_name("notes", "1.2.0+build"), name);
  fs::rename(write_after_facts({}), exports.begun(name));
  EXPECT_TRUE(exports.list().empty());
  EXPECT_EQ(code_of([&] { exports.find(name); }), "plugins.export_unknown");
  EXPECT_EQ(code_of([&] { exports.find("." + name); }), "plugins.export_unknown");
  exports.sweep({name});
  exports.publish(name);
  exports.publish(name);
  ASSERT_EQ(exports.list().size(), 1U);
  EXPECT_EQ(exports.list()[0].name, name);
  EXPECT_EQ(exports.list()[0].facts->plugin, "notes");
  EXPECT_EQ(exports.one(name).bytes, fs::file_size(exports.find(name)));

  const fs::path folder = folder_ / "exports";
  std::ofstream(folder / "words.tar") << "no export";
  std::ofstream(folder / "notes.txt") << "none";
  std::ofstream(folder / ".begun.tar") << "half";
  fs::create_symlink("/etc/passwd", folder / "link.tar");
  EXPECT_EQ(code_of([&] { exports.find("link.tar"); }), "plugins.export_unknown");
  EXPECT_EQ(exports.one("words.tar").reason->code, damaged);
  exports.sweep({});
  EXPECT_FALSE(fs::exists(folder / ".begun.tar"));
  EXPECT_TRUE(fs::exists(folder / "words.tar"));
  for (const char* wrong : {"", ".", "..", "../x.tar", "a/b.tar", "x", "x.tar ", ".x.tar"})
    EXPECT_EQ(code_of([&] { exports.remove(wrong); }), "plugins.export_unknown") << wrong;
  EXPECT_EQ(code_of([&] { exports.find(std::string(197, 'x') + ".tar"); }),
            "plugins.export_unknown");
  exports.remove(name);
  EXPECT_EQ(code_of([&] { exports.remove(name); }), "plugins.export_unknown");
  EXPECT_EQ(code_of([&] { exports.publish(name); }), "plugins.export_missing");
}

}  // namespace

}  // namespace tenon::plugins::test
