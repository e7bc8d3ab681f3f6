// Whether oneDNN's loops run on the threads of base/crew.h. They do unless something else of the process had loaded
// oneDNN before us; then they run on OpenMP's.
#pragma once

namespace ascribe::core {

bool onednn_runs_on_our_threads();

}  // namespace ascribe::core
