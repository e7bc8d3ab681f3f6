// The texts of a model as integers: two texts are equal when their codes are. Only encoders look at texts, so a graph
// of numbers can do what they do.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ascribe::core {

class TextCodes {
 public:
  // A new text gets the next code.
  int64_t code(const std::string& text) {
    const auto [found, added] = codes_.try_emplace(text, static_cast<int64_t>(texts_.size()));
    if (added) texts_.push_back(text);
    return found->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, int64_t> codes_;
  std::vector<std::string> texts_;
};

}  // namespace ascribe::core
