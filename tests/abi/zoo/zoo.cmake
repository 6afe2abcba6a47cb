# One plugin per fault. The host reads them from one folder each, so that a test starts with just the one it wants.
function(zoo_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "UNCHECKED" "MINOR" "OPTIONAL")
  string(REPLACE "_" "-" id ${name})
  set(minor 12)
  if(arg_MINOR)
    set(minor ${arg_MINOR})
  endif()
  set(optional "")
  if(arg_OPTIONAL)
    list(JOIN arg_OPTIONAL "\": \"*\", \"" optional)
    set(optional "\n  \"optional\": { \"${optional}\": \"*\" },")
  endif()
  set(checked "")
  if(arg_UNCHECKED)
    set(checked UNCHECKED)
  endif()
  file(GLOB source CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/zoo/${name}.c*")
  configure_file(zoo/plugin.json.in "${CMAKE_CURRENT_BINARY_DIR}/zoo/${name}/plugin.json" @ONLY)
  set(tables "")
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/zoo/${name}.tables.json")
    configure_file(zoo/${name}.tables.json "${CMAKE_CURRENT_BINARY_DIR}/zoo/${name}/tables.json" COPYONLY)
    set(tables TABLES "${CMAKE_CURRENT_BINARY_DIR}/zoo/${name}/tables.json")
  endif()
  tenon_add_plugin(${id} SOURCES ${source} ${tables} MANIFEST "${CMAKE_CURRENT_BINARY_DIR}/zoo/${name}/plugin.json"
    OUTPUT "${TENON_TEST_PLUGINS}/zoo/${name}" NO_INSTALL ${checked})
  tenon_plugin_pch(${id})
  add_dependencies(zoo ${id})
endfunction()

add_custom_target(zoo)
foreach(name IN ITEMS
    blank claims_to_have_responded crashes_at_stage create_fails duplicate_route events_and_search faulty_versions
    keeps_a_thread keeps_files migrates_in_batches misuses_blobs misuses_events misuses_jobs misuses_search
    misuses_tables multi_version never_responds null_write offers_services record_hooks responds_twice runs_jobs
    sleeps_in_handlers stale_handle start_fails throws_in_handler topic_is_table wrong_id wrong_responses
    wrong_statements)
  zoo_plugin(${name})
endforeach()
zoo_plugin(service_client OPTIONAL crashes-at-stage offers-services)
zoo_plugin(describes_routes)
zoo_plugin(describes_wrongly)
zoo_plugin(misuses_services OPTIONAL absent)
# These warn or fail when they are linked: that is what the check is for.
zoo_plugin(tls_destructor UNCHECKED)
zoo_plugin(missing_symbol UNCHECKED)
# Linked without the map, as by hand.
foreach(name IN ITEMS exports_more unique_symbol)
  zoo_plugin(${name} UNCHECKED)
  string(REPLACE "_" "-" id ${name})
  set_property(TARGET ${id} PROPERTY LINK_OPTIONS "")
endforeach()
target_compile_options(unique-symbol PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fgnu-unique>)
zoo_plugin(abi_too_new MINOR 99)
