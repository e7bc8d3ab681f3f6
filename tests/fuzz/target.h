// A fuzz target: a function that is fed with any bytes. It may refuse them with an Error that is not our bug; whatever
// else it throws, and every memory error, is a finding. The same functions run in the fuzzer (fuzzer.cpp) and, on seeds
// and old findings, in the tests (replay_test.cpp). docs/howto/fuzz.md tells how to add one.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace ascribe::core::fuzz {

using Bytes = std::span<const uint8_t>;

// What inputs are made of, so that mutations keep most of them readable.
enum class Form { bytes, json, json_lines, model, png };

struct Target {
  std::string name;
  std::string reads;  // in a few words
  Form form = Form::bytes;
  size_t longest = 4096;  // bytes of an input
  void (*feed)(Bytes bytes) = nullptr;
};

struct RegisterTarget {
  explicit RegisterTarget(Target target);
};

const Target* find_target(std::string_view name);
std::vector<const Target*> all_targets();  // by name

// Lets refusals pass, and throws what is a finding.
void feed(const Target& target, Bytes bytes);

// A property that has to hold for whatever was accepted.
void hold(bool condition, std::string_view what);

inline std::string text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// In the one folder of this process, in memory if possible: for readers that want a file.
std::string scratch(const std::string& name);
std::string scratch_file(const std::string& name, std::string_view content);
std::string fresh_scratch_folder(const std::string& name);  // emptied if it was there

}  // namespace ascribe::core::fuzz
