#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "packages/archive/zip_form.hpp"

namespace tenon::plugins {

/// Content as an archive stores it.
struct DeflatedContent {
  ZipMethod method;
  std::string bytes;
};

/// `content`, at most 512 MiB, deflated by zlib at level 9 or, where that is not smaller, as it is.
DeflatedContent deflate_content(std::string_view content);

/// Hands the content of an entry to `sink` in pieces of at most 64 KiB, never more than entry.size
/// bytes. Why the entry is not what its header says; empty where it is: exactly this size and CRC,
/// and nothing after the end of the deflated data. Pieces handed on before are wrong then, too.
std::string inflate_entry(const ZipEntry& entry, const std::function<void(std::string_view)>& sink);

}  // namespace tenon::plugins
