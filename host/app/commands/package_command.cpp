#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sodium.h>
#include <unistd.h>

#include "app/commands/arguments.hpp"
#include "app/commands/command_line.hpp"
#include "app/commands/signing_key.hpp"
#include "app/commands/subcommands.hpp"
#include "app/dev/new_plugin.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "packages/archive/archive.hpp"
#include "packages/archive/file_access.hpp"
#include "packages/archive/lint.hpp"
#include "packages/archive/pack.hpp"
#include "packages/archive/quality.hpp"
#include "packages/signature/keys.hpp"

namespace tenon::app {

namespace {

namespace fs = std::filesystem;
using base::JsonWriter;

void print_line(const std::string& json) {
  std::printf("%s\n", json.c_str());
}

// Returns a path next to the folder, also if that is given as "." or with a slash at its end.
std::string default_output(const std::string& folder, const plugins::Manifest& manifest) {
  fs::path path = fs::absolute(folder).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return (path.parent_path() / (manifest.id + "-" + manifest.version_text + ".tenon")).string();
}

// Throws base::Error with all that is wrong; returns what is only worth a warning.
std::vector<plugins::LintFinding> look_at(const plugins::Archive& archive,
                                          const plugins::Contents& contents,
                                          const plugins::Manifest& manifest) {
  plugins::LintReport report = plugins::lint_package(archive, contents, manifest);
  if (report.errors.empty()) return std::move(report.warnings);
  std::vector<base::FieldError> fields;
  for (const plugins::LintFinding& found : report.errors)
    fields.push_back({found.file, found.code, found.message});
  throw base::Error(422, "plugins.lint_failed",
                    archive.file() + ": this would not work in a host or a browser.",
                    std::move(fields));
}

void print_warnings(const std::vector<plugins::LintFinding>& warnings) {
  for (const plugins::LintFinding& found : warnings)
    std::printf("  warning: %s: %s\n", found.file.c_str(), found.message.c_str());
}

void write_findings(JsonWriter& json, const char* name,
                    const std::vector<plugins::LintFinding>& findings) {
  json.key(name).begin_array();
  for (const plugins::LintFinding& found : findings) {
    json.begin_object()
        .member("code", found.code)
        .member("file", found.file)
        .member("message", found.message)
        .end_object();
  }
  json.end_array();
}

void print_findings(const char* kind, const std::vector<plugins::LintFinding>& findings) {
  for (const plugins::LintFinding& found : findings)
    std::printf("%s %s\n  %s: %s\n", kind, found.code.c_str(), found.file.c_str(),
                found.message.c_str());
}

struct CheckedPackage {
  plugins::LintReport report;
  plugins::Quality quality;
};

// A folder is checked as the package that it would become. An error that hides the rest, such as a
// plugin.json that cannot be read, is the only finding.
CheckedPackage check(const std::string& path) {
  CheckedPackage checked;
  try {
    const bool is_folder = fs::is_directory(path);
    const plugins::Archive archive = is_folder
                                         ? plugins::Archive(plugins::pack_folder(path).bytes, path)
                                         : plugins::Archive::read(path);
    const plugins::Contents contents = plugins::Contents::unchecked(archive);
    contents.verify();
    const plugins::Manifest manifest = plugins::manifest_of(contents, path);
    checked.report = plugins::lint_package(archive, contents, manifest);
    checked.quality = plugins::grade_package(archive, contents, manifest, checked.report);
  } catch (const base::Error& error) {
    if (error.fields().size() < 2)
      checked.report.errors.push_back({error.code(), path, error.message()});
    for (const base::FieldError& field : error.fields()) {
      if (error.fields().size() > 1)
        checked.report.errors.push_back({error.code(), path, field.field + ": " + field.message});
    }
  }
  return checked;
}

void write_quality(JsonWriter& json, const plugins::Quality& quality) {
  json.member("grade", plugins::to_string(quality.grade)).key("rules").begin_array();
  for (const plugins::QualityRule& rule : quality.rules) {
    json.begin_object()
        .member("id", rule.id)
        .member("grade", plugins::to_string(rule.grade))
        .member("satisfied", rule.is_satisfied)
        .member("message", rule.message)
        .end_object();
  }
  json.end_array();
}

// The grade, and what the next one needs.
void print_quality(const plugins::Quality& quality) {
  std::printf("grade: %s\n", std::string(plugins::to_string(quality.grade)).c_str());
  for (const plugins::QualityRule& rule : quality.rules) {
    if (rule.is_satisfied || static_cast<int>(rule.grade) != static_cast<int>(quality.grade) + 1)
      continue;
    std::printf("  for %s: %s (%s)\n", std::string(plugins::to_string(rule.grade)).c_str(),
                rule.message.c_str(), rule.id.c_str());
  }
}

plugins::Contents checked_contents(const plugins::Archive& archive, const std::string& key_file) {
  if (!key_file.empty()) return {archive, read_checking_key(key_file)};
  plugins::require_signature(archive);
  return plugins::Contents::unchecked(archive);
}

// For what uses keys.
void prepare_sodium() {
  if (sodium_init() < 0) throw std::runtime_error("the system gives no random numbers");
}

}  // namespace

int make_signing_key(const Arguments& given) {
  prepare_sodium();
  const std::string secret_file = given.operands[0] + ".key";
  const std::string public_file = given.operands[0] + ".pub";
  const bool has_password = given.has("--password-stdin");
  if (has_password == given.has("--no-password"))
    throw UsageError("needs either --password-stdin or --no-password");
  for (const std::string& file : {secret_file, public_file}) {
    std::error_code failure;
    if (fs::exists(fs::symlink_status(file, failure))) {
      throw base::Error(409, "plugins.signature_key_exists",
                        file +
                            ": there is a key of this name; it is never overwritten. Choose "
                            "another name.");
    }
  }
  Secret password;
  if (has_password) read_password(password);
  const plugins::SecretKey key = plugins::make_key();
  const plugins::PublicKey half = key.public_key();
  Secret text;
  text.text = plugins::write_secret_key(key, password.text);
  plugins::create_file(secret_file, text.text, 0600);
  try {
    plugins::create_file(public_file, half.to_text(), 0644);
  } catch (...) {
    ::unlink(secret_file.c_str());
    throw;
  }
  if (given.has("--json")) {
    std::string json;
    JsonWriter(json)
        .begin_object()
        .member("key", half.id())
        .member("secret", secret_file)
        .member("public", public_file)
        .end_object();
    print_line(json);
    return exit_done;
  }
  std::printf("key %s\n  %s signs packages: keep it secret%s\n  %s checks them: give it away\n",
              half.id().c_str(), secret_file.c_str(), has_password ? "" : "; it has no password",
              public_file.c_str());
  return exit_done;
}

int pack_plugin(const Arguments& given) {
  prepare_sodium();
  const plugins::PackedPlugin made = plugins::pack_folder(given.operands[0]);
  std::string output = given.value("--output");
  if (output.empty()) output = default_output(given.operands[0], made.manifest);
  const plugins::Archive archive(made.bytes, output);
  const auto warnings = look_at(archive, plugins::Contents::unchecked(archive), made.manifest);
  plugins::replace_file(output, made.bytes);
  if (given.has("--json")) {
    std::string text;
    JsonWriter json(text);
    json.begin_object()
        .member("id", made.manifest.id)
        .member("version", made.manifest.version_text)
        .member("file", output)
        .member("files", archive.files().size())
        .member("packed", archive.packed_bytes())
        .member("unpacked", archive.unpacked_bytes());
    write_findings(json, "warnings", warnings);
    json.end_object();
    print_line(text);
    return exit_done;
  }
  std::printf("%s\n  %s %s, %zu files, %llu bytes of %llu; not signed yet\n", output.c_str(),
              made.manifest.id.c_str(), made.manifest.version_text.c_str(), archive.files().size(),
              static_cast<unsigned long long>(archive.packed_bytes()),
              static_cast<unsigned long long>(archive.unpacked_bytes()));
  print_warnings(warnings);
  return exit_done;
}

int check_plugin(const Arguments& given) {
  prepare_sodium();
  const CheckedPackage checked = check(given.operands[0]);
  const plugins::LintReport& report = checked.report;
  if (given.has("--json")) {
    std::string text;
    JsonWriter json(text);
    json.begin_object();
    write_findings(json, "errors", report.errors);
    write_findings(json, "warnings", report.warnings);
    write_quality(json, checked.quality);
    json.end_object();
    print_line(text);
  } else {
    print_findings("error", report.errors);
    print_findings("warning", report.warnings);
    std::printf("%zu errors, %zu warnings\n", report.errors.size(), report.warnings.size());
    print_quality(checked.quality);
  }
  return report.errors.empty() ? exit_done : exit_refused;
}

int sign_package_file(const Arguments& given) {
  prepare_sodium();
  require_signing_key(given);
  const std::string& file = given.operands[0];
  const plugins::Archive archive = plugins::Archive::read(file);
  const plugins::SecretKey key = read_signing_key(given);
  plugins::replace_file(file, plugins::sign_package(archive, key));
  const std::string id = key.public_key().id();
  if (given.has("--json")) {
    std::string json;
    JsonWriter(json).begin_object().member("file", file).member("key", id).end_object();
    print_line(json);
    return exit_done;
  }
  std::printf("%s\n  signed by the key %s%s\n", file.c_str(), id.c_str(),
              archive.signature() ? ", which replaces an earlier signature" : "");
  return exit_done;
}

int verify_package_file(const Arguments& given) {
  prepare_sodium();
  const plugins::Archive archive = plugins::Archive::read(given.operands[0]);
  const std::string key_file = given.value("--key");
  const plugins::Contents contents = checked_contents(archive, key_file);
  contents.verify();
  const plugins::Manifest manifest = plugins::manifest_of(contents, archive.file());
  const auto warnings = look_at(archive, contents, manifest);
  const bool is_checked = !key_file.empty();
  const std::string signer = archive.signature()->key_id();
  if (given.has("--json")) {
    std::string text;
    JsonWriter json(text);
    json.begin_object()
        .member("id", manifest.id)
        .member("version", manifest.version_text)
        .member("key", signer)
        .member("checked", is_checked)
        .member("comment", archive.signature()->trusted_comment)
        .member("files", archive.files().size())
        .member("packed", archive.packed_bytes())
        .member("unpacked", archive.unpacked_bytes());
    write_findings(json, "warnings", warnings);
    json.end_object();
    print_line(text);
    return exit_done;
  }
  std::printf("%s %s\n  %zu files, %llu bytes of %llu, all as FILES says\n", manifest.id.c_str(),
              manifest.version_text.c_str(), archive.files().size(),
              static_cast<unsigned long long>(archive.packed_bytes()),
              static_cast<unsigned long long>(archive.unpacked_bytes()));
  if (is_checked) {
    std::printf("  signed by the key %s: %s\n", signer.c_str(),
                archive.signature()->trusted_comment.c_str());
  } else {
    std::printf(
        "  says that the key %s signed it; the signature was checked against no key, give one with "
        "--key FILE\n",
        signer.c_str());
  }
  print_warnings(warnings);
  return exit_done;
}

int new_plugin(const Arguments& given) {
  const PluginNames names = names_of_plugin(given.operands[0]);
  std::string folder = given.value("--output");
  if (folder.empty()) folder = names.id;
  while (folder.size() > 1 && folder.ends_with('/'))
    folder.pop_back();
  std::string from = given.value("--template");
  if (from.empty()) from = plugin_templates.front();
  if (std::find(plugin_templates.begin(), plugin_templates.end(), from) == plugin_templates.end())
    throw UsageError("there is no template \"" + from +
                     "\"; use minimal, table, page, full, job, c or rust");
  const NewPlugin made = write_new_plugin(names, from, sdk_folder(), folder);
  if (given.has("--json")) {
    std::string json;
    JsonWriter(json)
        .begin_object()
        .member("id", names.id)
        .member("folder", folder)
        .member("files", made.files)
        .member("template", from)
        .end_object();
    print_line(json);
    return exit_done;
  }
  std::printf("%s\n  the plugin %s, %zu files. Run it: cd %s && tenon dev\n", folder.c_str(),
              names.id.c_str(), made.files, folder.c_str());
  if (made.lacks_ui_packages) {
    std::printf(
        "  this SDK has no npm packages, so the pages in ui/ cannot be built: ./dev build makes "
        "them, or choose --template table\n");
  }
  return exit_done;
}

}  // namespace tenon::app
