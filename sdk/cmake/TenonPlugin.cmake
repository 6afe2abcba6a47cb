# tenon_add_plugin(): builds a plugin library with the flags that the ABI requires, in the folder layout of the host.

get_filename_component(_tenon_cmake_dir "${CMAKE_CURRENT_LIST_FILE}" DIRECTORY)
set(TENON_CMAKE_DIR "${_tenon_cmake_dir}" CACHE INTERNAL "Folder of the SDK's CMake files")
if(NOT DEFINED TENON_PLUGINS_OUTPUT)
  set(TENON_PLUGINS_OUTPUT "${CMAKE_BINARY_DIR}/lib/tenon/plugins")
endif()
set(TENON_PLUGINS_OUTPUT "${TENON_PLUGINS_OUTPUT}" CACHE PATH "Folder of plugin folders, the argument of 'tenon serve --plugins'")

include(CheckCCompilerFlag)
include(CheckCXXCompilerFlag)

# tenon_plugin_flags(<target>): sets the compiler and linker flags that a plugin library needs: it exports only its entry and
# can be unloaded. tenon_add_plugin() calls this function.
function(tenon_plugin_flags target)
  set_target_properties(${target} PROPERTIES
    PREFIX "" C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON LINK_DEPENDS "${TENON_CMAKE_DIR}/exports.map")
  # A GNU_UNIQUE symbol prevents unloading. Clang does not create such symbols and does not have the flag.
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(language IN ITEMS C CXX)
    if(language IN_LIST languages)
      if(language STREQUAL "C")
        check_c_compiler_flag(-fno-gnu-unique TENON_C_KNOWS_NO_GNU_UNIQUE)
      else()
        check_cxx_compiler_flag(-fno-gnu-unique TENON_CXX_KNOWS_NO_GNU_UNIQUE)
      endif()
      if(TENON_${language}_KNOWS_NO_GNU_UNIQUE)
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:${language}>:-fno-gnu-unique>)
      endif()
    endif()
  endforeach()
  target_link_options(${target} PRIVATE
    "-Wl,--version-script=${TENON_CMAKE_DIR}/exports.map" -Wl,--exclude-libs,ALL -Wl,-z,defs -Wl,-z,now -Wl,-z,relro
    -Wl,--build-id=sha1 -Wl,--no-gc-sections)
endfunction()

# tenon_type_tables(<target> <plugin id> <tables.json>): generates <id>_tables.hpp ('-' in the id becomes '_') for the target's
# sources when the tables change. An error in tables.json fails the build. Does nothing if the target Tenon::types does not
# exist. tenon_add_plugin() calls this function.
function(tenon_type_tables target id tables)
  _tenon_generate_header(${target} ${id} tables "${tables}" ${id})
endfunction()

# tenon_type_settings(<target> <plugin id> <plugin.json>): as tenon_type_tables, <id>_settings.hpp from the settings of the manifest.
function(tenon_type_settings target id manifest)
  _tenon_generate_header(${target} ${id} settings "${manifest}")
endfunction()

# Runs `tenon-types <kind> <source> [more] <header>`.
function(_tenon_generate_header target id kind source)
  if(NOT TARGET Tenon::types)
    return()
  endif()
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  string(REPLACE "-" "_" name "${id}")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.tenon/include")
  set(header "${folder}/${name}_${kind}.hpp")
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT "${header}" COMMAND Tenon::types ${kind} "${source}" ${ARGN} "${header}"
    DEPENDS "${source}" Tenon::types COMMENT "Generating types of the ${kind} of ${id}" VERBATIM)
  # A separate target, for tools that read sources without compiling them.
  if(NOT TARGET generated_headers)
    add_custom_target(generated_headers)
  endif()
  add_custom_target(${target}_${kind} DEPENDS "${header}")
  add_dependencies(generated_headers ${target}_${kind})
  add_dependencies(${target} ${target}_${kind})
  target_sources(${target} PRIVATE "${header}")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()

