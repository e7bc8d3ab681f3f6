#include "serve/page.h"

#include "report/page/assets.h"
#include "report/page/head.h"
#include "report/page/html.h"

namespace ascribe::core::serve {

namespace {

using page::Html;

Json methods_json() {
  Json list = Json::list();
  for (const std::string& name : method_names()) {
    const Method& method = method_named(name);
    list.push(Json::object({{"name", name},
                            {"title", method.title},
                            {"usual", method.number > 0},
                            {"slopes", method.kind != AttributionKind::contribution},
                            {"use", method.use},
                            {"cost", method.cost}}));
  }
  return list;
}

Json data_of(const Session& session) {
  return Json::object({{"colors", page::color_table()},
                       {"rows", Json::list()},
                       {"model", session.subject().name()},
                       {"count", session.rows(false).count()},
                       {"methods", methods_json()},
                       {"target", session.settings().question.target},
                       {"baseline", session.settings().question.baseline},
                       {"chose_players", session.settings().question.chose_players()}});
}

void write_head(Html& html, const std::string& title) {
  html.in("head", {}, [&] {
    html.single("meta", {{"charset", "utf-8"}});
    html.single("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
    html.single("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
    html.single("link", {{"rel", "icon"}, {"href", "data:,"}});
    html.in("title", title);
    html.style_sheet(page::kReportCss);
    html.style_sheet(page::ramp_style());
    html.style_sheet(kViewerCss);
  });
}

void labelled(Html& html, const std::string& id, const std::string& label, const std::function<void()>& control) {
  html.in("div", {{"class", "labelled"}}, [&] {
    html.in("label", {{"for", id}}, label);
    control();
  });
}

void button(Html& html, const std::string& id, const std::string& text) {
  html.in("button", {{"type", "button"}, {"id", id}}, text);
}

// Which row: by number, by list, or a file.
void write_chooser(Html& html, bool takes_text) {
  html.in("section", {{"id", "chooser"}, {"aria-labelledby", "chooser-heading"}}, [&] {
    html.in("h2", {{"id", "chooser-heading"}}, "What to look at");
    html.in("div", {{"class", "tools"}}, [&] {
      html.in("div", {{"id", "by-number"}, {"class", "tools"}, {"hidden", ""}}, [&] {
        button(html, "previous", "Previous");
        labelled(html, "row", "Row", [&] {
          html.single("input", {{"type", "number"}, {"id", "row"}, {"min", "0"}, {"value", "0"}, {"step", "1"}});
        });
        html.in("span", {{"id", "of"}, {"class", "faint"}}, "");
        button(html, "next", "Next");
      });
      html.in("div", {{"class", "labelled"}}, [&] {
        html.in("label", {{"for", "file"}}, "Or a file of your own");
        html.single("input", {{"type", "file"}, {"id", "file"}});
      });
    });
    html.in("p", {{"class", "faint"}, {"id", "drop-hint"}},
            "A picture, a .npy array or a .csv table; it can also be dropped anywhere on this page. It is not "
            "stored anywhere.");
    if (takes_text) {
      labelled(html, "text", "Or a text", [&] {
        html.in("textarea", {{"id", "text"}, {"rows", "3"}, {"maxlength", "20000"}}, "");
      });
      html.in("div", {{"class", "tools"}}, [&] { button(html, "read-text", "Look at this text"); });
    }
    html.in("details", {{"id", "list"}, {"hidden", ""}}, [&] {
      html.in("summary", "List the rows, with what the model says of each");
      html.in("div", {{"class", "tools"}}, [&] {
        button(html, "list-back", "Earlier");
        button(html, "list-on", "Later");
      });
      html.in("ol", {{"id", "rows"}, {"class", "index"}}, "");
    });
  });
}

void write_input(Html& html) {
  html.in("section", {{"id", "look"}, {"aria-labelledby", "look-heading"}, {"hidden", ""}}, [&] {
    html.in("h2", {{"id", "look-heading"}}, "");
    html.in("p", {{"id", "answer"}, {"aria-live", "polite"}}, "");
    html.in("div", {{"class", "columns"}}, [&] {
      html.in("div", {{"class", "wide"}}, [&] {
        html.in("p", {{"id", "mask-hint"}}, "");
        html.in("div", {{"id", "mask-tools"}, {"class", "tools"}}, "");
        html.in("div", {{"id", "stage"}}, "");
        html.in("div", {{"class", "tools"}}, [&] {
          button(html, "undo", "Undo");
          button(html, "clear", "Clear");
          button(html, "invert", "Swap hidden and shown");
        });
        html.in("p", {{"id", "masked-count"}, {"class", "faint"}, {"aria-live", "polite"}}, "");
      });
      html.in("div", {{"class", "answer-side"}}, [&] {
        html.in("dl", {{"id", "figures"}, {"class", "facts"}}, "");
        html.in("div", {{"id", "top"}, {"class", "bars top"}, {"role", "list"}, {"aria-label", "What the model says"}},
                "");
        html.in("p", {{"class", "faint"}, {"id", "top-hint"}, {"hidden", ""}},
                "A thin line marks what the model said of the whole input.");
        html.in("div", {{"class", "tools"}}, [&] {
          labelled(html, "target", "Explain", [&] { html.in("select", {{"id", "target"}}, ""); });
          labelled(html, "baseline", "Hidden parts become", [&] { html.in("select", {{"id", "baseline"}}, ""); });
        });
        html.in("details", {{"id", "notes"}, {"hidden", ""}}, [&] {
          html.in("summary", "Notes on how the data were read");
          html.in("ul", {{"id", "note-list"}}, "");
        });
      });
    });
  });
}

void write_methods(Html& html) {
  html.in("section", {{"id", "why"}, {"aria-labelledby", "why-heading"}, {"hidden", ""}}, [&] {
    html.in("h2", {{"id", "why-heading"}}, "Why? Ask the methods");
    html.in("fieldset", {{"id", "methods"}}, [&] { html.in("legend", {{"class", "hidden"}}, "Methods"); });
    html.in("details", {{"id", "more"}}, [&] {
      html.in("summary", "More methods");
      html.in("fieldset", {{"id", "more-methods"}}, [&] { html.in("legend", {{"class", "hidden"}}, "More methods"); });
    });
    html.in("div", {{"class", "tools"}}, [&] { button(html, "explain", "Explain this input"); });
    html.in("div", {{"id", "explained"}, {"aria-live", "polite"}}, "");
    html.in("h3", "Compare two methods");
    html.in("div", {{"class", "tools"}}, [&] {
      labelled(html, "first", "One", [&] { html.in("select", {{"id", "first"}}, ""); });
      labelled(html, "second", "The other", [&] { html.in("select", {{"id", "second"}}, ""); });
      button(html, "compare", "Compare");
    });
    html.in("p", {{"id", "sentence"}, {"aria-live", "polite"}}, "");
    html.in("div", {{"id", "compared"}}, "");
  });
}

void write_report(Html& html, const Session& session) {
  const study::Budget budget = study::Budget::parse(session.settings().report.budget);
  const std::string time = budget.limited() ? "up to " + study::seconds_text(*budget.seconds) : "as long as it needs";
  html.in("section", {{"id", "save"}, {"aria-labelledby", "save-heading"}, {"hidden", ""}}, [&] {
    html.in("h2", {{"id", "save-heading"}}, "Save the report");
    html.in("p",
            "Everything about this input as one page that can be sent to somebody: what the model said, what drove it, "
            "how sure that is. The whole input is explained, with nothing hidden. It takes " +
                time + ".");
    html.in("div", {{"class", "tools"}}, [&] { button(html, "report", "Make and save the report"); });
    html.in("p", {{"id", "saved"}, {"role", "status"}}, "");
  });
}

// What is going on, in one place at the lower edge.
void write_status(Html& html) {
  html.in("div", {{"id", "status"}, {"role", "status"}, {"hidden", ""}}, [&] {
    html.in("span", {{"id", "status-text"}}, "");
    html.in("progress", {{"id", "progress"}, {"aria-label", "Progress"}}, "");
    button(html, "cancel", "Stop");
  });
  html.in("div", {{"id", "problem"}, {"role", "alert"}, {"hidden", ""}}, [&] {
    html.in("span", {{"id", "problem-text"}}, "");
    button(html, "problem-close", "Close");
  });
}

}  // namespace

std::string viewer_policy() {
  return "default-src 'none'; connect-src 'self'; img-src data:; style-src 'unsafe-inline'; script-src " +
         page::policy_hash(kViewerJs) + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
}

std::string viewer_page(const Session& session) {
  const std::string model = session.subject().name();
  Html html;
  html.in("html", {{"lang", "en"}}, [&] {
    write_head(html, model + ": look at it");
    html.in("body", {}, [&] {
      html.in("a", {{"class", "skip"}, {"href", "#main"}}, "Skip to the content");
      html.in("header", {}, [&] {
        html.in("div", {{"class", "title"}}, [&] {
          html.in("h1", model);
          html.in("p", {{"class", "faint"}}, "Hide parts of an input and see what the model makes of it.");
        });
        html.in("button", {{"type", "button"}, {"id", "theme"}, {"hidden", ""}}, "Dark");
      });
      html.in("main", {{"id", "main"}, {"tabindex", "-1"}}, [&] {
        html.in("noscript", {}, [&] { html.in("p", "This page needs JavaScript."); });
        write_chooser(html, !session.settings().question.tokens.empty());
        write_input(html);
        write_methods(html);
        write_report(html, session);
      });
      html.in("footer", {}, [&] {
        html.in("p", {{"class", "faint"}},
                "ascribe " ASCRIBE_VERSION
                " on this machine. The page talks to no other, and works as long as the program runs.");
      });
      write_status(html);
      html.data("report-data", data_of(session));
      html.script(kViewerJs);
    });
  });
  return "<!doctype html>\n" + html.str();
}

}  // namespace ascribe::core::serve
