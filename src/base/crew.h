// The threads of parallel loops: of each thread that begins one, its own helpers, which sleep between loops.
//
// A loop consists of numbered parts. Part k is meant for helper k, but it is nobody's until it is begun: the calling
// thread, when it is done with its own, runs those that no helper has come to. So on a machine whose processors are
// busy with other programs nobody waits for a thread that has not got one. What a part computes depends on its number
// alone, not on who runs it.
//
// Parts may wait for each other (meet_parts, or by themselves): who is through with one has met all others, and finds
// none left to take over.
#pragma once

#include <cstdint>

namespace ascribe::core {

// Calls part(data) `count` times, with part_number() from 0 to count - 1, and returns when all are done; inside of a
// part once, with number 0 of 1. A part must not throw. An invalid operation (FE_INVALID) of any part raises the flag
// of the calling thread.
void run_parts(int count, void (*part)(void*), void* data);

bool in_part();
int part_number();  // 0 outside of parts
int part_count();   // 1 outside of parts

// All parts of a loop come here before any goes on.
void meet_parts();

// How often a thread that waits looks around before it sleeps, given GOMP_SPINCOUNT and OMP_WAIT_POLICY (null: not
// set).
int64_t turns_of_waiting(const char* spin_count, const char* policy);

}  // namespace ascribe::core
