#include "config/load.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tenon::config {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class Load : public testing::Test {
 protected:
  Load() {
    fs::create_directories(data_);
    sources_.arguments = {"--data", data_};
    sources_.program_directory = "/opt/tenon/bin";
    // A stranger's variable, and one that is not set.
    sources_.environment = {{"PATH", "/bin"}, {"TENON_NAME", ""}};
  }
  ~Load() override { fs::remove_all(data_); }

  void file(const std::string& text) { std::ofstream(data_ + "/tenon.conf") << text; }
  void flag(const std::string& name, const std::string& value) {
    sources_.arguments.push_back(name);
    sources_.arguments.push_back(value);
  }
  void variable(const std::string& name, const std::string& value) {
    sources_.environment.emplace_back(name, value);
  }

  /// Message of the refusal after its code; empty when nothing is refused.
  std::string refusal() {
    try {
      load(sources_);
    } catch (const base::Error& error) {
      return error.code() + ": " + error.message();
    }
    return "";
  }

  std::string data_ = fs::path(testing::TempDir()) / ("tenon-config-" + std::to_string(::getpid()));
  Sources sources_;
};

}  // namespace

TEST_F(Load, DefaultsAreValid) {
  const Settings settings = load(sources_);
  EXPECT_EQ(settings.data, data_);
  EXPECT_EQ(settings.name, "Tenon");
  EXPECT_EQ(settings.listen_host, "127.0.0.1");
  EXPECT_EQ(settings.listen_port, 8080);
  EXPECT_EQ(settings.plugins, std::vector<std::string>{"/opt/tenon/lib/tenon/plugins"});
  EXPECT_EQ(settings.ui, "/opt/tenon/share/tenon/ui");
  EXPECT_EQ(settings.http.json_body, 1024U * 1024);
  EXPECT_EQ(settings.session.idle, 7 * 24h);
  EXPECT_TRUE(settings.http.trusted_proxies.empty());
}

TEST_F(Load, FlagsBeatEnvironmentBeatsFileBeatsDefaults) {
  file("http.fields = 50\nhttp.queue = 50\nlog.level = error\n");
  variable("TENON_HTTP_QUEUE", "60");
  variable("TENON_LOG_LEVEL", "warning");
  flag("--log-level", "debug");
  const Settings settings = load(sources_);
  EXPECT_EQ(settings.http.fields, 50U);
  EXPECT_EQ(settings.http.queue, 60U);
  EXPECT_EQ(settings.log.level, LogLevel::debug);
  EXPECT_EQ(settings.http.share_queue, 256U);
}

TEST_F(Load, KeyAndItsSubkeysAreDifferentKeys) {
  file("log = json\nlog.level = debug\n");
  const Settings settings = load(sources_);
  EXPECT_EQ(settings.log.format, LogFormat::json);
  EXPECT_EQ(settings.log.level, LogLevel::debug);
}

TEST_F(Load, ReadsTheFileNamedByTheEnvironment) {
  file("name = From file\n");
  sources_.arguments.clear();
  variable("TENON_DATA", data_);
  EXPECT_EQ(load(sources_).name, "From file");
}

TEST_F(Load, FileMayHaveCommentsAndContinuedLines) {
  file("# comment\n! comment\n\n  http.trusted_proxies = 10.0.0.0/8,\\\n ::1  \nname = A ${b} C\n");
  const Settings settings = load(sources_);
  EXPECT_EQ(settings.http.trusted_proxies, (std::vector<std::string>{"10.0.0.0/8", "::1"}));
  EXPECT_EQ(settings.name, "A ${b} C");
}

TEST_F(Load, RelativePathsStartWhereTheyAreWritten) {
  file("plugins = extra, /usr/lib/plugins/\nui = ../ui\n");
  Settings settings = load(sources_);
  EXPECT_EQ(settings.plugins, (std::vector<std::string>{data_ + "/extra", "/usr/lib/plugins"}));
  EXPECT_EQ(settings.ui, fs::path(data_).parent_path().string() + "/ui");
  flag("--plugins", "one");
  flag("--plugins", "two,three");
  settings = load(sources_);
  const std::string here = fs::current_path().string();
  EXPECT_EQ(settings.plugins,
            (std::vector<std::string>{here + "/one", here + "/two", here + "/three"}));
}

