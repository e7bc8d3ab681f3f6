#include "study/choice.h"

#include <algorithm>

#include "study/settings.h"

namespace ascribe::core::study {

namespace {

template <class T>
struct Wanted {
  const T* item;
  bool asked_for;
  std::shared_ptr<const T> own = nullptr;
};

template <class T>
void add(std::vector<Wanted<T>>& all, Wanted<T> one) {
  const auto known = std::find_if(all.begin(), all.end(), [&](const Wanted<T>& w) { return w.item == one.item; });
  if (known == all.end()) all.push_back(std::move(one));
  else known->asked_for = known->asked_for || one.asked_for;
}

template <class T>
std::vector<Configurable> with_settings(const std::vector<Wanted<T>>& items, const std::vector<std::string>& settings,
                                        std::string_view field, std::string_view what) {
  std::vector<Configurable> configured;
  for (const Wanted<T>& one : items) configured.push_back({one.item->name, one.item->parameters});
  apply_settings(settings, configured, field, what);
  return configured;
}

std::vector<std::string> fourteen() {
  std::vector<std::string> names = method_names();
  std::erase_if(names, [](const std::string& name) { return method_named(name).number == 0; });
  return names;
}

}  // namespace

std::vector<ChosenMethod> choose_methods(const std::vector<MethodWish>& wishes,
                                         const std::vector<std::string>& settings) {
  std::vector<Wanted<Method>> wanted;
  for (const MethodWish& wish : wishes) {
    if (wish.own) add(wanted, {wish.own.get(), true, wish.own});
    else if (wish.name != "all") add(wanted, {&method_named(wish.name), true});
    else
      for (const std::string& name : fourteen()) add(wanted, {&method_named(name), false});
  }
  const std::vector<Configurable> configured = with_settings(wanted, settings, "set", "method");
  std::vector<ChosenMethod> chosen;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Method& method = *wanted[i].item;
    chosen.push_back({method, configured[i].given, Parameters(method.name, method.parameters, configured[i].given),
                      wanted[i].asked_for, wanted[i].own});
  }
  return chosen;
}

std::vector<ChosenMetric> choose_metrics(const std::vector<std::string>& names,
                                         const std::vector<std::string>& settings) {
  std::vector<Wanted<Metric>> wanted;
  for (const std::string& name : names) {
    if (name != "all") add(wanted, {&metric_named(name), true});
    else
      for (const std::string& known : metric_names()) {
        if (metric_named(known).rates()) add(wanted, {&metric_named(known), false});
      }
  }
  const std::vector<Configurable> configured = with_settings(wanted, settings, "metric-set", "metric");
  std::vector<ChosenMetric> chosen;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Metric& metric = *wanted[i].item;
    chosen.push_back({metric, configured[i].given, Parameters(metric.name, metric.parameters, configured[i].given),
                      wanted[i].asked_for});
  }
  return chosen;
}

bool may_be_left_out(const ChosenMethod& chosen, ErrorKind kind) {
  if (chosen.asked_for) return false;
  return kind == ErrorKind::unsupported || kind == ErrorKind::numeric ||
         (kind == ErrorKind::argument && chosen.given.empty());
}

Json to_json(const LeftOut& left_out) { return Json::object({{"name", left_out.method}, {"reason", left_out.reason}}); }

}  // namespace ascribe::core::study
