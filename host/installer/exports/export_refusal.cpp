#include "installer/exports/export_refusal.hpp"

#include <cerrno>
#include <utility>

#include "packages/archive/file_access.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

void refuse_export_form(std::string message, const std::string& file, std::string location) {
  throw Refusal({"plugins.export_invalid", std::move(message), file, std::move(location)}, 422);
}

void refuse_export_damage(std::string message, const std::string& file, std::string location) {
  throw Refusal({"plugins.export_damaged", std::move(message), file, std::move(location)}, 422);
}

void refuse_export_size(std::string message, const std::string& file, std::string location) {
  throw Refusal({"plugins.export_too_large", std::move(message), file, std::move(location)}, 422);
}

void fail_export_write(int error, const std::string& file) {
  const bool is_full = error == ENOSPC || error == EDQUOT;
  throw Refusal({"plugins.export_write_failed",
                 "It cannot be written: " + system_words(error) + "." +
                     (is_full ? " Free disk space in the data directory." : ""),
                 file,
                 {}},
                is_full ? 507 : 503);
}

}  // namespace tenon::plugins
