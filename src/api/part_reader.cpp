#include <ascribe/part_reader.h>

#include "api/state.h"
#include "study/parts/part_file.h"

namespace ascribe {

struct PartReader::State {
  core::study::PartReader reader;
};

PartReader::PartReader(const std::string& path)
    : state_(translated([&] { return std::make_shared<State>(State{core::study::PartReader(path)}); })) {}

std::string PartReader::header_json() const {
  return translated([&] { return to_json(state_->reader.header()).dump(); });
}

bool PartReader::next(std::string& body) {
  return translated([&] {
    auto block = state_->reader.next();
    if (block) body = std::move(block->body);
    return block.has_value();
  });
}

}  // namespace ascribe
