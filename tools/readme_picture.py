#!/usr/bin/env python3
"""A picture of a report for the README: readme_picture.py REPORT.html PICTURE.png

The top of the page and its maps, in light colours, by Debian's chromium.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

WIDTH, HEIGHT = 1600, 1400


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    page, picture = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    if not page.is_file():
        sys.exit(f"{page} is not there; ascribe report writes such a page")
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder, "page.png")
        subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                        "--blink-settings=preferredColorScheme=1", f"--user-data-dir={folder}/profile",
                        f"--window-size={WIDTH},{HEIGHT}", "--virtual-time-budget=3000", f"--screenshot={raw}", page.as_uri()],
                       check=True, stderr=subprocess.DEVNULL)
        picture.write_bytes(raw.read_bytes())
    print(f"{picture}: {picture.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
