#include "study/records/findings.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/ranges.h>

#include "base/base64.h"
#include "base/sha256.h"

namespace ascribe::core::study {

namespace {

constexpr size_t kMostKept = size_t{1} << 20;    // numbers of a record in all
constexpr size_t kMostOfPart = size_t{1} << 17;  // of a part that is kept whole
constexpr size_t kSample = 4096;                 // of a larger one
constexpr size_t kMostWords = 256;               // of a part
constexpr int64_t kMostCount = int64_t{1} << 50;

// One form for what is one number.
double canonical(double value) {
  if (std::isnan(value)) return std::numeric_limits<double>::quiet_NaN();
  return value == 0 ? 0.0 : value;
}

void append(std::string& bytes, double value) {
  const auto bits = std::bit_cast<uint64_t>(canonical(value));
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(bits >> shift & 0xFF);
}

std::string hash_of_numbers(std::span<const double> values) {
  Sha256 hash;
  std::string bytes;
  for (const double value : values) {
    append(bytes, value);
    if (bytes.size() < 4096) continue;
    hash.add(bytes);
    bytes.clear();
  }
  hash.add(bytes);
  return hash.digits();
}

std::string hash_of_words(const std::vector<std::string>& words) { return sha256(Json(words).dump(-1)); }

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

std::vector<double> decoded(const JsonPlace& place) {
  const auto bytes = decode_base64(place.text());
  if (!bytes || bytes->size() % 8 != 0) place.refuse("is not a list of numbers");
  std::vector<double> values;
  for (size_t at = 0; at < bytes->size(); at += 8) {
    uint64_t bits = 0;
    for (size_t i = 8; i-- > 0;) bits = bits << 8 | static_cast<unsigned char>((*bytes)[at + i]);
    values.push_back(std::bit_cast<double>(bits));
  }
  return values;
}

std::string place_of(size_t i, const std::vector<std::string>& names) {
  return i < names.size() && !names[i].empty() ? fmt::format("{} ({})", i, names[i]) : fmt::format("{}", i);
}

bool is_whole(double value) { return std::isfinite(value) && value == std::floor(value); }

// Counts, indices and switches are exact, and no measure for others.
double largest_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isfinite(value) && !is_whole(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace

// ---- written down ----

void WrittenFindings::numbers(const std::string& part, std::span<const double> values, const std::vector<std::string>&,
                              const Fineness&) {
  const std::string hash = hash_of_numbers(values);
  listing_ += fmt::format("{} {} {}\n", hash, values.size(), part);
  Json json = Json::object({{"part", part}, {"count", values.size()}, {"sha256", hash}});
  if (keep_ == Keep::none) return parts_.push(std::move(json));
  const bool whole = keep_ == Keep::all || (values.size() <= kMostOfPart && kept_ + values.size() <= kMostKept);
  const size_t every = whole ? 1 : std::max<size_t>(1, (values.size() + kSample - 1) / kSample);
  if (every > 1) json["every"] = every;
  std::string bytes;
  for (size_t i = 0; i < values.size(); i += every) append(bytes, values[i]);
  kept_ += bytes.size() / 8;
  json["values"] = base64(bytes);
  parts_.push(std::move(json));
}

void WrittenFindings::words(const std::string& part, const std::vector<std::string>& words) {
  const std::string hash = hash_of_words(words);
  listing_ += fmt::format("{} {} {}\n", hash, words.size(), part);
  Json json = Json::object({{"part", part}, {"count", words.size()}, {"sha256", hash}});
  if (words.size() <= kMostWords && keep_ != Keep::none) json["words"] = words;
  else json["words"] = nullptr;
  parts_.push(std::move(json));
}

Json WrittenFindings::json() const { return Json::object({{"sha256", sha256(listing_)}, {"parts", parts_}}); }

// ---- held against what was written down ----

ComparedFindings::ComparedFindings(const JsonPlace& recorded, double tolerance) {
  found_.tolerance = tolerance;
  for (const JsonPlace& place : recorded.at("parts").items()) {
    Recorded one;
    one.part = place.text("part");
    one.sha256 = place.text("sha256");
    if (!is_sha256(one.sha256)) place.at("sha256").refuse("is not a SHA-256");
    one.count = place.at("count").whole(0, kMostCount);
    one.of_words = place.json().contains("words");
    if (place.has("words")) one.words = place.at("words").texts();
    if (place.has("every")) one.every = place.at("every").whole(1, kMostCount);
    if (place.has("values")) {
      one.values = decoded(place.at("values"));
      if (std::ssize(*one.values) != (one.count + one.every - 1) / one.every) {
        place.at("values").refuse(
            fmt::format("has {} numbers; expected every {} of {}", one.values->size(), one.every, one.count));
      }
    }
    places_.emplace_back(one.part, recorded_.size());
    recorded_.push_back(std::move(one));
  }
  std::sort(places_.begin(), places_.end());
  const auto twice = std::adjacent_find(places_.begin(), places_.end(),
                                        [](const auto& a, const auto& b) { return a.first == b.first; });
  if (twice != places_.end()) recorded.at("parts").refuse(fmt::format("has '{}' twice", twice->first));
}

void ComparedFindings::note(PartDifference difference) {
  found_.agreement = std::max(found_.agreement, difference.agreement);
  found_.differences.push_back(std::move(difference));
}

ComparedFindings::Recorded* ComparedFindings::find(const std::string& part, size_t count, bool of_words) {
  ++found_.parts;
  const auto at = std::lower_bound(places_.begin(), places_.end(), std::pair(part, size_t{0}));
  if (at == places_.end() || at->first != part) {
    note({part, Agreement::different, static_cast<int64_t>(count), 0, 0, "the record does not have it", {}, {}});
    return nullptr;
  }
  Recorded& one = recorded_[at->second];
  one.met = true;
  if (one.of_words == of_words && one.count == static_cast<int64_t>(count)) return &one;
  const char* noun = of_words ? "words" : "numbers";
  note({part,
        Agreement::different,
        static_cast<int64_t>(count),
        0,
        0,
        one.of_words != of_words ? fmt::format("{} now", noun)
                                 : fmt::format("{} {} then, {} now", one.count, noun, count),
        {},
        {}});
  return nullptr;
}

void ComparedFindings::numbers(const std::string& part, std::span<const double> values,
                               const std::vector<std::string>& names, const Fineness& fineness) {
  found_.numbers += std::ssize(values);
  const Recorded* then = find(part, values.size(), false);
  if (then == nullptr || hash_of_numbers(values) == then->sha256) return;
  PartDifference difference{part, Agreement::within, then->count, 0, 0, "", {}, {}};
  if (!then->values) {
    difference.agreement = Agreement::different;
    difference.what = "another SHA-256, and the record does not keep the numbers";
    return note(std::move(difference));
  }
  difference.compared = std::ssize(*then->values);
  const double scale = std::max({fineness.scale, largest_of(*then->values), largest_of(values)});
  const double rounding = fineness.digits > 0 ? std::pow(10.0, 1 - fineness.digits) : 0;
  bool seen = false;
  double worst = -1;
  for (size_t k = 0; k < then->values->size(); ++k) {
    const size_t i = k * static_cast<size_t>(then->every);
    const PartDifference::At at{place_of(i, names), (*then->values)[k], values[i]};
    if (same_number(at.then, at.now)) continue;
    seen = true;
    const double apart = at.difference();
    const double allowed =
        found_.tolerance * scale + 1.01 * fineness.step + rounding * std::max(std::abs(at.then), std::abs(at.now));
    const bool counts = is_whole(at.then) && is_whole(at.now) && fineness.step == 0;
    const bool beyond = counts || !(apart <= allowed);
    if (scale > 0) found_.largest = std::max(found_.largest, std::isfinite(apart) ? apart / scale : HUGE_VAL);
    const bool first_beyond = beyond && difference.differing == 0;
    if (!difference.first || first_beyond) difference.first = at;
    if (first_beyond) worst = -1, difference.agreement = Agreement::different;
    difference.differing += beyond ? 1 : 0;
    if (beyond != (difference.differing > 0)) continue;
    const double size = std::isfinite(apart) ? apart : HUGE_VAL;
    if (size > worst) worst = size, difference.largest = at;
  }
  if (!seen && then->every == 1) {
    difference.agreement = Agreement::different;
    difference.what = "the numbers that the record keeps have another SHA-256 than it says";
  }
  note(std::move(difference));
}

void ComparedFindings::words(const std::string& part, const std::vector<std::string>& words) {
  const Recorded* then = find(part, words.size(), true);
  if (then == nullptr || hash_of_words(words) == then->sha256) return;
  PartDifference difference{part, Agreement::different, then->count, 0, 0, "other words", {}, {}};
  if (then->words && then->words->size() == words.size()) {
    for (size_t i = 0; i < words.size(); ++i) {
      if ((*then->words)[i] == words[i]) continue;
      difference.what = fmt::format("'{}' then, '{}' now", (*then->words)[i], words[i]);
      break;
    }
  }
  note(std::move(difference));
}

Comparing ComparedFindings::result() const {
  Comparing result = found_;
  for (const Recorded& one : recorded_) {
    if (one.met) continue;
    result.agreement = Agreement::different;
    result.differences.push_back({one.part, Agreement::different, one.count, 0, 0, "it is not there now", {}, {}});
  }
  return result;
}

// ---- a document ----

namespace {

constexpr std::string_view kNotTold[] = {
    // times, dates and machines
    "seconds", "time", "created", "command", "settings", "planned", "version", "program", "format", "confidence",
    "evaluations", "attributions_made", "record",
    // where things are
    "path", "file", "model", "row_command", "folder", "arrays", "data", "source", "input", "typical_source", "sources",
    // sentences, which may have numbers in them
    "notes", "sentence", "sentences", "reason", "why", "reasons", "limits", "trust", "choice", "sampling", "title",
    "about", "formula", "cost", "undefined_because", "refused"};

bool told(const std::string& key) {
  return std::find(std::begin(kNotTold), std::end(kNotTold), key) == std::end(kNotTold);
}

bool is_number(const Json& json) { return json.is_number() || json.is_bool() || json.is_null(); }

double number_of(const Json& json) {
  if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
  return json.is_bool() ? (json.boolean() ? 1 : 0) : json.number();
}

std::string under(const std::string& part, const std::string& key) { return part.empty() ? key : part + ", " + key; }

// An item of a list: by its name, if it has one that no other has.
std::string name_of_item(const Json& item, size_t i, const std::string& part) {
  for (const char* key : {"name", "method", "metric"}) {
    if (const Json* name = item.find(key); name != nullptr && name->is_text()) {
      return under(part, fmt::format("{} {}", i, name->text()));
    }
  }
  return under(part, fmt::format("{}", i));
}

// A map in steps of a scale (study/document.h), whose numbers are 16 bits each.
bool tell_map(Findings& findings, const std::string& part, const Json& json) {
  const Json *scale = json.find("scale"), *data = json.find("data");
  if (json.size() != 2 || scale == nullptr || data == nullptr || !scale->is_number() || !data->is_text()) return false;
  const auto bytes = decode_base64(data->text());
  if (!bytes || bytes->size() % 2 != 0) return false;
  std::vector<double> values;
  for (size_t i = 0; i < bytes->size(); i += 2) {
    const auto word = static_cast<uint16_t>(static_cast<unsigned char>((*bytes)[i]) |
                                            static_cast<unsigned char>((*bytes)[i + 1]) << 8);
    values.push_back(scale->number() * static_cast<int16_t>(word));
  }
  findings.numbers(part, values, {}, {0, scale->number(), 0});
  return true;
}

void tell_list(Findings& findings, const std::string& part, const Json& json, const Fineness& fineness,
               const std::vector<std::string>& players) {
  const Json::List& items = json.items();
  if (items.empty()) return;
  if (std::all_of(items.begin(), items.end(), is_number)) {
    std::vector<double> values;
    for (const Json& item : items) values.push_back(number_of(item));
    return findings.numbers(part, values, values.size() == players.size() ? players : std::vector<std::string>(),
                            fineness);
  }
  if (std::all_of(items.begin(), items.end(), [](const Json& item) { return item.is_text(); })) {
    std::vector<std::string> words;
    for (const Json& item : items) words.push_back(item.text());
    return findings.words(part, words);
  }
  for (size_t i = 0; i < items.size(); ++i) {
    tell_json(findings, name_of_item(items[i], i, part), items[i], fineness, players);
  }
}

// The names of players that an object brings; nothing: it does not.
std::optional<std::vector<std::string>> players_in(const Json& object) {
  const Json* players = object.find("players");
  if (players != nullptr && players->is_object()) players = players->find("names");
  if (players == nullptr || !players->is_list()) return std::nullopt;
  std::vector<std::string> names;
  for (const Json& item : players->items()) {
    if (!item.is_text()) return std::nullopt;
    names.push_back(item.text());
  }
  return names;
}

}  // namespace

void tell_json(Findings& findings, const std::string& part, const Json& json, const Fineness& fineness,
               const std::vector<std::string>& players) {
  if (json.is_list()) return tell_list(findings, part, json, fineness, players);
  if (json.is_text()) return findings.words(part, {json.text()});
  if (!json.is_object()) return findings.numbers(part, std::vector{number_of(json)}, {}, fineness);
  if (tell_map(findings, part, json)) return;
  std::vector<double> values;
  std::vector<std::string> names, words;
  for (const JsonMember& member : json.members()) {
    if (!told(member.key)) continue;
    if (is_number(member.value)) values.push_back(number_of(member.value)), names.push_back(member.key);
    if (member.value.is_text()) words.push_back(fmt::format("{}: {}", member.key, member.value.text()));
  }
  // Many of them are shares and ratios, whatever the output is.
  Fineness of_object = fineness;
  if (of_object.scale > 0) of_object.scale = std::max(of_object.scale, 1.0);
  if (!values.empty()) findings.numbers(under(part, "numbers"), values, names, of_object);
  if (!words.empty()) findings.words(under(part, "words"), words);
  const auto own = players_in(json);
  for (const JsonMember& member : json.members()) {
    if (!told(member.key) || (!member.value.is_list() && !member.value.is_object())) continue;
    tell_json(findings, under(part, member.key), member.value, fineness, own ? *own : players);
  }
}

}  // namespace ascribe::core::study
