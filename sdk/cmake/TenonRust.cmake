# Plugins in Rust: tenon_add_plugin(<id> RUST Cargo.toml).

if(NOT DEFINED TENON_RUST_DIR)
  # In the repository of Tenon.
  set(TENON_RUST_DIR "${CMAKE_CURRENT_LIST_DIR}/../rust")
endif()

# tenon_link_rust(<target> <Cargo.toml>): builds the crate as a static library and links it into the target.
# tenon_add_plugin() calls this function.
function(tenon_link_rust target manifest)
  find_program(TENON_CARGO cargo DOC "Builds plugins in Rust")
  find_program(TENON_RUSTC rustc DOC "Compiles plugins in Rust")
  if(NOT TENON_CARGO OR NOT TENON_RUSTC)
    message(FATAL_ERROR "tenon_add_plugin(${target}): cargo or rustc was not found. Install Rust 1.63 or newer: "
      "apt-get install cargo rustc")
  endif()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "C" IN_LIST languages)
    message(FATAL_ERROR "tenon_add_plugin(${target}): RUST needs the language C: project(${target} LANGUAGES C)")
  endif()
  get_filename_component(folder "${manifest}" DIRECTORY)
  _tenon_link_crate("${folder}")

  set(output "${CMAKE_CURRENT_BINARY_DIR}/${target}.tenon/cargo")
  set(profile release)
  set(options --release)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug")
    set(profile debug)
    set(options)
  endif()
  string(REPLACE "-" "_" name "${target}")
  set(archive "${output}/${profile}/lib${name}.a")
  # Cargo finds out what has changed.
  add_custom_target(${target}_rust
    COMMAND "${CMAKE_COMMAND}" -E env "RUSTC=${TENON_RUSTC}" "${TENON_CARGO}" build --quiet --lib ${options}
      --manifest-path "${manifest}" --target-dir "${output}"
    BYPRODUCTS "${archive}" WORKING_DIRECTORY "${folder}" VERBATIM
    COMMENT "Building the crate of ${target}")
  add_dependencies(${target} ${target}_rust)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${archive}")
  # The standard library is built in sections, of which few are used. The facts are used by the host alone.
  target_link_options(${target} PRIVATE LINKER:--gc-sections LINKER:--undefined=tenon_plugin_facts)
  if(profile STREQUAL "release")
    target_link_options(${target} PRIVATE LINKER:--strip-debug)
  endif()
  target_link_libraries(${target} PRIVATE "${archive}" pthread dl m gcc_s)
endfunction()

# Makes the link .tenon/rust to the crate of this SDK, on which the plugin's Cargo.toml depends. So the dependency is the same
# on every machine, and cargo alone and editors find it, too.
function(_tenon_link_crate folder)
  cmake_path(NORMAL_PATH TENON_RUST_DIR OUTPUT_VARIABLE crate)
  file(MAKE_DIRECTORY "${folder}/.tenon")
  file(WRITE "${folder}/.tenon/.gitignore" "*\n")
  file(CREATE_LINK "${crate}" "${folder}/.tenon/rust" SYMBOLIC)
endfunction()
