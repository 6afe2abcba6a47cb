# The exercise in plain C, by this build's compiler, and by clang.
set(TENON_EXERCISES "${TENON_TEST_PLUGINS}/exercise")

function(tenon_exercise id)
  configure_file(exercise/plugin.json.in "${CMAKE_CURRENT_BINARY_DIR}/${id}/plugin.json" @ONLY)
  tenon_add_plugin(${id} SOURCES ${ARGN} MANIFEST "${CMAKE_CURRENT_BINARY_DIR}/${id}/plugin.json"
    TABLES exercise/tables.json MIGRATIONS exercise/migrations OUTPUT "${TENON_EXERCISES}" NO_INSTALL)
  tenon_plugin_pch(${id})
endfunction()
tenon_exercise(plain-c
  exercise/exercise.c exercise/exercise_client.c exercise/exercise_data.c exercise/exercise_flow.c exercise/exercise_host.c exercise/exercise_services.c exercise/exercise_text.c
  exercise/exercise_work.c)
tenon_exercise(built-here exercise/exercise.cpp exercise/exercise_data.cpp)
add_custom_target(exercises DEPENDS plain-c built-here)

# Another compiler than the tree's, as a project of its own: the way a stranger's plugin is built.
find_program(TENON_CLANG clang)
find_program(TENON_CLANGXX clang++)
if(TENON_CLANG AND TENON_CLANGXX)
  set(outside "${CMAKE_CURRENT_BINARY_DIR}/by-clang")
  file(GLOB_RECURSE outside_sources CONFIGURE_DEPENDS
    "${CMAKE_CURRENT_SOURCE_DIR}/exercise/*" "${PROJECT_SOURCE_DIR}/sdk/abi/*.h" "${PROJECT_SOURCE_DIR}/sdk/cpp/*.hpp"
    "${PROJECT_SOURCE_DIR}/sdk/cmake/*")
  add_custom_command(OUTPUT "${outside}/built"
    COMMAND "${CMAKE_COMMAND}" --fresh -S "${CMAKE_CURRENT_SOURCE_DIR}/exercise/outside" -B "${outside}" -G "${CMAKE_GENERATOR}"
      "-DCMAKE_C_COMPILER=${TENON_CLANG}" "-DCMAKE_CXX_COMPILER=${TENON_CLANGXX}" -DCMAKE_BUILD_TYPE=Release
      -DEXERCISE_ID=built-by-clang -DEXERCISE_LANGUAGE=CXX "-DEXERCISE_ABI=${PROJECT_SOURCE_DIR}/sdk/abi"
      "-DTENON_PLUGINS_OUTPUT=${TENON_EXERCISES}" "-DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER}"
      "-DCMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}" --log-level=WARNING
    COMMAND "${CMAKE_COMMAND}" --build "${outside}"
    COMMAND "${CMAKE_COMMAND}" -E touch "${outside}/built"
    DEPENDS ${outside_sources} COMMENT "Building the exercise with clang" VERBATIM)
  add_custom_target(exercise_by_clang ALL DEPENDS "${outside}/built")
  add_dependencies(exercises exercise_by_clang)
endif()

tenon_room_test(exercise SOURCES driver/exercise_test.cpp LIBS tenon_fake_host ${CMAKE_DL_LIBS})
target_include_directories(tenon_exercise_test PRIVATE driver)
target_compile_definitions(tenon_exercise_test PRIVATE
  TENON_EXERCISES="${TENON_EXERCISES}" TENON_GOLDEN="${CMAKE_CURRENT_SOURCE_DIR}/golden" TENON_ARCH="${CMAKE_SYSTEM_PROCESSOR}")
add_dependencies(tenon_exercise_test exercises)
