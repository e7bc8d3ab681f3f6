// The one reader of JSON: what it accepts is the same after being written and read again.
#include "base/json.h"
#include "fuzz/target.h"

namespace ascribe::core::fuzz::target_json {
namespace {

void feed(Bytes bytes) {
  const Json json = parse_json(text_of(bytes), "fuzz.json");
  for (const int indent : {-1, 2}) {
    for (const bool ascii : {false, true}) {
      const std::string text = json.dump(indent, ascii);
      const Json again = parse_json(text, "again.json");
      hold(again == json, "what is written is read as it was");
      hold(again.dump(indent, ascii) == text, "the same value is the same text");
    }
  }
}

const RegisterTarget registered({"json", "JSON of any kind", Form::json, 2048, feed});

}  // namespace
}  // namespace ascribe::core::fuzz::target_json
