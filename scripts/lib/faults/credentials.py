"""Two apps in one worker: what one suffers or is paused for, the other does not notice."""

import time
from statistics import median

from .crashes import finish
from .operating import verb
from .providers import QUICK_RETRIES
from .scenario import scenario
from .workers import Fleet

# Tokens of the second app begin with `ab`.
SHOP = 0xB << 248
PARKED = "{push:messages}:parked:shop:apns"


def stage(run, **more):
    node = run.redis(append="always")
    simulator = run.simulator("--latency", 20, "--topic", "com.example.chat", "--topic", "com.example.shop")
    fleet = Fleet(run, node, simulator, apps=("chat", "shop"), settings=QUICK_RETRIES, **more)
    fleet.add(1)
    chat = run.producer(node, rate=150, fcm=False, extra='"app":"chat",')
    shop = run.producer(node, rate=150, fcm=False, base=SHOP, extra='"app":"shop",')
    run.wait(lambda: sum(n >= SHOP for n in run.seen.refresh().accepted) > 20, 30, "pushes of both apps")
    return node, simulator, fleet, chat, shop


def waits_of(run, chat, began, ended):
    """Seconds from acknowledgement to acceptance of what was pushed between two moments, sorted."""
    due = [n for n, moment in list(chat.moments.items()) if began <= moment < ended]
    run.wait(lambda: run.seen.refresh().accepted.keys() >= set(due), 30, "the pushes of the other app")
    return due, sorted(run.seen.first[n] - chat.moments[n] for n in due)


def most_overtakers(run, numbers):
    """Of pushes in the order of their events: by how many later ones one was overtaken at most."""
    order = sorted(range(len(numbers)), key=lambda place: run.seen.first[numbers[place]])
    most, before = 0, 0
    position = {place: at for at, place in enumerate(order)}
    for place in range(len(numbers)):
        most = max(most, position[place] - place)
    return most


@scenario(quick=150, long=300)
def isolation(run):
    """One of two credentials hangs: the other's pushes come in time and in their order, none is lost."""
    node, simulator, fleet, chat, shop = stage(run)
    seconds = run.pick(8, 60)
    calm = time.time()
    run.sleep(4)
    hang = time.time()
    simulator.set_rules({"match": {"tokenPrefix": "ab"}, "action": "hang"})
    run.sleep(seconds)
    mend = time.time()
    _, before = waits_of(run, chat, calm, hang)
    numbers, during = waits_of(run, chat, hang, mend)
    simulator.set_rules()
    late = sorted(chat.moments[n] - hang for n in numbers if run.seen.first[n] - chat.moments[n] > 1)
    overtakers = most_overtakers(run, numbers)
    run.note(medianSeconds=[round(median(before), 3), round(median(during), 3)], overtakers=overtakers)
    run.note(late=f"{len(late)} of {len(numbers)}", longestSeconds=round(during[-1], 1))
    # A list whose places are all taken for 2 s lets go of those that hang; from then on nobody waits.
    run.expect(during[-1] < 4, f"the other credential waited for {during[-1]:.1f} s")
    run.expect(not late or late[-1] < 5, "the other credential waited again and again")
    run.expect(len(during) > seconds * 60, f"{len(during)} pushes of the other credential in {seconds} s")
    run.expect(overtakers <= fleet.capacity, f"a push was overtaken by {overtakers}")
    for one in (chat, shop):
        one.stop()
    run.allow_repeats(4 * fleet.lanes)  # answers that never came
    finish(run, fleet, node, seconds=100)
    run.expect(run.counts["dead"] == 0, f"{run.counts['dead']} were given up")


@scenario(quick=150, long=300, name="pause-app")
def pause_app(run):
    """`allim pause --app`: its events are parked and none is sent, the other app's go on; then each once."""
    node, _, fleet, chat, shop = stage(run)
    for turn in range(run.pick(1, 5)):
        status, _, errors = verb(fleet, "pause", "--app", "shop")
        run.expect(status == 0, f"allim pause: {errors.strip()}")
        run.sleep(4.5)  # a command reaches everybody within a beat
        of = lambda: (sum(n >= SHOP for n in run.seen.refresh().accepted), len(run.seen.accepted))
        shops, all_of_them = of()
        run.sleep(3)
        shops_then, all_then = of()
        parked = node.call("LLEN", PARKED)
        run.note(parked=parked)
        run.expect(shops_then == shops, f"{shops_then - shops} pushes of a paused app")
        run.expect(all_then > all_of_them + 100, "the other app stood still")
        run.expect(parked > 300, f"{parked} events are parked")
        status, _, errors = verb(fleet, "resume", "--app", "shop")
        run.expect(status == 0, f"allim resume: {errors.strip()}")
        run.wait(lambda: node.call("LLEN", PARKED) == 0, 40, "the parked events")
    for one in (chat, shop):
        one.stop()
    finish(run, fleet, node)
