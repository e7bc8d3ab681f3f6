# Installs the build into a scratch folder, and builds and runs the examples against it.
set(scratch ${BUILD}/install-test)
file(REMOVE_RECURSE ${scratch})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGV}\nfailed with ${code}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${scratch}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE}/examples -B ${scratch}/examples -G ${GENERATOR} -D CMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}
  -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_PREFIX_PATH=${scratch}/prefix)
run(${CMAKE_COMMAND} --build ${scratch}/examples)
run(${scratch}/examples/top_pixels ${SOURCE}/models/relu_vgg.onnx ${SOURCE}/models/images/ankle_boot.png)
foreach(method gradient_x_input integrated_gradients occlusion)
  if(NOT output MATCHES "${method}: class 9, f\\(x\\) = 9\\.1[0-9]+, [^\n]*\n  r[0-9]+c[0-9]+ +[-+][0-9.e-]+\n")
    message(FATAL_ERROR "the example does not tell the top pixels of ${method}:\n${output}")
  endif()
endforeach()
# Audits a function of its own, and writes a report with it.
run(${scratch}/examples/audit_your_own ${SOURCE}/models/sigmoid_mlp.onnx ${SOURCE}/models/images/bag.png
  ${scratch}/report.html)
if(NOT output MATCHES "leave_one_out holds 2 of 3 principles")
  message(FATAL_ERROR "the example does not audit its own method:\n${output}")
endif()
file(READ ${scratch}/report.html page)
if(NOT page MATCHES "leave_one_out")
  message(FATAL_ERROR "the report does not have the example's own method")
endif()
# The example in the documents is a program, too.
execute_process(COMMAND ${PYTHON} ${SOURCE}/tests/tools/doc_program.py ${SOURCE}/docs/howto/audit.md
  "Your own method, in C++" OUTPUT_FILE ${scratch}/audit_doc.cpp RESULT_VARIABLE code)
file(WRITE ${scratch}/doc/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(doc CXX)\n"
  "find_package(ascribe REQUIRED)\nadd_executable(audit_doc ${scratch}/audit_doc.cpp)\n"
  "target_link_libraries(audit_doc PRIVATE ascribe::ascribe)\n")
run(${CMAKE_COMMAND} -S ${scratch}/doc -B ${scratch}/doc/build -G ${GENERATOR} -D CMAKE_MAKE_PROGRAM=${MAKE_PROGRAM}
  -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_PREFIX_PATH=${scratch}/prefix)
run(${CMAKE_COMMAND} --build ${scratch}/doc/build)
run(${scratch}/doc/build/audit_doc ${SOURCE}/models/sigmoid_mlp.onnx ${SOURCE}/models/images/bag.png)
if(NOT output MATCHES "2 of 3, ")
  message(FATAL_ERROR "the example of docs/howto/audit.md does not audit:\n${output}")
endif()
execute_process(COMMAND ${scratch}/prefix/bin/ascribe --version RESULT_VARIABLE code OUTPUT_QUIET)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "the installed program does not run: ${code}")
endif()
run(${PYTHON} ${SOURCE}/tests/tools/check_runpath.py ${scratch}/prefix)
# What a user can link against is the interface and nothing else.
file(GLOB library ${scratch}/prefix/lib/libascribe.so ${scratch}/prefix/lib/*/libascribe.so)
run(nm -DC --defined-only ${library})
if(NOT output MATCHES " T ascribe::v1::Model::load")
  message(FATAL_ERROR "the library does not show its interface:\n${output}")
endif()
string(REGEX REPLACE "[^\n]*ascribe::v1::[^\n]*" "" output "${output}")
if(output MATCHES " [TVW] [^\n]*ascribe::[^\n]*")
  message(FATAL_ERROR "the library shows what is none of its interface:${CMAKE_MATCH_0}")
endif()
