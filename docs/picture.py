"""Take the picture of the report that the README shows: ``python docs/picture.py [CHROMIUM]``."""

import sys
import tempfile
from pathlib import Path

from consoles import demo_folder
from playwright.sync_api import sync_playwright

PICTURE = Path(__file__).resolve().parent / "report-light.png"


def main() -> None:
    """Make the demo's report, and photograph the head of it in a browser."""
    browser_of_system = sys.argv[1] if sys.argv[1:] else None
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        report = demo_folder(Path(folder)) / "demo" / "report.html"
        browser = play.chromium.launch(executable_path=browser_of_system, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1240, "height": 1100})
        page.goto(report.as_uri())
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
