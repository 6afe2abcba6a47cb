#pragma once

#include <tenon/search.h>

namespace tenon::plugins {

/// tenon.search/1: the records of TablesInterface, searched.
struct SearchInterface {
  static const tenon_search table;
};

}  // namespace tenon::plugins
