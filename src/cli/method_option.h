// The option that names methods, the same wherever there is one.
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace ascribe::core {

inline CLI::Option& add_method_option(CLI::App& command, std::vector<std::string>& methods) {
  return *command
              .add_option("-m,--method", methods,
                          "Methods, or all for the fourteen of the paper; ascribe methods lists them")
              ->delimiter(',')
              ->allow_extra_args(false)
              ->type_name("NAME[,NAME...]|all");
}

}  // namespace ascribe::core