# tenon_add_plugin(<id> [SOURCES file...] [RUST Cargo.toml] [MANIFEST plugin.json] [TABLES tables.json] [MIGRATIONS dir]
#                  [UI dir] [LIBRARIES target...] [OUTPUT dir] [NO_INSTALL] [UNCHECKED])
#
# Adds the target <id>, which builds the plugin folder ${TENON_PLUGINS_OUTPUT}/<id>/ (or OUTPUT/<id>/) with plugin.json,
# tables.json, migrations/, lib/<arch>/<id>.so and ui/. Paths are relative to the current source folder.
#
# A manifest without "abi" is that of a plugin without a library; then there are no SOURCES and no RUST.
#
# RUST builds a crate by cargo and links it: its library has the crate type staticlib and contains tenon::plugin!(Type). The
# crate depends on the crate of this SDK: tenon = { path = ".tenon/rust" }. SOURCES are optional then. C must be an enabled
# language.
#
# The id, the version and the required ABI version come from the manifest. Sources get them as TENON_PLUGIN_ID,
# TENON_PLUGIN_VERSION and TENON_PLUGIN_NEEDS_HOST_MINOR. With TABLES, sources may include "<id>_tables.hpp", and "<id>_settings.hpp" if the manifest has settings (docs/codegen.md).
# Static LIBRARIES are linked into the plugin; their symbols stay hidden. The exports are checked after linking. UNCHECKED
# skips this check, for tests of the host with an invalid library. `cmake --install` copies the folder to lib/tenon/plugins
# unless NO_INSTALL is set.
function(tenon_add_plugin id)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_INSTALL;UNCHECKED" "RUST;MANIFEST;TABLES;MIGRATIONS;UI;OUTPUT" "SOURCES;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_plugin(${id}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_MANIFEST)
    set(arg_MANIFEST plugin.json)
  endif()
  foreach(path IN ITEMS RUST MANIFEST TABLES MIGRATIONS UI)
    if(arg_${path})
      cmake_path(ABSOLUTE_PATH arg_${path} BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
      if(NOT EXISTS "${arg_${path}}")
        message(FATAL_ERROR "tenon_add_plugin(${id}): ${path} ${arg_${path}} does not exist")
      endif()
    endif()
  endforeach()

  _tenon_read_manifest(${id} "${arg_MANIFEST}")
  if(plugin_has_library AND NOT arg_SOURCES AND NOT arg_RUST)
    message(FATAL_ERROR "tenon_add_plugin(${id}): SOURCES is missing. Pass at least one source file, or remove \"abi\" from "
      "${arg_MANIFEST} if the plugin has no library.")
  elseif((arg_SOURCES OR arg_RUST) AND NOT plugin_has_library)
    message(FATAL_ERROR "tenon_add_plugin(${id}): ${arg_MANIFEST} has no \"abi\", so the plugin has no library. Add \"abi\", or "
      "remove SOURCES and RUST.")
  endif()
  if(NOT arg_OUTPUT)
    set(arg_OUTPUT "${TENON_PLUGINS_OUTPUT}")
  endif()
  set(folder "${arg_OUTPUT}/${id}")
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/${id}.tenon")
  if(plugin_has_library)
    _tenon_add_library(${id} "${folder}" "${generated}")
  else()
    add_custom_target(${id} ALL)
  endif()
  set_target_properties(${id} PROPERTIES TENON_FOLDER "${folder}")
  _tenon_lay_out(${id} "${folder}" "${generated}")

  if(NOT arg_NO_INSTALL)
    include(GNUInstallDirs)
    install(DIRECTORY "${folder}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/tenon/plugins" COMPONENT ${id} USE_SOURCE_PERMISSIONS)
  endif()
endfunction()

# -DTENON_PCH=ON compiles the headers of the SDK once for all sources: most of the time of a small change. A first build takes
# longer. `tenon dev` sets it.
option(TENON_PCH "Precompile the headers of the Tenon SDK for plugins" OFF)
function(_tenon_precompile_headers id generated)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  # Plugins in the repository of Tenon share one (tools/cmake/TenonPluginPch.cmake).
  if(TENON_PCH AND "CXX" IN_LIST languages AND NOT TARGET tenon_flags)
    set(headers tenon/plugin.hpp)
    if(arg_TABLES)
      list(APPEND headers tenon/tables.hpp)
    endif()
    list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:<\\1$<ANGLE-R>>")
    target_precompile_headers(${id} PRIVATE ${headers})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_BUILD_TYPE STREQUAL "Debug")
      # The functions of the headers are compiled once, too, into an object file. Few of them are used, and some refer to
      # functions that no library has, so the linker drops the others.
      set(object "${generated}/headers.o")
      target_compile_options(${id} PRIVATE
        "$<$<COMPILE_LANGUAGE:CXX>:-fpch-instantiate-templates;-fpch-codegen;-fpch-debuginfo>")
      separate_arguments(options NATIVE_COMMAND
        "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_DEBUG} -fPIC -ffunction-sections -fdata-sections")
      add_custom_command(TARGET ${id} PRE_LINK VERBATIM
        COMMAND "${CMAKE_COMMAND}" "-DPCH=${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${id}.dir/cmake_pch.hxx.pch"
          "-DOBJECT=${object}" "-DCOMPILER=${CMAKE_CXX_COMPILER}" "-DOPTIONS=${options}"
          -P "${TENON_CMAKE_DIR}/compile_headers.cmake")
      target_link_options(${id} PRIVATE "${object}" LINKER:--gc-sections LINKER:--undefined=tenon_plugin_facts)
      find_program(TENON_LLD ld.lld)
      if(TENON_LLD)
        target_link_options(${id} PRIVATE -fuse-ld=lld)
      endif()
    endif()
  endif()
