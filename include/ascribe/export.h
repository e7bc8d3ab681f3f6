// What the library shows.
#pragma once

#define ASCRIBE_API __attribute__((visibility("default")))
