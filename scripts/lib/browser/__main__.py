import argparse
import pathlib
import sys
import tempfile
import traceback

import chain

from .cases import CASES, every_section_shows, read_only_offers_no_change
from .driver import Browser, BrowserError
from .stage import Stage

SHOTS = chain.PROJECT / ".build/browser"


def run(case, stage, browser, kind):
    def shots(name):
        browser.screenshot(SHOTS / f"{name}-{kind}.png")

    name = case.__name__.replace("_", " ")
    try:
        case(stage, browser, shots)
        wrong = [one for one in browser.complaints() if "status of 4" not in one]
        if wrong:
            raise BrowserError(f"the browser complains: {wrong}")
        stage.worker.require_running()
    except (BrowserError, chain.ChainError) as error:
        browser.screenshot(SHOTS / "failed.png")
        print(f"FAILED  {name} ({kind}): {error}", flush=True)
        return False
    except Exception:
        print(f"FAILED  {name} ({kind})\n{traceback.format_exc()}", flush=True)
        return False
    print(f"ok      {name} ({kind})", flush=True)
    return True


def on_stage(folder, products, cases, kinds, **settings):
    """Every case with every kind of browser, all on one stage."""
    stage = Stage(folder, products, **settings)
    good = True
    try:
        for kind, options in kinds.items():
            browser = Browser(folder, **options)
            try:
                for case in cases:
                    browser.open(stage.page)
                    good = run(case, stage, browser, kind) and good
            finally:
                browser.stop()
    finally:
        stage.stop()
    return good


def main():
    parser = argparse.ArgumentParser(prog="test-browser")
    parser.add_argument("--only", default="")
    parser.add_argument("--debug", action="store_true")
    options = parser.parse_args()
    products = chain.PROJECT / ".build" / ("debug" if options.debug else "release")
    chain.end_in_order_on_signals()
    chain.require_programs("redis-server", "chromedriver", "chromium")

    def chosen(*cases):
        word = options.only.replace(" ", "_")
        return [case for case in cases if word in case.__name__]

    light = {"light": {}}
    looks = {"dark": {"dark": True}, "phone": {"width": 360, "height": 780}}
    plan = [
        (chosen(*CASES), light, {}),
        (chosen(every_section_shows), looks, {}),
        (chosen(read_only_offers_no_change), light, {"ALLIM_ADMIN_READ_ONLY": "true"}),
    ]
    good = True
    with tempfile.TemporaryDirectory(prefix="allim-browser-") as folder:
        for cases, kinds, settings in plan:
            if cases:
                good = on_stage(folder, products, cases, kinds, **settings) and good
    print(f"screenshots: {pathlib.Path(SHOTS).relative_to(chain.PROJECT)}")
    return 0 if good else 1


sys.exit(main())
