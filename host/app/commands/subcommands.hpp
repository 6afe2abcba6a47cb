#pragma once

#include <string>
#include <vector>

namespace tenon::app {

/// One function a subcommand: takes what follows its name, returns the exit code. They throw
/// UsageError for a wrong command line and base::Error for a refusal.
int serve(const std::vector<std::string>& arguments);
int dev(const std::vector<std::string>& arguments);
int user(const std::vector<std::string>& arguments);
int hosts(const std::vector<std::string>& arguments);
int plugin(const std::vector<std::string>& arguments);
int registry_command(const std::vector<std::string>& arguments);
int openapi(const std::vector<std::string>& arguments);
int data_command(const std::vector<std::string>& arguments);
int doctor(const std::vector<std::string>& arguments);
int version(const std::vector<std::string>& arguments);

}  // namespace tenon::app
