# ascribe_unity(TARGET ALONE SOURCE...): compiles up to eight files of one folder as one, because most of the time goes into
# what they have in common. Files that give their parts the same names (registered, infer) have a namespace each;
# those whose path matches ALONE do not, and stay alone.
function(ascribe_unity target alone)
  if(NOT ASCRIBE_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source ${ARGN})
    if(source MATCHES "${alone}")
      continue()
    endif()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE name)
    cmake_path(GET name PARENT_PATH folder)
    # A command's folder has few files, so all commands are together.
    string(REGEX REPLACE "^src/cli/.*" "src/cli_commands" folder ${folder})
    string(MAKE_C_IDENTIFIER ${folder} folder)
    math(EXPR part "(${count_${folder}} + 0) / 8")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
  endforeach()
endfunction()
