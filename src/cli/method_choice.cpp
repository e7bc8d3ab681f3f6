#include "cli/method_choice.h"

#include <algorithm>

#include "cli/settings.h"

namespace ascribe::core {

namespace {

template <class T>
struct Wanted {
  const T* item;
  bool asked_for;
};

// `all`: what the word stands for.
template <class T>
std::vector<Wanted<T>> wanted(const std::vector<std::string>& names, const T& (*named)(std::string_view),
                              const std::vector<std::string>& all) {
  std::vector<Wanted<T>> result;
  const auto add = [&](const T& item, bool asked_for) {
    const auto known = std::find_if(result.begin(), result.end(), [&](const Wanted<T>& w) { return w.item == &item; });
    if (known == result.end()) result.push_back({&item, asked_for});
    else known->asked_for = known->asked_for || asked_for;
  };
  for (const std::string& name : names) {
    if (name != "all") add(named(name), true);
    else
      for (const std::string& known : all) add(named(known), false);
  }
  return result;
}

template <class Chosen, class T>
std::vector<Chosen> with_settings(const std::vector<Wanted<T>>& items, const std::vector<std::string>& settings,
                                  std::string_view option, std::string_view what) {
  std::vector<Configurable> configured;
  for (const Wanted<T>& one : items) configured.push_back({one.item->name, one.item->parameters});
  apply_settings(settings, configured, option, what);
  std::vector<Chosen> chosen;
  for (size_t i = 0; i < items.size(); ++i) {
    const T& item = *items[i].item;
    chosen.push_back(
        {item, configured[i].given, Parameters(item.name, item.parameters, configured[i].given), items[i].asked_for});
  }
  return chosen;
}

}  // namespace

std::vector<ChosenMethod> choose_methods(const std::vector<std::string>& names,
                                         const std::vector<std::string>& settings) {
  std::vector<std::string> all = method_names();
  std::erase_if(all, [](const std::string& name) { return method_named(name).number == 0; });
  return with_settings<ChosenMethod>(wanted(names, method_named, all), settings, "--set", "method");
}

std::vector<ChosenMetric> choose_metrics(const std::vector<std::string>& names,
                                         const std::vector<std::string>& settings) {
  return with_settings<ChosenMetric>(wanted(names, metric_named, metric_names()), settings, "--metric-set", "metric");
}

bool may_be_left_out(const ChosenMethod& chosen, ErrorKind kind) {
  if (chosen.asked_for) return false;
  return kind == ErrorKind::unsupported || kind == ErrorKind::numeric ||
         (kind == ErrorKind::argument && chosen.given.empty());
}

}  // namespace ascribe::core
