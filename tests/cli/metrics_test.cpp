#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cli/run_ascribe.h"
#include "metrics/metric.h"

namespace ascribe::core {
namespace {

const auto& metrics() { return MetricRegistry::instance().entries(); }

// Words in the order of the page, whatever breaks the lines.
std::string unwrapped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\n') out += c;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  return out;
}

void expect_says(const std::string& page, const std::string& text) {
  EXPECT_NE(unwrapped(page).find(unwrapped(text)), std::string::npos) << text << "\nis not in\n" << page;
}

TEST(Metrics, AreListedFromTheRegistryWithDirectionAndCategory) {
  const Said said = run_ascribe({"metrics"});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const auto& [name, metric] : metrics()) {
    const size_t begin = said.out.find("\n" + name + " ");
    ASSERT_NE(begin, std::string::npos) << name;
    const std::string line = said.out.substr(begin + 1, said.out.find('\n', begin + 1) - begin);
    expect_says(line, fmt::format("{} {} {} {}", name, to_string(metric.better), to_string(metric.category),
                                  metric.rates() ? "contributions" : "no method"));
    expect_says(line, metric.objects ? "images with boxes" : metric.images ? "images" : "any rows");
    EXPECT_EQ(line.find("slopes") != std::string::npos, metric.rates() && metric.slopes) << line;
  }
}

TEST(Metrics, OneIsToldInFull) {
  for (const auto& [name, metric] : metrics()) {
    const Said said = run_ascribe({"metrics", name});
    EXPECT_EQ(said.code, 0) << said.err;
    for (const std::string& text :
         {name, metric.title, metric.formula, metric.source, metric.about, metric.cost, metric.limits}) {
      EXPECT_FALSE(text.empty()) << name;
      expect_says(said.out, text);
    }
    for (const Parameter& parameter : metric.parameters) {
      expect_says(said.out,
                  fmt::format("{} {} {} {}", parameter.name, parameter.fallback.empty() ? "(none)" : parameter.fallback,
                              range_of(parameter), parameter.meaning));
    }
  }
}

TEST(Metrics, AreOneJsonDocument) {
  const Said said = run_ascribe({"metrics", "--json"});
  EXPECT_EQ(said.code, 0) << said.err;
  const auto list = nlohmann::json::parse(said.out).at("metrics");
  ASSERT_EQ(list.size(), metrics().size());
  for (const auto& entry : list) {
    const Metric& metric = metric_named(entry.at("name").get<std::string>());
    EXPECT_EQ(entry.at("better"), to_string(metric.better));
    EXPECT_EQ(entry.at("category"), to_string(metric.category));
    EXPECT_EQ(entry.at("formula"), metric.formula);
    EXPECT_EQ(entry.at("slopes"), metric.slopes);
    EXPECT_EQ(entry.at("images"), metric.images);
    EXPECT_EQ(entry.at("objects"), metric.objects);
    ASSERT_EQ(entry.at("parameters").size(), metric.parameters.size());
    for (size_t p = 0; p < metric.parameters.size(); ++p) {
      EXPECT_EQ(entry["parameters"][p].at("range"), range_of(metric.parameters[p]));
    }
  }
}

TEST(Metrics, TheTableOfTheDocumentsLinksToAPageForEach) {
  const Said table = run_ascribe({"metrics", "--markdown"});
  for (const auto& [name, metric] : metrics()) expect_says(table.out, fmt::format("[`{}`]({}.md)", name, name));
  const Said page = run_ascribe({"metrics", "completeness", "--markdown"});
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_TRUE(page.out.starts_with("# Completeness error\n")) << page.out;
  expect_says(page.out, "| better | lower |");
  expect_says(page.out, "## Parameters None.");
}

TEST(Metrics, RefuseANameThatIsNone) {
  const Said said = run_ascribe({"metrics", "infidelty"});
  EXPECT_EQ(said.code, 4);
  EXPECT_EQ(said.out, "");
  expect_says(said.err, "[infidelty] there is no such metric; did you mean 'infidelity'? Expected one of ");
  expect_says(said.err, "completeness");
}

}  // namespace
}  // namespace ascribe::core
