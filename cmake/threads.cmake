# ThreadSanitizer (docs/decisions/046-races-are-looked-for-with-clangs-openmp.md): every object is instrumented, and the
# suites that use threads are an executable of their own, ascribe_thread_tests, because the others would double the time.
# clang does not know the width of vectors that normals.cpp asks gcc for.
add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -g1 -Wno-ignored-attributes)
add_link_options(-fsanitize=thread)
# Loops that are watched are not made of vector instructions, and need not be.
add_compile_options(-Wno-pass-failed)

set(ASCRIBE_THREAD_SUITES base/crew_test base/parallel_test base/watch_test model/model_test runtime/session_test runtime/workspace_test
  runtime/shared_weight_test game/game_test game/subcubes_test metrics/evaluation_test study/cancel_test
  study/open_row_test api/interface_test api/turn_test api/threads_test serve/app_test serve/server_test serve/worker_test)

function(ascribe_thread_tests)
  list(TRANSFORM ASCRIBE_THREAD_SUITES REPLACE "(.+)" "tests/\\1.cpp")
  file(GLOB support CONFIGURE_DEPENDS tests/support/*.cpp)
  add_executable(ascribe_thread_tests EXCLUDE_FROM_ALL ${ASCRIBE_THREAD_SUITES} ${support} tests/tools/clock_locks.cpp)
  target_include_directories(ascribe_thread_tests PRIVATE tests)
  target_compile_definitions(ascribe_thread_tests PRIVATE ASCRIBE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
    ASCRIBE_BINARY="$<TARGET_FILE:ascribe>")
  target_precompile_headers(ascribe_thread_tests PRIVATE <gtest/gtest.h> <fmt/format.h> <fmt/ranges.h> <graph/builder.h>
    <tensor/rows.h>)
  target_link_libraries(ascribe_thread_tests PRIVATE ascribe_objects GTest::gtest GTest::gtest_main)
endfunction()