TEST_F(Load, TheUrlOfADatabaseIsNeverShown) {
  EXPECT_EQ(load(sources_).database, "");
  for (const char* wrong : {"mysql://ada:secret@db/tenon", "postgresql://ada:secret@db/te non",
                            "postgresql://ada:se/secret@db/x", "postgresql://ada:a@secret@db/x",
                            "postgresql://ada:a?secret@db/x", "secret", "postgresql:/secret"}) {
    sources_.environment = {{"TENON_DATABASE", wrong}};
    const std::string said = refusal();
    EXPECT_TRUE(
        said.starts_with("config.invalid: The value of \"database\" in the environment "
                         "variable TENON_DATABASE is not valid;"))
        << said;
    EXPECT_EQ(said.find("secret"), std::string::npos) << said;
  }
  sources_.environment.clear();
  file("database = postgresql://ada:se%20cret@db/tenon?sslmode=require\n");
  EXPECT_EQ(load(sources_).database, "postgresql://ada:se%20cret@db/tenon?sslmode=require");
  flag("--database", "postgres://db/other");
  EXPECT_EQ(load(sources_).database, "postgres://db/other");
}

TEST_F(Load, FlagsTakeTheirValueBothWays) {
  sources_.arguments.emplace_back("--listen=[::1]:0");
  flag("--name", "--dashes--");
  const Settings settings = load(sources_);
  EXPECT_EQ(settings.listen_host, "::1");
  EXPECT_EQ(settings.listen_port, 0);
  EXPECT_EQ(settings.name, "--dashes--");
}

TEST_F(Load, UnknownKeysAreNamedWithTheNearest) {
  file("htpp.head = 1KiB\nsomething.else.entirely = 1\n");
  variable("TENON_LISTNE", "x");
  EXPECT_EQ(refusal(),
            "config.invalid: Unknown environment variable \"TENON_LISTNE\"; did you mean "
            "\"TENON_LISTEN\"?\n"
            "Unknown key \"htpp.head\" in " +
                data_ +
                "/tenon.conf; did you mean \"http.head\"?\n"
                "Unknown key \"something.else.entirely\" in " +
                data_ + "/tenon.conf; tenon serve --help lists all");
}

TEST_F(Load, WrongFlagsAreUsageErrors) {
  flag("--lissten", "127.0.0.1:0");
  EXPECT_EQ(refusal(), "config.usage: Unknown option \"--lissten\"; did you mean \"--listen\"?");
  sources_.arguments = {"--data", data_, "stray"};
  EXPECT_EQ(refusal(), "config.usage: \"stray\" is not expected here; options begin with --.");
  sources_.arguments = {"--data", data_, "--listen"};
  EXPECT_EQ(refusal(), "config.usage: The option --listen needs a value: --listen HOST:PORT.");
  sources_.arguments = {"--data", data_, "--data", data_};
  EXPECT_EQ(refusal(), "config.usage: The option --data is given twice; keep one.");
  // No abbreviations: a key that is added later would make them ambiguous.
  sources_.arguments = {"--data", data_, "--http-js", "1"};
  EXPECT_TRUE(refusal().starts_with("config.usage: Unknown option \"--http-js\"")) << refusal();
}

