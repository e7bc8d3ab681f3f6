// Errors of the library as those that its users see.
#pragma once

#include <ascribe/ascribe.h>

#include "base/error.h"

namespace ascribe {

[[noreturn]] void throw_translated(const core::Error& error);

// Everything that the interface does goes through here.
template <class F>
auto translated(F&& work) {
  try {
    return work();
  } catch (const core::Error& error) {
    throw_translated(error);
  }
}

}  // namespace ascribe
