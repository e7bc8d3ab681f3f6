// How threads wait for each other. The threads of OpenMP, which oneDNN runs on, turn in a circle for milliseconds
// before they sleep. That is time taken from the thread that they wait for whenever other programs use the machine.
#pragma once

namespace ascribe::core {

// Lets waiting threads sleep after some microseconds, unless the environment says otherwise (OMP_WAIT_POLICY,
// GOMP_SPINCOUNT). OpenMP reads this before main begins, so the program is started once more in its place. To be called
// first thing in main; returns if there is nothing to do.
void wait_briefly(char** arguments);

}  // namespace ascribe::core
