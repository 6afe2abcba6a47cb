#include "app/dev/child_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.hpp"

namespace tenon::app {

namespace {

struct Pipe {
  base::UniqueFd read;
  base::UniqueFd write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw base::Error(500, "dev.not_started", std::string("pipe: ") + std::strerror(errno));
  return {base::UniqueFd(ends[0]), base::UniqueFd(ends[1])};
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& more) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!more.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : more)
    all.push_back(name + "=" + value);
  return all;
}

}  // namespace

ChildProcess::ChildProcess(const ToolCommand& command, Options options) {
  Pipe input;
  Pipe output;
  Pipe failure = make_pipe();
  if (options.pipes_input) input = make_pipe();
  if (options.pipes_output) output = make_pipe();
  std::vector<std::string> words = command.words;
  std::vector<std::string> environment = environment_with(command.environment);
  const std::vector<char*> arguments = pointers_to(words);
  const std::vector<char*> variables = pointers_to(environment);
  const pid_t parent = ::getpid();
  process_ = ::fork();
  if (process_ < 0)
    throw base::Error(500, "dev.not_started", std::string("fork: ") + std::strerror(errno));
  if (process_ == 0) {
    // Only functions that are safe after fork().
    if (options.has_own_group) ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    // An ignored signal stays ignored in the program that is executed.
    ::signal(SIGPIPE, SIG_DFL);
    if (::getppid() != parent) ::_exit(1);
    const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(options.pipes_input ? input.read.get() : null, STDIN_FILENO);
    if (options.pipes_output) ::dup2(output.write.get(), STDOUT_FILENO);
    if (options.merges_errors) ::dup2(STDOUT_FILENO, STDERR_FILENO);
    if (command.folder.empty() || ::chdir(command.folder.c_str()) == 0)
      ::execvpe(arguments[0], arguments.data(), variables.data());
    const int code = errno;
    [[maybe_unused]] const ssize_t sent = ::write(failure.write.get(), &code, sizeof code);
    ::_exit(127);
  }
  signalled_ = options.has_own_group ? -process_ : process_;
  failure.write.reset();
  int code = 0;
  if (::read(failure.read.get(), &code, sizeof code) == sizeof code) {
    is_ended(0);
    throw base::Error(500, "dev.not_started",
                      command.words[0] + " cannot be run: " + std::strerror(code) + ".");
  }
  input_ = std::move(input.write);
  output_ = std::move(output.read);
}

ChildProcess::~ChildProcess() {
  stop();
}

std::optional<std::string> ChildProcess::read_line() {
  std::array<char, 4096> piece{};
  for (;;) {
    if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    const ssize_t size = ::read(output_.get(), piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return std::nullopt;
    buffer_.append(piece.data(), static_cast<std::size_t>(size));
  }
}

void ChildProcess::write(std::string_view text) const {
  [[maybe_unused]] const ssize_t size = ::write(input_.get(), text.data(), text.size());
}

bool ChildProcess::is_ended(int options) {
  if (code_) return true;
  int status = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(process_, &status, options);
  } while (ended < 0 && errno == EINTR);
  if (ended == 0) return false;
  code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return true;
}

int ChildProcess::wait() {
  is_ended(0);
  return *code_;
}

void ChildProcess::stop(std::chrono::milliseconds timeout) {
  if (is_ended(WNOHANG)) return;
  ::kill(signalled_, SIGTERM);
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (!is_ended(WNOHANG)) {
    if (std::chrono::steady_clock::now() >= end) {
      ::kill(signalled_, SIGKILL);
      is_ended(0);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

int run_command_line(const ToolCommand& command) {
  return ChildProcess(command, {}).wait();
}

int run_command_line(const ToolCommand& command, std::string& output, std::FILE* echo) {
  ChildProcess process(command, {.pipes_output = true, .merges_errors = true});
  while (const auto line = process.read_line()) {
    std::fprintf(echo, "%s\n", line->c_str());
    output.append(*line).append("\n");
  }
  return process.wait();
}

}  // namespace tenon::app
