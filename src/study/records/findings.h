// What a result says, as named parts of numbers and words in a fixed order: to be written down (a hash of each part,
// and its numbers as far as there is room), or to be held against what was written down. Times, dates and sentences are
// not among them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_place.h"

namespace ascribe::core::study {

// What numbers of a part cannot say: differences below it are none.
struct Fineness {
  double scale = 0;  // what the numbers are parts or differences of; at least the largest of them
  double step = 0;   // between neighbouring values
  int digits = 0;    // that they were rounded to; 0: they were not
};

class Findings {
 public:
  virtual ~Findings() = default;
  // `names`: of each of the numbers, if they have some.
  virtual void numbers(const std::string& part, std::span<const double> values,
                       const std::vector<std::string>& names = {}, const Fineness& fineness = {}) = 0;
  virtual void words(const std::string& part, const std::vector<std::string>& words) = 0;
};

// All of a document but times, dates, paths and sentences: a part for the numbers of each object and for each list.
// Lists as long as `players` are theirs; objects that name players of their own (`players`: names, or an object with
// them) do so for all that is in them.
void tell_json(Findings& findings, const std::string& part, const Json& json, const Fineness& fineness = {},
               const std::vector<std::string>& players = {});

// ---- written down ----

class WrittenFindings : public Findings {
 public:
  // Numbers: none, where the document keeps them itself; some, so that a record stays small; all.
  enum class Keep { none, some, all };
  explicit WrittenFindings(Keep keep = Keep::some) : keep_(keep) {}

  void numbers(const std::string& part, std::span<const double> values, const std::vector<std::string>& names,
               const Fineness& fineness) override;
  void words(const std::string& part, const std::vector<std::string>& words) override;

  Json json() const;  // {sha256, parts: [{part, count, sha256, values?, every?, words?}]}

 private:
  Keep keep_;
  Json parts_ = Json::list();
  std::string listing_;
  size_t kept_ = 0;
};

// ---- held against what was written down ----

enum class Agreement { same, within, different };

// A part that is not the same.
struct PartDifference {
  std::string part;
  Agreement agreement = Agreement::different;
  int64_t count = 0, compared = 0, differing = 0;  // numbers in all, that the record keeps, and beyond the tolerance
  std::string what;                                // of words, and of parts that one of them has not; empty: numbers
  struct At {
    std::string place;  // "player 3 (rooms)"
    double then = 0, now = 0;
    double difference() const { return now > then ? now - then : then - now; }
  };
  std::optional<At> first, largest;  // of those beyond the tolerance; if there are none, of those that are not the same
};

struct Comparing {
  Agreement agreement = Agreement::same;
  int64_t parts = 0, numbers = 0;
  double tolerance = 0;
  double largest = 0;                       // difference of all, in units of what a number is measured against
  std::vector<PartDifference> differences;  // in the order of the parts
};

class ComparedFindings : public Findings {
 public:
  // `recorded`: what WrittenFindings gave. Complains, naming the place, of what it cannot have given.
  ComparedFindings(const JsonPlace& recorded, double tolerance);

  void numbers(const std::string& part, std::span<const double> values, const std::vector<std::string>& names,
               const Fineness& fineness) override;
  void words(const std::string& part, const std::vector<std::string>& words) override;

  Comparing result() const;  // when everything was told

 private:
  struct Recorded {
    std::string part, sha256;
    int64_t count = 0, every = 1;
    std::optional<std::vector<double>> values;
    std::optional<std::vector<std::string>> words;
    bool of_words = false, met = false;
  };
  Recorded* find(const std::string& part, size_t count, bool of_words);
  void note(PartDifference difference);

  std::vector<Recorded> recorded_;
  std::vector<std::pair<std::string, size_t>> places_;  // by name
  Comparing found_;
};

}  // namespace ascribe::core::study
