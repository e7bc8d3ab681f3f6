# Turns text files into a C++ source: cmake -D OUT=assets.cpp -D HEADER=report/page/assets.h -D NAMESPACE=ascribe::core::page
# -D "TEXTS=kName=path,path;kOther=path" -P embed.cmake. The files of a text are joined in their order; a text of scripts
# becomes one function, whose names are nobody else's. No text may hold the end of a raw string, )embedded".
set(source "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
foreach(entry IN LISTS TEXTS)
  string(REGEX MATCH "^([A-Za-z]+)=(.*)$" matched "${entry}")
  set(name ${CMAKE_MATCH_1})
  string(REPLACE "," ";" paths "${CMAKE_MATCH_2}")
  set(texts "")
  foreach(path IN LISTS paths)
    file(READ "${path}" text)
    # Adjacent strings are one to the compiler.
    string(APPEND texts "R\"embedded(${text})embedded\"\n")
  endforeach()
  if(paths MATCHES "\\.js$")
    set(texts "\"\\\"use strict\\\";\\n(() => {\\n\"\n${texts}\"})();\\n\"\n")
  endif()
  string(APPEND source "const std::string_view ${name} =\n${texts};\n\n")
endforeach()
string(APPEND source "}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUT}" "${source}")
