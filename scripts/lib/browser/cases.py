"""The cases: each is a function that gets the stage and a browser with the page open."""

import time

from .driver import ESCAPE, TAB, BrowserError


def check(condition, what):
    if not condition:
        raise BrowserError(what)


def seed(stage):
    """Something to see in every section."""
    stage.push(*[stage.event(number) for number in range(1000, 1200)])
    stage.file(
        stage.letter(number, reason, age)
        for number, (reason, age) in enumerate(
            [("rejected", 30), ("rejected", 300), ("expired", 4000), ("no_credential", 90000)] * 4
        )
    )
    stage.hold(3)


def every_section_shows(stage, browser, shots):
    """Each section draws its figures, and nothing is refused by the content policy."""
    seed(stage)
    browser.wait_text("16", "main")
    time.sleep(11)  # a point of the charts
    for name in ["overview", "queues", "workers", "apps", "dead", "tokens"]:
        browser.go(name)
        browser.until(
            lambda name=name: browser.run(
                "return document.querySelector('nav [aria-current]').id"
            ) == f"nav-{name}",
            f"section {name}",
        )  # fmt: skip
        browser.wait_text({"dead": "m-1", "tokens": "a15a11…", "apps": "APNs"}.get(name, ""), "main")
        browser.until(
            lambda: browser.run("return document.getElementById('state').dataset.state") == "live",
            "a live page",
        )
        time.sleep(0.5)
        shots(name)


def a_dead_letter_is_retried(stage, browser, shots):
    stage.file([stage.letter(3001)])
    browser.go("dead?text=m-3001")
    browser.button("m-3001").click()
    browser.wait_text("What it becomes", "dialog")
    text = browser.text("dialog")
    check("POST https://" in text and "apns-push-type" in text, "the request is not explained")
    check("Noodles at noon" in text, "the letter's text does not stand in its detail")
    check(f"{'a15a11'}…" in text and "f00d5a11f00d5a11" not in text, "a token is not shortened")
    shots("letter")
    before = stage.letters()
    browser.find("#retry-one").click()
    browser.until(lambda: stage.sent(3001), "the push at the simulator")
    browser.until(lambda: stage.letters() == before - 1, "the letter to be gone")
    browser.wait_text("No dead letter matches", "main")


def letters_are_filtered_and_retried_at_a_rate(stage, browser, shots):
    stage.file([stage.letter(number, "attempts_exhausted") for number in range(4000, 4030)])
    browser.go("dead?reason=attempts_exhausted")
    browser.wait_text("30 shown, all that match", "main")
    check("m-1 " not in browser.text("main"), "the filter lets others through")
    browser.find("#retry").click()
    browser.wait_text("30 match, 30 would be sent again", "dialog")
    shots("retry")
    rate = browser.find("#task-rate")
    rate.clear()
    rate.type("20")
    start = time.monotonic()
    browser.find("#task-start").click()
    browser.wait_text("Retried 30", "#task")
    check(time.monotonic() - start > 1, "30 at 20 a second took less than a second")
    browser.until(lambda: all(stage.sent(n) for n in range(4000, 4030)), "30 pushes")
    browser.wait_text("No dead letter matches", "main")


def letters_are_purged_after_a_question(stage, browser, shots):
    stage.file([stage.letter(number, "poison") for number in range(5000, 5005)])
    browser.go("dead?reason=poison")
    browser.wait_text("5 shown", "main")
    before = stage.letters()
    browser.find("#purge").click()
    browser.wait_text("5 match and would be gone for good", "dialog")
    browser.press(ESCAPE)
    browser.until(lambda: not browser.run("return document.querySelector('dialog')"), "no dialog")
    check(stage.letters() == before, "Escape purged")
    browser.find("#purge").click()
    browser.button("Purge 5 for good").click()
    browser.until(lambda: stage.letters() == before - 5, "five letters fewer")
    check(not any(stage.sent(n) for n in range(5000, 5005)), "a purged event was sent")