TEST_F(Load, WrongValuesNameKeyLayerAndExpectation) {
  file("http.head = many\n");
  variable("TENON_SESSION_IDLE", "30");
  flag("--log", "xml");
  const std::string message = refusal();
  EXPECT_NE(message.find("The value \"xml\" of \"log\" in the option --log is not valid; expected "
                         "auto, text or json."),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("The value \"many\" of \"http.head\" in " + data_ +
                         "/tenon.conf is not valid; expected a size from 1KiB to 1MiB"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("The value \"30\" of \"session.idle\" in the environment variable "
                         "TENON_SESSION_IDLE is not valid; expected a duration"),
            std::string::npos)
      << message;
}

TEST_F(Load, AcceptsFormerNamesEverywhere) {
  file("http.hold = 3s\n");
  variable("TENON_BLOBS_BLOB", "8KiB");
  flag("--plugins-undo", "1h");
  const Settings settings = load(sources_);
  EXPECT_EQ(settings.http.hold, 3s);
  EXPECT_EQ(settings.blobs.blob, 8U * 1024);
  EXPECT_EQ(settings.plugin_undo, 1h);
}

TEST_F(Load, CurrentNamesBeatFormerNamesOfWeakerSources) {
  file("http.hold = 3s\n");
  variable("TENON_HTTP_UPGRADE_HOLD_TIMEOUT", "4s");
  EXPECT_EQ(load(sources_).http.hold, 4s);
  flag("--http-hold", "5s");
  EXPECT_EQ(load(sources_).http.hold, 5s);
}

TEST_F(Load, RefusesBothNamesInOneSource) {
  file("http.hold = 3s\nhttp.upgrade_hold_timeout = 4s\n");
  variable("TENON_BLOBS_BLOB", "8KiB");
  variable("TENON_BLOBS_MAX_SIZE", "9KiB");
  const std::string message = refusal();
  EXPECT_NE(message.find("The keys \"http.upgrade_hold_timeout\" and \"http.hold\" in"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("The environment variables TENON_BLOBS_MAX_SIZE and TENON_BLOBS_BLOB are "
                         "both set; keep one."),
            std::string::npos)
      << message;
  flag("--plugins-undo", "1h");
  flag("--plugins-rollback-retention", "2h");
  EXPECT_EQ(refusal(),
            "config.usage: The option --plugins-rollback-retention is given twice; keep one.");
}

TEST_F(Load, ReadsHostNamesInLowerCase) {
  file("http.hosts = App.Example.com, tenon_1\n");
  EXPECT_EQ(load(sources_).http.hosts, (std::vector<std::string>{"app.example.com", "tenon_1"}));
  flag("--http-hosts", "*");
  EXPECT_EQ(load(sources_).http.hosts, std::vector<std::string>{"*"});
  for (const char* wrong :
       {"app.example.com:80", "10.0.0.1", "[::1]", "a..b", ".a", "a.", "a/b", "*.example.com"}) {
    sources_.arguments.back() = wrong;
    EXPECT_NE(refusal().find("expected host names without a port"), std::string::npos) << wrong;
  }
}

TEST_F(Load, OnlyTheValueThatCountsIsValidated) {
  file("http.head = many\n");
  flag("--http-head", "2KiB");
  EXPECT_EQ(load(sources_).http.head, 2048U);
}

TEST_F(Load, FileMustNotSetDataOrRepeatKeys) {
  file("data = /elsewhere\nname = a\nname = b\n = x\n");
  const std::string message = refusal();
  EXPECT_NE(message.find("The key \"data\" is not allowed in"), std::string::npos) << message;
  EXPECT_NE(message.find("The key \"name\" is given twice in"), std::string::npos) << message;
  EXPECT_NE(message.find("Unknown key \"\" in"), std::string::npos) << message;
}

TEST_F(Load, RefusesAFileThatIsNone) {
  fs::create_directory(data_ + "/tenon.conf");
  EXPECT_NE(refusal().find("tenon.conf cannot be read"), std::string::npos);
  fs::remove(data_ + "/tenon.conf");
  file(std::string(1024 * 1024 + 1, '#'));
  EXPECT_NE(refusal().find("is larger than 1MiB"), std::string::npos);
}

TEST_F(Load, ProcessSourcesAreThoseOfThisProcess) {
  ::setenv("TENON_NAME", "From the environment", 1);
  const Sources sources = process_sources({"--data", data_});
  ::unsetenv("TENON_NAME");
  EXPECT_EQ(load(sources).name, "From the environment");
  EXPECT_TRUE(fs::exists(sources.program_directory + "/config_test"));
}

}  // namespace tenon::config
