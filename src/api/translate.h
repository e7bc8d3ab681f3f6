// Errors of the library as those that its users see.
#pragma once

#define ASCRIBE_IMPLEMENTATION
#include <ascribe/ascribe.h>

#include "base/error.h"

namespace ascribe {

[[noreturn]] void throw_translated(const Error& error);

// Everything that the interface does goes through here.
template <class F>
auto translated(F&& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw_translated(error);
  }
}

}  // namespace ascribe
