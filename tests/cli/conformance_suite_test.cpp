// The files of docs/conformance are what the program says: attributions, allocations, effects, Taylor terms, verdicts.
// tools/make_conformance.py writes them anew; tests/interop compares them with other libraries and with a textbook.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/run_ascribe.h"
#include "support/folder.h"
#include "tensor/npy.h"

namespace ascribe::core {
namespace {

using Json = nlohmann::json;

const std::string kSuite = ASCRIBE_SOURCE_DIR "/docs/conformance/";
constexpr double kTolerance = 1e-9;  // the files hold all digits; machines differ in the last ones

// Numbers, or lists of lists of them.
void expect_near(const Json& got, const Json& expected, const std::string& what) {
  if (!expected.is_array()) {
    EXPECT_NEAR(got.get<double>(), expected.get<double>(),
                kTolerance * std::max(1.0, std::fabs(expected.get<double>())))
        << what;
    return;
  }
  ASSERT_EQ(got.size(), expected.size()) << what;
  for (size_t i = 0; i < expected.size(); ++i) expect_near(got[i], expected[i], what + " " + std::to_string(i));
}

class ConformanceSuite : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { suite_ = Json::parse(read_file(kSuite + GetParam() + ".json")); }

  std::string rows(const std::string& key) {
    std::vector<double> flat;
    const Json& given = suite_.at(key);
    for (const Json& one : given) {
      if (!one.is_array()) flat.push_back(one);
      else flat.insert(flat.end(), one.begin(), one.end());
    }
    Shape shape = {given[0].is_array() ? std::ssize(given) : 1};
    for (const Json& dim : suite_.at("row")) shape.push_back(dim);
    return folder_.write(key + ".npy", format_npy(Tensor::of<double>(shape, flat)));
  }

  Json says(const std::string& verb, const std::string& baseline, const std::vector<std::string>& more) {
    std::vector<std::string> words = {verb,
                                      kSuite + suite_.at("model").get<std::string>(),
                                      rows("input"),
                                      "--target",
                                      suite_.at("target").dump(),
                                      "--players",
                                      suite_.at("players"),
                                      "--precision",
                                      "double",
                                      "--json",
                                      "--quiet",
                                      "--baseline",
                                      (baseline == "background" ? "data:" : "file:") + rows(baseline)};
    words.insert(words.end(), more.begin(), more.end());
    const Said said = run_ascribe(words);
    EXPECT_EQ(said.code, 0) << said.err;
    return said.code == 0 ? Json::parse(said.out) : Json();
  }

  static std::vector<std::string> method_words(const std::string& name, const Json& method) {
    std::vector<std::string> words = {"-m", name};
    for (const auto& [key, value] : method.at("parameters").items()) {
      words.insert(words.end(), {"--set", name + "." + key + "=" + value.get<std::string>()});
    }
    return words;
  }

  TemporaryFolder folder_;
  Json suite_;
};

TEST_P(ConformanceSuite, HoldsWhatMethodsSay) {
  int methods = 0;
  for (const auto& [name, method] : suite_.at("methods").items()) {
    if (method.contains("left_out")) continue;
    ++methods;
    std::vector<std::string> words = method_words(name, method);
    const Json audited = says("audit", method.at("baseline"), words);
    for (const Json& line : audited.at("audit")) {
      EXPECT_EQ(line.at("verdict"), method.at("verdicts").at(line.at("principle").get<std::string>()))
          << name << " " << line;
    }
    words.emplace_back("--allocations");
    const Json said = says("explain", method.at("baseline"), words).at("methods")[0];
    expect_near(said.at("values"), method.at("values"), name);
    expect_near(said.at("allocations").at("values"), method.at("allocations"), name + " allocations");
  }
  EXPECT_GE(methods, 13);
}

TEST_P(ConformanceSuite, HoldsTheEffects) {
  std::vector<std::string> words;
  if (suite_.contains("taylor")) words = {"--taylor", suite_["taylor"]["up_to"].dump()};
  const Json said = says("decompose", "baseline", words);
  expect_near(said.at("output"), suite_.at("output"), "f(x)");
  expect_near(said.at("baseline_output"), suite_.at("baseline_output"), "f(b)");
  for (const Json& effect : said.at("effects")) {
    size_t set = 0;
    for (const int player : effect.at("support")) set |= size_t{1} << player;
    expect_near(effect.at("value"), suite_.at("dividends")[set], "set " + std::to_string(set));
  }
  if (!suite_.contains("taylor")) return;
  const Json &terms = said.at("taylor").at("effects"), &expected = suite_["taylor"]["terms"];
  ASSERT_EQ(terms.size(), expected.size());
  for (size_t i = 0; i < terms.size(); ++i) {
    const Json& support = terms[i].at("support");
    for (size_t k = 0; k < support.size(); ++k) {
      EXPECT_EQ(expected[i].at("degree")[support[k].get<size_t>()], terms[i].at("degree")[k]);
    }
    expect_near(terms[i].at("value"), expected[i].at("value"), "term " + std::to_string(i));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ConformanceSuite, testing::Values("polynomial", "sigmoid_mlp", "relu_mlp", "relu_cnn"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace ascribe::core