endfunction()

# -DTENON_JSON_DIAGNOSTICS=ON lets errors about the JSON of a request name the field with a JSON pointer. Reading and making JSON
# takes about half as long again. `tenon dev` sets it.
option(TENON_JSON_DIAGNOSTICS "Name the field in errors about JSON" OFF)

# Adds the library of tenon_add_plugin(), whose arguments it reads.
function(_tenon_add_library id folder generated)
  set(arch "${CMAKE_SYSTEM_PROCESSOR}")
  configure_file("${TENON_CMAKE_DIR}/facts.c.in" "${generated}/facts.c" @ONLY)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "CXX" IN_LIST languages)
    # `tenon dev` sets them for every plugin; CMake warns about those that a plugin does not read.
    set(ignored "${CMAKE_CXX_COMPILER}${CMAKE_CXX_FLAGS_DEBUG}")
  endif()
  if(NOT "C" IN_LIST languages)
    file(RENAME "${generated}/facts.c" "${generated}/facts.cpp")
    set(facts "${generated}/facts.cpp")
  else()
    set(facts "${generated}/facts.c")
  endif()

  if(arg_RUST)
    include("${TENON_CMAKE_DIR}/TenonRust.cmake")
    list(APPEND arg_SOURCES "${TENON_CMAKE_DIR}/rust_plugin.c")
  endif()
  add_library(${id} MODULE ${arg_SOURCES} "${facts}")
  tenon_plugin_flags(${id})
  set_target_properties(${id} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${folder}/lib/${arch}" OUTPUT_NAME "${id}")
  target_compile_definitions(${id} PRIVATE "TENON_PLUGIN_ID=\"${plugin_id}\"" "TENON_PLUGIN_VERSION=\"${plugin_version}\""
    TENON_PLUGIN_NEEDS_HOST_MINOR=${plugin_needs_minor})
  target_link_libraries(${id} PRIVATE Tenon::sdk ${arg_LIBRARIES})
  if(TENON_JSON_DIAGNOSTICS)
    target_compile_definitions(${id} PRIVATE JSON_DIAGNOSTICS=1)
  endif()
  if(TARGET tenon_flags)
    target_link_libraries(${id} PRIVATE tenon_flags)
  endif()
  if(arg_RUST)
    tenon_link_rust(${id} "${arg_RUST}")
  else()
    _tenon_precompile_headers(${id} "${generated}")
  endif()
  # The types are C++.
  if(arg_TABLES AND NOT arg_RUST)
    tenon_type_tables(${id} ${id} "${arg_TABLES}")
  endif()
  if(plugin_has_settings AND NOT arg_RUST)
    tenon_type_settings(${id} ${id} "${arg_MANIFEST}")
  endif()
  if(NOT arg_UNCHECKED)
    _tenon_check_after_link(${id})
  endif()
endfunction()

# tenon_add_plugin_tests(<id> [FOLDER tests]): adds the *_test.py files of the folder to `ctest`. Each test class runs on a real
# host that has only this plugin. Tests import tenon_testing of the SDK. Needs Python 3 and the program tenon (TENON_PROGRAM).
function(tenon_add_plugin_tests id)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "")
  if(NOT arg_FOLDER)
    set(arg_FOLDER tests)
  endif()
  cmake_path(ABSOLUTE_PATH arg_FOLDER BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  if(NOT TENON_PROGRAM)
    message(WARNING "tenon_add_plugin_tests(${id}): no tests were added because the program tenon was not found. "
      "Install it next to the SDK, or set -DTENON_PROGRAM=file.")
    return()
  endif()
  add_test(NAME ${id} COMMAND "${Python3_EXECUTABLE}" -m unittest discover -s "${arg_FOLDER}" -p "*_test.py")
  get_target_property(folder ${id} TENON_FOLDER)
  # The names do not begin with TENON_, because the host rejects unknown settings.
  set_tests_properties(${id} PROPERTIES TIMEOUT 300 ENVIRONMENT
    "PYTHONPATH=${TENON_TESTING_DIR};PYTHONDONTWRITEBYTECODE=1;TESTED_HOST=${TENON_PROGRAM};TESTED_OUTPUT=${CMAKE_CURRENT_BINARY_DIR}/test-output;TESTED_PLUGIN=${folder}")
endfunction()

# Sets plugin_id, plugin_version, plugin_has_library, plugin_has_settings and plugin_needs_minor in the scope of the caller.
function(_tenon_read_manifest id file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "tenon_add_plugin(${id}): ${file} does not exist")
  endif()
  file(READ "${file}" text)
  set(has_library ON)
  string(JSON ignored ERROR_VARIABLE error GET "${text}" abi)
  if(error)
    set(has_library OFF)
  endif()
  foreach(key IN ITEMS id version "abi;major" "abi;minor")
    if(key MATCHES "^abi" AND NOT has_library)
      continue()
    endif()
    string(JSON value ERROR_VARIABLE error GET "${text}" ${key})
    if(error)
      string(REPLACE ";" "." shown "${key}")
      message(FATAL_ERROR "${file}: ${shown}: ${error}")
    endif()
    string(MAKE_C_IDENTIFIER "manifest_${key}" name)
    set(${name} "${value}")
  endforeach()
  if(NOT manifest_id STREQUAL id)
    message(FATAL_ERROR "${file}: id is '${manifest_id}', but tenon_add_plugin() was called with '${id}'")
  endif()
  if(NOT manifest_id MATCHES "^[a-z][a-z0-9-]+$" OR manifest_id MATCHES "^(core|docs|ui|api|app|dav|admin|tenon)$")
    message(FATAL_ERROR "${file}: id '${manifest_id}' is invalid: use 2 to 32 characters of a-z, 0-9 and '-', and no reserved word")
  endif()
  if(NOT manifest_version MATCHES "^[0-9]+\\.[0-9]+\\.[0-9]+([-+][0-9A-Za-z.+-]+)?$")
    message(FATAL_ERROR "${file}: version '${manifest_version}' is not a semantic version")
  endif()
  if(has_library AND NOT "${manifest_abi_major}.${manifest_abi_minor}" MATCHES "^[0-9]+\\.[0-9]+$")
    message(FATAL_ERROR "${file}: abi.major and abi.minor must be numbers")
  endif()
  set(plugin_id "${manifest_id}" PARENT_SCOPE)
  set(plugin_version "${manifest_version}" PARENT_SCOPE)
  set(plugin_has_library ${has_library} PARENT_SCOPE)
  string(JSON ignored ERROR_VARIABLE error GET "${text}" settings properties)
  if(error)
    set(plugin_has_settings OFF PARENT_SCOPE)
  else()
    set(plugin_has_settings ON PARENT_SCOPE)
  endif()
  set(plugin_needs_minor "${manifest_abi_minor}" PARENT_SCOPE)
endfunction()

function(_tenon_check_after_link target)
  # The one of binutils takes a tenth of the time of LLVM's.
  find_program(TENON_READELF NAMES readelf "${CMAKE_READELF}" REQUIRED)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND "${CMAKE_COMMAND}" "-DLIBRARY=$<TARGET_FILE:${target}>" "-DREADELF=${TENON_READELF}"
      -P "${TENON_CMAKE_DIR}/check_library.cmake"
    VERBATIM)
