# tenon_add_plugin(): a plugin's shared library with every flag that the ABI asks for, laid out as the host loads it.

get_filename_component(_tenon_cmake_dir "${CMAKE_CURRENT_LIST_FILE}" DIRECTORY)
set(TENON_CMAKE_DIR "${_tenon_cmake_dir}" CACHE INTERNAL "Where the SDK's CMake files are")
if(NOT DEFINED TENON_PLUGINS_OUTPUT)
  set(TENON_PLUGINS_OUTPUT "${CMAKE_BINARY_DIR}/lib/tenon/plugins")
endif()
set(TENON_PLUGINS_OUTPUT "${TENON_PLUGINS_OUTPUT}" CACHE PATH "Folder of plugin folders: what 'tenon serve --plugins' takes")

include(CheckCCompilerFlag)
include(CheckCXXCompilerFlag)

# tenon_plugin_flags(target): what rule 8 of the ABI asks of every library that becomes a plugin. tenon_add_plugin() calls it.
function(tenon_plugin_flags target)
  set_target_properties(${target} PROPERTIES
    PREFIX "" C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
    POSITION_INDEPENDENT_CODE ON LINK_DEPENDS "${TENON_CMAKE_DIR}/exports.map")
  # A unique symbol keeps a library mapped for ever; clang makes none and knows no flag against them.
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

