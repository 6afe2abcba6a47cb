# Rooms of the host: one static library each. DEPENDS names rooms, so the links are the picture of docs/architecture.md.

# Headers that nearly every file of the host reaches; compiled once per build folder and reused by all rooms.
set(TENON_PCH_SOURCE "${CMAKE_CURRENT_BINARY_DIR}/tenon_pch.cpp")
file(CONFIGURE OUTPUT "${TENON_PCH_SOURCE}" CONTENT "// Carrier of the precompiled header.\n" @ONLY)
set(TENON_PCH_HEADERS
  <algorithm> <array> <atomic> <chrono> <condition_variable> <cstddef> <cstdint> <cstring> <deque> <functional>
  <map> <memory> <mutex> <optional> <span> <string> <string_view> <thread> <type_traits> <unordered_map> <utility>
  <variant> <vector>)
add_library(tenon_pch OBJECT "${TENON_PCH_SOURCE}")
target_precompile_headers(tenon_pch PRIVATE ${TENON_PCH_HEADERS})

# One set of definitions for every room, with Poco or without: g++ refuses the header under others.
add_library(tenon_room_flags INTERFACE)
target_link_libraries(tenon_room_flags INTERFACE tenon_flags)
target_compile_definitions(tenon_room_flags INTERFACE $<TARGET_PROPERTY:Poco::Foundation,INTERFACE_COMPILE_DEFINITIONS>)
target_link_libraries(tenon_pch PRIVATE tenon_room_flags Threads::Threads)

# Tests have GoogleTest in theirs, and flags of their own: what is compiled for one run need not be fast.
set(TENON_TEST_FLAGS "" CACHE STRING "Flags of the tests' own sources, after those of the build type")
add_library(tenon_test_flags INTERFACE)
target_link_libraries(tenon_test_flags INTERFACE tenon_room_flags GTest::gtest)
target_compile_options(tenon_test_flags INTERFACE ${TENON_TEST_FLAGS})
add_library(tenon_test_pch OBJECT EXCLUDE_FROM_ALL "${TENON_PCH_SOURCE}")
target_precompile_headers(tenon_test_pch PRIVATE ${TENON_PCH_HEADERS} <gtest/gtest.h>)
target_link_libraries(tenon_test_pch PRIVATE tenon_test_flags Threads::Threads)

# tenon_room(name SOURCES file... [DEPENDS room...] [PRIVATE_LIBS target...] [PUBLIC_LIBS target...])
# A static library tenon_<name>, included as "<name>/header.hpp". A room without sources is header-only.
function(tenon_room name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPENDS;PRIVATE_LIBS;PUBLIC_LIBS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_room(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  list(FIND TENON_ROOMS ${name} position)
  if(position EQUAL -1)
    message(FATAL_ERROR "tenon_room(${name}): not a room of host/CMakeLists.txt")
  endif()
  foreach(room IN LISTS arg_DEPENDS)
    list(FIND TENON_ROOMS ${room} below)
    if(below EQUAL -1 OR NOT below LESS position)
      message(FATAL_ERROR "tenon_room(${name}): may not depend on '${room}', see the order in host/CMakeLists.txt")
    endif()
    list(APPEND rooms $<TARGET_NAME_IF_EXISTS:tenon_${room}>)
  endforeach()
  if(arg_SOURCES)
    tenon_unity(sources tenon_${name} ${arg_SOURCES})
    add_library(tenon_${name} STATIC ${sources})
    target_include_directories(tenon_${name} PUBLIC "${PROJECT_SOURCE_DIR}/host")
    target_link_libraries(tenon_${name}
      PUBLIC ${rooms} ${arg_PUBLIC_LIBS} Threads::Threads
      PRIVATE ${arg_PRIVATE_LIBS} tenon_room_flags)
    target_precompile_headers(tenon_${name} REUSE_FROM tenon_pch)
  else()
    add_library(tenon_${name} INTERFACE)
    target_include_directories(tenon_${name} INTERFACE "${PROJECT_SOURCE_DIR}/host")
    target_link_libraries(tenon_${name} INTERFACE ${rooms} ${arg_PUBLIC_LIBS} Threads::Threads)
  endif()
endfunction()

# tenon_room_test(name SOURCES file... [LIBS target...])
# One GoogleTest executable tests/<name>_test for the room, and a ctest test <name> that runs all of it. By its label
# "gtest" ./dev test finds it and runs it in parts; the label "postgresql" says that it starts a PostgreSQL.
# TENON_SOURCE_DIR and TENON_BINARY_DIR are defined as string literals for tests that need files.
function(tenon_room_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_room_test(${name}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  set(target tenon_${name}_test)
  tenon_unity(sources ${target} ${arg_SOURCES})
  add_executable(${target} ${sources})
  if(NOT TENON_TESTS)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name}_test RUNTIME_OUTPUT_DIRECTORY "${TENON_TEST_BIN}")
  target_compile_definitions(${target} PRIVATE
    TENON_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TENON_BINARY_DIR="${PROJECT_BINARY_DIR}")
  if(TARGET tenon_${name})
    target_link_libraries(${target} PRIVATE tenon_${name})
  endif()
  target_link_libraries(${target} PRIVATE ${arg_LIBS} GTest::gtest_main tenon_test_flags)
  # A test that opens a database needs the engines.
  if(TARGET tenon_engines_at_load)
    target_link_libraries(${target} PRIVATE tenon_engines_at_load)
  endif()
  target_precompile_headers(${target} REUSE_FROM tenon_test_pch)
  set(labels gtest)
  if("tenon_postgresql_cluster" IN_LIST arg_LIBS)
    list(APPEND labels postgresql)
  endif()
  add_test(NAME ${name} COMMAND ${target})
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT 1200)
endfunction()

# tenon_use_plugin_test_libraries(target)
# Defines PLUGIN_TEST_LIBRARIES, the folder of the small plugin libraries of packages/tests, and builds them before the target.
function(tenon_use_plugin_test_libraries target)
  target_compile_definitions(${target} PRIVATE PLUGIN_TEST_LIBRARIES="${TENON_TEST_BIN}/plugins-libraries")
  add_dependencies(${target} plugins_test_libraries)
endfunction()
