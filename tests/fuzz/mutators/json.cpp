// JSON whose values change, vanish, come twice or change places, and which stays JSON.
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "fuzz/mutators/mutators.h"

namespace ascribe::core::fuzz {

namespace {

using Random = std::minstd_rand;

void collect(Json& json, std::vector<Json*>& values) {
  values.push_back(&json);
  if (json.is_list()) {
    for (Json& item : json.items()) collect(item, values);
  } else if (json.is_object()) {
    for (JsonMember& member : json.members()) collect(member.value, values);
  }
}

Json odd_number(Random& random) {
  static const Json numbers[] = {0,
                                 1,
                                 -1,
                                 2,
                                 255,
                                 65536,
                                 0.5,
                                 -0.0,
                                 1e-320,
                                 1e30,
                                 -1e300,
                                 std::numeric_limits<double>::max(),
                                 std::numeric_limits<int32_t>::max(),
                                 std::numeric_limits<int32_t>::min(),
                                 std::numeric_limits<int64_t>::max(),
                                 std::numeric_limits<int64_t>::min(),
                                 std::numeric_limits<uint64_t>::max(),
                                 int64_t{1} << 53};
  return numbers[random() % std::size(numbers)];
}

// What would do harm if it became part of a page, a path or a command.
Json odd_text(Random& random) {
  static const Json texts[] = {"",
                               "0",
                               "-1",
                               "a",
                               "<script>alert(1)</script>",
                               "\"><img src=x onerror=alert(1)>",
                               "' onmouseover='alert(1)",
                               "</style><b>",
                               "</script><b>",
                               "<!--",
                               "]]>",
                               "&lt;&amp;&#0;",
                               "javascript:alert(1)",
                               "url(http://x/)",
                               "\xe2\x80\xae\xe2\x81\xa6",
                               "\x1b[31m",
                               "\xff\xfe",
                               "%s%n{}{0}",
                               "a\nb\tc",
                               "grid:2x2",
                               "r0c0",
                               "../x",
                               std::string(300, 'x')};
  return texts[random() % std::size(texts)];
}

Json other_type(Random& random) {
  switch (random() % 6) {
    case 0: return nullptr;
    case 1: return random() % 2 == 0;
    case 2: return Json::list();
    case 3: return Json::object();
    case 4: return odd_text(random);
    default: return odd_number(random);
  }
}

// In a list or an object: something goes, comes twice, or changes places.
void change_contents(Json& json, Random& random) {
  if (json.is_object()) {
    Json::Members& members = json.members();
    const size_t i = random() % members.size(), k = random() % members.size();
    if (random() % 2 == 0) members.erase(members.begin() + static_cast<ptrdiff_t>(i));
    else std::swap(members[i].value, members[k].value);
    return;
  }
  Json::List& items = json.items();
  const size_t i = random() % items.size(), k = random() % items.size();
  switch (random() % 3) {
    case 0: items.erase(items.begin() + static_cast<ptrdiff_t>(i)); return;
    case 1: items.push_back(Json(items[i])); return;
    default: std::swap(items[i], items[k]);
  }
}

void mutate(Json& json, Random& random) {
  std::vector<Json*> values;
  collect(json, values);
  Json& one = *values[random() % values.size()];
  if (one.size() > 0 && random() % 4 != 0) return change_contents(one, random);
  switch (random() % 8) {
    case 0: one = other_type(random); return;
    case 1:
      if (const Json copy = *values[random() % values.size()]; copy.size() < 16) one = copy;  // of another place
      return;
    default: break;
  }
  if (one.is_number()) one = random() % 2 == 0 ? odd_number(random) : Json(one.number() + 1);
  else if (one.is_text()) one = odd_text(random);
  else if (one.is_bool()) one = !one.boolean();
  else one = other_type(random);
}

std::string mutated_text(const std::string& text, Random& random) {
  try {
    Json json = parse_json(text, "input");
    for (unsigned round = random() % 3 + 1; round > 0; --round) mutate(json, random);
    return json.dump(-1);
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

size_t mutate_json(const Mutated& input) {
  Random random(input.seed);
  if (random() % 8 == 0) return input.bytes();
  const std::string made = mutated_text(input.text(), random);
  return made.empty() ? input.bytes() : input.take(made);
}

// One of the lines changes, goes, or comes twice.
size_t mutate_json_lines(const Mutated& input) {
  Random random(input.seed);
  if (random() % 8 == 0) return input.bytes();
  std::vector<std::string> lines;
  const std::string text = input.text();
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (lines.empty()) return input.bytes();
  const size_t i = random() % lines.size();
  switch (random() % 8) {
    case 0: lines.erase(lines.begin() + static_cast<ptrdiff_t>(i)); break;
    case 1: lines.insert(lines.begin() + static_cast<ptrdiff_t>(random() % lines.size()), std::string(lines[i])); break;
    default:
      const std::string made = mutated_text(lines[i], random);
      if (made.empty()) return input.bytes();
      lines[i] = made;
  }
  std::string all;
  for (const std::string& line : lines) all += line + '\n';
  return input.take(all);
}

}  // namespace ascribe::core::fuzz
