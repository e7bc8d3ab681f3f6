// A part of work over a data set (parts.h), read block by block.
#pragma once

#include <memory>
#include <string>

#include <ascribe/export.h>

namespace ascribe {
inline namespace v1 {

// Goes through a finished part. Whatever is wrong with it is an error of kind file as soon as it is seen.
class ASCRIBE_API PartReader {
 public:
  explicit PartReader(const std::string& path);

  std::string header_json() const;  // the kind of work, model, settings, and which samples it holds
  // The next block as it lies in the file, whose form docs/howto/shards.md describes; false: the end, at which the part
  // has been checked as a whole.
  bool next(std::string& body);

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace v1
}  // namespace ascribe