def the_fleet_is_scaled(stage, browser, shots):
    browser.go("workers")
    browser.find("#scale-fleet").click()
    number = browser.find("#scale-number")
    number.clear()
    number.type("5")
    shots("scale")
    browser.button("Scale").click()
    browser.wait_text("5 wanted of each process", "main")
    browser.wait_text("of 5", "main")
    check(stage.redis("HGET", "{push:messages}:control", "workers") == b"5", "no wish in Redis")
    browser.find("#scale-fleet").click()
    browser.button("By load").click()
    browser.wait_text("following the load", "main")
    check(stage.redis("HGET", "{push:messages}:control", "workers") == b"auto", "no wish in Redis")
    stage.push(*[stage.event(number) for number in range(2000, 2400)])
    browser.until(lambda: all(stage.sent(n) for n in (2000, 2399)), "the pushes")
    browser.find("#scale-fleet").click()
    browser.button("As configured").click()
    browser.wait_text("as configured", "main")


def a_queue_is_paused_and_resumed(stage, browser, shots):
    browser.go("queues")
    browser.find("button[aria-label='Pause push:messages']").click()
    browser.wait_text("paused", "main")
    time.sleep(4)  # a beat of the worker
    stage.push(stage.event(6001))
    time.sleep(1)
    check(not stage.sent(6001), "a paused queue was taken from")
    browser.go("overview")
    browser.wait_text("Taking is paused: push:messages", "main")
    browser.go("queues")
    browser.find("button[aria-label='Resume push:messages']").click()
    browser.until(lambda: stage.sent(6001), "the push after resuming")


def an_app_is_paused_and_resumed(stage, browser, shots):
    browser.go("apps")
    browser.find("button[aria-label='Pause sending for chat']").click()
    browser.button("Pause").click()
    browser.find("button[aria-label='Resume sending for chat']")
    check(stage.redis("HGET", "{push:messages}:control", "paused:chat") == b"1", "no wish in Redis")
    browser.find("button[aria-label='Resume sending for chat']").click()
    browser.find("button[aria-label='Pause sending for chat']")


def held_tokens_are_released_and_dropped(stage, browser, shots):
    stage.redis("DEL", "{push:messages}:invalid:held")
    stage.hold(4)
    browser.go("tokens")
    browser.wait_text("Held by the brake (4)", "main")
    check("f00d5a11f00d" not in browser.text("main"), "a token is not shortened")
    browser.find("#release").click()
    browser.button("Release them").click()
    browser.wait_text("Held by the brake (0)", "main")
    check(stage.redis("LLEN", "{push:messages}:invalid") == 4, "not in the feedback list")
    stage.hold(2)
    browser.wait_text("Held by the brake (2)", "main")
    browser.find("#drop").click()
    browser.button("Drop them").click()
    browser.wait_text("Held by the brake (0)", "main")
    check(stage.redis("LLEN", "{push:messages}:invalid") == 4, "dropped tokens were fed back")


def a_wrong_token_changes_nothing(stage, browser, shots):
    browser.open(f"{stage.address}/#token=wrong-wrong-wrong-wrong")
    browser.wait_text("The token is wrong", "dialog")
    shots("token")
    check("wrong" not in browser.run("return location.href"), "the token stays in the address")
    browser.find("#token").type(stage.token)
    browser.button("Continue").click()
    browser.until(lambda: browser.text("#state") == "live", "the page with the right token")


def without_a_token_one_looks_and_is_asked_at_a_change(stage, browser, shots):
    browser.run("sessionStorage.clear()")
    browser.open(stage.address + "/#/queues")
    browser.find("button[aria-label='Pause push:messages']").click()
    browser.wait_text("This needs the admin token", "dialog")
    browser.press(ESCAPE)
    browser.until(lambda: not browser.run("return document.querySelector('dialog')"), "no dialog")
    check(not stage.redis("HGET", "{push:messages}:control", "paused"), "paused without a token")
    browser.open(stage.page)


