#pragma once

#include <string>

namespace tenon::app {

struct Arguments;

/// The functions of the commands. Those of several commands ask action_of() which one runs. Each
/// returns the exit code, and throws UsageError for a wrong command line and base::Error for a
/// refusal.
int serve(const Arguments& given);
int doctor(const Arguments& given);
int version(const Arguments& given);
int help(const Arguments& given);
int completion(const Arguments& given);

int user(const Arguments& given);
int hosts(const Arguments& given);

int plugin(const Arguments& given);
int plugin_path(const Arguments& given);
int plan_plugin(const Arguments& given);
int install_plugin(const Arguments& given);
int rollback_plugin(const Arguments& given);
int remove_plugin(const Arguments& given);
int list_exports(const Arguments& given);
int delete_export(const Arguments& given);
int plugin_settings(const Arguments& given);

int list_keys(const Arguments& given);
int trust_key(const Arguments& given);
int revoke_key(const Arguments& given);
int forget_key(const Arguments& given);
int build_registry_index(const Arguments& given);
int verify_registry(const Arguments& given);
int list_registry(const Arguments& given);

int dev(const Arguments& given);
int new_plugin(const Arguments& given);
int update_plugin(const Arguments& given);
int build_plugin(const Arguments& given);
int test_plugin(const Arguments& given);
int check_plugin(const Arguments& given);
int make_signing_key(const Arguments& given);
int pack_plugin(const Arguments& given);
int sign_package_file(const Arguments& given);
int verify_package_file(const Arguments& given);
int openapi(const Arguments& given);

int copy_data(const Arguments& given);

/// Returns the last word of the command's name: "enable" for "plugin enable".
std::string action_of(const Arguments& given);

}  // namespace tenon::app
