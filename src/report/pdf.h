// A page as PDF: printed by an installed browser of the Chromium family, which is started for it, watched and ended.
// The page's own style sheet makes the paper edition (report/page/style/print.css), so that the browser's own "print"
// gives the same.
#pragma once

#include <string>

namespace ascribe::core {

struct PdfOptions {
  std::string browser = {};  // its path, or its name on the PATH; empty: as found_browser finds it
  double seconds = 0;        // after which it is ended; 0: two minutes, and more for large pages
};

// The program that ASCRIBE_BROWSER names, or the first of the known ones in a folder that the PATH
// names from the root: what lies in the current folder is not run. An error of kind io says what can
// be done where there is none.
std::string found_browser(const std::string& wanted = {});

// Complains of what will be missing when a page is printed: a browser, or a place for temporary files.
void check_pdf();

// The bytes of the PDF. A watch of this thread (base/watch.h) can stop it. Nothing is left behind: neither processes
// nor files, whether it succeeds, fails, hangs or is stopped.
std::string pdf_of(const std::string& page, const PdfOptions& options = {});

}  // namespace ascribe::core