# tenon_type_tables(<target> <plugin id> <tables.json>): makes <id>_tables.hpp ('-' in the id becomes '_') for the target's sources
# whenever the tables change; what is wrong in them fails the build. tenon_add_plugin() calls it. Nothing where the tool is missing.
function(tenon_type_tables target id tables)
  if(NOT TARGET Tenon::tables)
    return()
  endif()
  cmake_path(ABSOLUTE_PATH tables BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  string(REPLACE "-" "_" name "${id}")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.tenon/include")
  set(header "${folder}/${name}_tables.hpp")
  file(MAKE_DIRECTORY "${folder}")
  add_custom_command(OUTPUT "${header}" COMMAND Tenon::tables "${tables}" "${id}" "${header}"
    DEPENDS "${tables}" Tenon::tables COMMENT "Typing the tables of ${id}" VERBATIM)
  # Also by themselves, for tools that read sources without compiling them.
  if(NOT TARGET tables_headers)
    add_custom_target(tables_headers)
  endif()
  add_custom_target(${target}_tables DEPENDS "${header}")
  add_dependencies(tables_headers ${target}_tables)
  add_dependencies(${target} ${target}_tables)
  target_sources(${target} PRIVATE "${header}")
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()

# tenon_add_plugin(<id> SOURCES file... [MANIFEST plugin.json] [TABLES tables.json] [MIGRATIONS dir] [UI dir]
#                  [LIBRARIES target...] [OUTPUT dir] [NO_INSTALL] [UNCHECKED])
#
# Makes the target <id>: a plugin folder ${TENON_PLUGINS_OUTPUT}/<id>/ (or OUTPUT/<id>/) with plugin.json, tables.json,
# migrations/, lib/<arch>/<id>.so and ui/. Id, version and the ABI that is needed come from the manifest; sources see them
# as TENON_PLUGIN_ID, TENON_PLUGIN_VERSION and TENON_PLUGIN_NEEDS_HOST_MINOR. After linking, the exports are checked.
# Paths are relative to the current source folder. LIBRARIES are linked statically where they are static; what they
# export stays hidden. `cmake --install` puts the folder below lib/tenon/plugins unless NO_INSTALL. UNCHECKED leaves out the
# look at the linked library: for tests of what the host does with a bad one. With TABLES, sources may include
# "<id>_tables.hpp" (see docs/typed.md).
function(tenon_add_plugin id)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_INSTALL;UNCHECKED" "MANIFEST;TABLES;MIGRATIONS;UI;OUTPUT" "SOURCES;LIBRARIES")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tenon_add_plugin(${id}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "tenon_add_plugin(${id}): SOURCES are missing")
  endif()
  if(NOT arg_MANIFEST)
    set(arg_MANIFEST plugin.json)
  endif()
  foreach(path IN ITEMS MANIFEST TABLES MIGRATIONS UI)
    if(arg_${path})
      cmake_path(ABSOLUTE_PATH arg_${path} BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
      if(NOT EXISTS "${arg_${path}}")
        message(FATAL_ERROR "tenon_add_plugin(${id}): ${path} ${arg_${path}} is not there")
      endif()
    endif()
  endforeach()

  _tenon_read_manifest(${id} "${arg_MANIFEST}")
  if(NOT arg_OUTPUT)
    set(arg_OUTPUT "${TENON_PLUGINS_OUTPUT}")
  endif()
  set(folder "${arg_OUTPUT}/${id}")
  set(arch "${CMAKE_SYSTEM_PROCESSOR}")
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/${id}.tenon")

  configure_file("${TENON_CMAKE_DIR}/facts.c.in" "${generated}/facts.c" @ONLY)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "C" IN_LIST languages)
    file(RENAME "${generated}/facts.c" "${generated}/facts.cpp")
    set(facts "${generated}/facts.cpp")
  else()
    set(facts "${generated}/facts.c")
  endif()

  add_library(${id} MODULE ${arg_SOURCES} "${facts}")
  tenon_plugin_flags(${id})
  set_target_properties(${id} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${folder}/lib/${arch}" OUTPUT_NAME "${id}")
  target_compile_definitions(${id} PRIVATE "TENON_PLUGIN_ID=\"${plugin_id}\"" "TENON_PLUGIN_VERSION=\"${plugin_version}\""
    TENON_PLUGIN_NEEDS_HOST_MINOR=${plugin_needs_minor})
  target_link_libraries(${id} PRIVATE Tenon::sdk ${arg_LIBRARIES})
  if(TARGET tenon_flags)
    target_link_libraries(${id} PRIVATE tenon_flags)
  endif()
  if(arg_TABLES)
    tenon_type_tables(${id} ${id} "${arg_TABLES}")
  endif()
  if(NOT arg_UNCHECKED)
    _tenon_check_after_link(${id})
  endif()
  _tenon_lay_out(${id} "${folder}" "${generated}")

  if(NOT arg_NO_INSTALL)
    include(GNUInstallDirs)
    install(DIRECTORY "${folder}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/tenon/plugins" COMPONENT ${id} USE_SOURCE_PERMISSIONS)
  endif()
endfunction()

# tenon_add_plugin_tests(<id> [FOLDER tests]): `ctest` runs the *_test.py of the folder, each class on a real host that has
# this plugin alone. They import tenon_testing, which the SDK brings. Needs Python 3 and the program tenon (TENON_PROGRAM).
function(tenon_add_plugin_tests id)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FOLDER" "")
  if(NOT arg_FOLDER)
    set(arg_FOLDER tests)
  endif()
  cmake_path(ABSOLUTE_PATH arg_FOLDER BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  if(NOT TENON_PROGRAM)
    message(WARNING "tenon_add_plugin_tests(${id}): the program tenon is not there, so there is nothing to test in. "
      "Install it beside the SDK, or give -DTENON_PROGRAM=file.")
    return()
  endif()
  add_test(NAME ${id} COMMAND "${Python3_EXECUTABLE}" -m unittest discover -s "${arg_FOLDER}" -p "*_test.py")
  # Not TENON_…: the host refuses settings that it does not know.
  set_tests_properties(${id} PROPERTIES TIMEOUT 300 ENVIRONMENT
    "PYTHONPATH=${TENON_TESTING_DIR};PYTHONDONTWRITEBYTECODE=1;TESTED_HOST=${TENON_PROGRAM};TESTED_PLUGIN=$<TARGET_FILE:${id}>")
endfunction()

# Sets plugin_id, plugin_version and plugin_needs_minor in the caller.
function(_tenon_read_manifest id file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "tenon_add_plugin(${id}): ${file} is not there")
  endif()
  file(READ "${file}" text)
  foreach(key IN ITEMS id version "abi;major" "abi;minor")
    string(JSON value ERROR_VARIABLE error GET "${text}" ${key})
    if(error)
      string(REPLACE ";" "." shown "${key}")
      message(FATAL_ERROR "${file}: ${shown}: ${error}")
    endif()
    string(MAKE_C_IDENTIFIER "manifest_${key}" name)
    set(${name} "${value}")
  endforeach()
  if(NOT manifest_id STREQUAL id)
    message(FATAL_ERROR "${file}: id is '${manifest_id}', tenon_add_plugin() was called for '${id}'")
  endif()
  if(NOT manifest_id MATCHES "^[a-z][a-z0-9-]+$" OR manifest_id MATCHES "^(core|docs|ui|api|app|dav|admin|tenon)$")
    message(FATAL_ERROR "${file}: id '${manifest_id}' is not allowed: 2 to 32 of a-z, 0-9 and '-', no reserved word")
  endif()
  if(NOT manifest_version MATCHES "^[0-9]+\\.[0-9]+\\.[0-9]+([-+][0-9A-Za-z.+-]+)?$")
    message(FATAL_ERROR "${file}: version '${manifest_version}' is no semantic version")
  endif()
  if(NOT "${manifest_abi_major}.${manifest_abi_minor}" MATCHES "^[0-9]+\\.[0-9]+$")
    message(FATAL_ERROR "${file}: abi.major and abi.minor are numbers")
  endif()
  set(plugin_id "${manifest_id}" PARENT_SCOPE)
  set(plugin_version "${manifest_version}" PARENT_SCOPE)
  set(plugin_needs_minor "${manifest_abi_minor}" PARENT_SCOPE)
endfunction()

function(_tenon_check_after_link target)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND "${CMAKE_COMMAND}" "-DLIBRARY=$<TARGET_FILE:${target}>" "-DNM=${CMAKE_NM}" "-DREADELF=${CMAKE_READELF}"
      -P "${TENON_CMAKE_DIR}/check_library.cmake"
    VERBATIM)
endfunction()

# Copies what is not compiled beside the library, whenever it changes.
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
    DEPENDS ${depends} COMMENT "Laying out plugin ${id}" VERBATIM)
  add_custom_target(${id}_files ALL DEPENDS "${stamp}")
  add_dependencies(${id} ${id}_files)
endfunction()