def keys_alone_are_enough(stage, browser, shots):
    """From the top of the page to a dialog and back, without a mouse."""
    browser.go("workers")
    browser.find("#scale-fleet")
    browser.run("document.activeElement.blur(); document.getElementById('skip').focus()")
    seen = []
    for _ in range(12):
        browser.press(TAB)
        seen.append(browser.run("return document.activeElement.textContent"))
        if seen[-1].startswith("Scale the fleet"):
            break
    check(seen[-1].startswith("Scale the fleet"), f"the keyboard met only {seen}")
    browser.press("\ue007")
    browser.find("dialog[open]")
    browser.press(ESCAPE)
    browser.until(
        lambda: browser.run("return document.activeElement.id") == "scale-fleet", "the focus back"
    )
    names = browser.run(
        """return [...document.querySelectorAll('button, a, input, select')]
        .filter((one) => one.checkVisibility() && !(one.textContent || one.ariaLabel
          || one.labels?.length)).map((one) => one.outerHTML)"""
    )
    check(not names, f"without a name: {names}")


def a_hundred_thousand_letters_freeze_nothing(stage, browser, shots):
    stage.redis("DEL", "{push:messages}:dead")
    stage.file(
        stage.letter(number % 65536, "rejected" if number % 1000 else "poison")
        for number in range(100_000)
    )
    browser.run("""window.gap = 0; let last = performance.now()
        setInterval(() => { const now = performance.now(); gap = Math.max(gap, now - last); last = now }, 20)""")
    start = time.monotonic()
    browser.go("dead")
    browser.wait_text("of 100,000", "main")
    first = time.monotonic() - start
    browser.go("dead?reason=poison")
    browser.wait_text("the newest 50 that match", "main", 60)
    found = time.monotonic() - start - first
    browser.find("#purge").click()
    browser.wait_text("100 match and would be gone for good", "dialog", 120)
    # Meanwhile pushes go on and the worker answers.
    stage.push(stage.event(7001))
    browser.until(lambda: stage.sent(7001), "a push meanwhile", 10)
    shots("many")
    browser.button("Purge 100 for good").click()
    browser.wait_text("Purged 100", "#task", 120)
    check(stage.letters() == 99_900, "not 99,900 letters are left")
    gap = browser.run("return window.gap")
    check(gap < 1000, f"the page stood still for {gap:.0f} ms")
    print(f"        first page {first:.1f} s, filtered {found:.1f} s, longest stand {gap:.0f} ms")
    stage.redis("DEL", "{push:messages}:dead")


CASES = [
    every_section_shows,
    a_dead_letter_is_retried,
    letters_are_filtered_and_retried_at_a_rate,
    letters_are_purged_after_a_question,
    the_fleet_is_scaled,
    a_queue_is_paused_and_resumed,
    an_app_is_paused_and_resumed,
    held_tokens_are_released_and_dropped,
    a_wrong_token_changes_nothing,
    without_a_token_one_looks_and_is_asked_at_a_change,
    keys_alone_are_enough,
    a_hundred_thousand_letters_freeze_nothing,
]


def read_only_offers_no_change(stage, browser, shots):
    """Runs against a worker of its own with `admin.readOnly`."""
    stage.file([stage.letter(8001)])
    for place, button in [("queues", "Pause"), ("workers", "Scale the fleet"), ("dead", "Purge")]:
        browser.go(place)
        browser.wait_text("live, read-only", "#state")
        browser.until(
            lambda button=button: not browser.button(button).is_enabled, f"{button} to be off"
        )
    shots("read-only")
    status = browser.run(
        """const request = new XMLHttpRequest()
        request.open('POST', '/api/v1/pause', false)
        request.setRequestHeader('Content-Type', 'application/json')
        request.setRequestHeader('Authorization', 'Bearer ' + sessionStorage.getItem('allim-token'))
        request.send('{}')
        return request.status"""
    )
    check(status == 403, f"a read-only worker answered {status}")
    check(not stage.redis("EXISTS", "{push:messages}:control"), "a read-only worker paused")
