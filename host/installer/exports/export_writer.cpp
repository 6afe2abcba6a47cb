#include "installer/exports/export_writer.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include <fcntl.h>

#include "installer/exports/export_facts.hpp"
#include "installer/exports/export_refusal.hpp"
#include "installer/exports/tar_form.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

constexpr std::size_t buffered = 1024 * 1024;
constexpr std::array<char, 2 * tar_block> zero_block{};

}  // namespace

ExportWriter::ExportWriter(std::string path) : path_(std::move(path)) {
  file_ = base::UniqueFd(
      ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file_) fail_export_write(errno, path_);
}

ExportWriter::~ExportWriter() {
  if (!is_finished_) ::unlink(path_.c_str());
}

void ExportWriter::put(std::string_view bytes) {
  hash_.add(bytes);
  written_ += bytes.size();
  buffer_ += bytes;
  if (buffer_.size() >= buffered) flush();
}

void ExportWriter::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t written = ::write(file_.get(), left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_export_write(errno, path_);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void ExportWriter::begin(const std::string& name, std::uint64_t size) {
  const auto header = tar_header({name, size});
  put({header.data(), header.size()});
  name_ = name;
  size_ = left_ = size;
}

void ExportWriter::write(std::string_view piece) {
  if (piece.size() > left_) {
    throw Refusal(
        {"plugins.export_write_failed", "There was more to write than was said.", path_, name_},
        503);
  }
  left_ -= piece.size();
  put(piece);
}

void ExportWriter::end() {
  if (left_ != 0) {
    throw Refusal(
        {"plugins.export_write_failed", "There was less to write than was said.", path_, name_},
        503);
  }
  put({zero_block.data(), tar_padding(size_)});
}

void ExportWriter::add(const std::string& name, std::string_view content) {
  begin(name, content.size());
  write(content);
  end();
}

std::uint64_t ExportWriter::finish() {
  add(hash_entry, hash_.hex() + "\n");
  put({zero_block.data(), zero_block.size()});
  flush();
  if (::fsync(file_.get()) != 0) fail_export_write(errno, path_);
  const std::string above = std::filesystem::path(path_).parent_path().string();
  const base::UniqueFd folder(::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::fsync(folder.get()) != 0) fail_export_write(errno, above);
  is_finished_ = true;
  return written_;
}

}  // namespace tenon::plugins
