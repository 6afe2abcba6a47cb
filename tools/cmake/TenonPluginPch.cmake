# tenon_plugin_pch(target): with TENON_UNITY set, a plugin of this tree shares a precompiled header of the SDK with the others.
function(tenon_plugin_pch target)
  if(NOT TENON_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(c_sources ${sources})
  list(FILTER c_sources INCLUDE REGEX "\\.c$")
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  if(sources)
    set_source_files_properties(${c_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    target_precompile_headers(${target} REUSE_FROM tenon_sdk_pch)
  endif()
endfunction()

if(TENON_UNITY)
  # Not plugin.hpp itself but what it includes: it names macros of each plugin, and g++ refuses a header that knows them.
  file(STRINGS "${CMAKE_CURRENT_SOURCE_DIR}/cpp/tenon/plugin.hpp" includes REGEX "^#include <")
  list(TRANSFORM includes REPLACE "#include " "")
  add_library(tenon_sdk_pch OBJECT EXCLUDE_FROM_ALL "${TENON_PCH_SOURCE}")
  tenon_plugin_flags(tenon_sdk_pch)
  target_link_libraries(tenon_sdk_pch PRIVATE Tenon::sdk tenon_flags)
  target_precompile_headers(tenon_sdk_pch PRIVATE ${TENON_PCH_HEADERS} ${includes} <tenon/tables.hpp>)
  # The other precompiled headers have headers of the system only, which do not change.
  set_target_properties(tenon_sdk_pch PROPERTIES
    CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/tools/cmake/compile_pch.sh;${CMAKE_CXX_COMPILER_LAUNCHER}")
endif()
