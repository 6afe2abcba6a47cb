# One plugin per fault. The host reads them from one folder each, so that a test starts with just the one it wants.
function(zoo_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNCHECKED" "MINOR" "")
  string(REPLACE "_" "-" id ${name})
  set(minor 9)
  if(arg_MINOR)
    set(minor ${arg_MINOR})
  endif()
  set(checked "")
  if(arg_UNCHECKED)
    set(checked UNCHECKED)
  endif()
  file(GLOB source CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/zoo/${name}.c*")
  configure_file(zoo/plugin.json.in "${CMAKE_CURRENT_BINARY_DIR}/zoo/${name}/plugin.json" @ONLY)
  tenon_add_plugin(${id} SOURCES ${source} MANIFEST "${CMAKE_CURRENT_BINARY_DIR}/zoo/${name}/plugin.json"
    OUTPUT "${TENON_TEST_PLUGINS}/zoo/${name}" NO_INSTALL ${checked})
  add_dependencies(zoo ${id})
endfunction()

add_custom_target(zoo)
foreach(name IN ITEMS
    answers_twice claims_to_have_answered create_fails duplicate_route keeps_a_thread keeps_files migrates_in_batches misuses_blobs misuses_jobs never_answers null_write runs_jobs stale_handle
    sleeps_in_handlers start_fails throws_in_handler wrong_id)
  zoo_plugin(${name})
endforeach()
zoo_plugin(describes_routes)
zoo_plugin(describes_wrongly)
# These warn or fail when they are linked: that is what the check is for.
zoo_plugin(tls_destructor UNCHECKED)
zoo_plugin(missing_symbol UNCHECKED)
zoo_plugin(abi_too_new MINOR 99)