endfunction()

# Copies the files that are not compiled to the plugin folder when they change.
function(_tenon_lay_out id folder generated)
  set(stamp "${generated}/laid-out")
  set(commands COMMAND "${CMAKE_COMMAND}" -E make_directory "${folder}"
    COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${arg_MANIFEST}" "${folder}/plugin.json")
  set(depends "${arg_MANIFEST}")
  if(arg_TABLES)
    list(APPEND commands COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${arg_TABLES}" "${folder}/tables.json")
    list(APPEND depends "${arg_TABLES}")
  endif()
  foreach(kind IN ITEMS MIGRATIONS UI)
    if(arg_${kind})
      string(TOLOWER ${kind} name)
      file(GLOB_RECURSE files CONFIGURE_DEPENDS "${arg_${kind}}/*")
      list(APPEND depends ${files})
      list(APPEND commands COMMAND "${CMAKE_COMMAND}" -E rm -rf "${folder}/${name}"
        COMMAND "${CMAKE_COMMAND}" -E copy_directory "${arg_${kind}}" "${folder}/${name}")
    endif()
  endforeach()
  add_custom_command(OUTPUT "${stamp}" ${commands} COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS ${depends} COMMENT "Copying files of plugin ${id}" VERBATIM)
  add_custom_target(${id}_files ALL DEPENDS "${stamp}")
  add_dependencies(${id} ${id}_files)
endfunction()
