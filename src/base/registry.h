// A name -> T table that files fill in by themselves through static objects.
// Such files must be linked as objects, not from a static library, or they vanish.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace ascribe::core {

template <class T>
class Registry {
 public:
  static Registry& instance() {
    static Registry registry;
    return registry;
  }

  void add(std::string name, T entry) {
    if (!entries_.emplace(name, std::move(entry)).second) fail(ErrorKind::internal, name, "registered twice");
  }

  const T* find(std::string_view name) const {
    auto it = entries_.find(name);
    return it == entries_.end() ? nullptr : &it->second;
  }

  // Sorted by name; pointers stay valid for the life of the program.
  const std::map<std::string, T, std::less<>>& entries() const { return entries_; }

 private:
  std::map<std::string, T, std::less<>> entries_;
};

}  // namespace ascribe::core
