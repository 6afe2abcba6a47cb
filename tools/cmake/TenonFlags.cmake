# Flags of our own targets. Third-party headers are system headers and stay outside the warnings.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

add_compile_options("-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")

option(TENON_TESTS "Build the tests too" ON)
# A build for use must not fail because another compiler or optimization level warns.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  option(TENON_WERROR "Treat warnings of our own targets as errors" OFF)
else()
  option(TENON_WERROR "Treat warnings of our own targets as errors" ON)
endif()
set(TENON_SANITIZE "" CACHE STRING "Sanitizers for every target: address, thread, fuzzer, or empty")
set_property(CACHE TENON_SANITIZE PROPERTY STRINGS "" address thread fuzzer)

find_program(TENON_LLD ld.lld)
if(TENON_LLD)
  add_link_options(-fuse-ld=lld)
endif()
add_link_options(-Wl,-z,relro -Wl,-z,now -Wl,--as-needed)

if(TENON_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(TENON_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(TENON_SANITIZE STREQUAL "fuzzer")
  # Coverage for libFuzzer in addition to both; only the targets of tests/fuzz have its main().
  add_compile_options(-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(NOT TENON_SANITIZE STREQUAL "")
  message(FATAL_ERROR "TENON_SANITIZE must be address, thread, fuzzer or empty, not '${TENON_SANITIZE}'")
endif()

add_library(tenon_flags INTERFACE)
target_compile_options(tenon_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wcast-align -Wcast-qual
  -Wformat=2 -Wnull-dereference -Wimplicit-fallthrough -Wundef
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi>
  $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes -Wmissing-prototypes>
  -fstack-protector-strong)
if(TENON_WERROR)
  target_compile_options(tenon_flags INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns about std::string and std::optional code that it inlined itself, the more so with sanitizers.
  target_compile_options(tenon_flags INTERFACE -Wno-null-dereference -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
  if(TENON_SANITIZE)
    target_compile_options(tenon_flags INTERFACE -Wno-stringop-overread -Wno-maybe-uninitialized)
  endif()
endif()
