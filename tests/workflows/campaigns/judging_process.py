"""People who judge, in a process of their own, which may be killed at any time.

Called with the folder of a campaign, the number of people, and the most answers; ``how`` and
``point`` arm the shim. Every answer is told on standard output before it is sent, and again when it
is acknowledged.
"""

import ctypes
import os
import sys
import threading

from poolwise.errors import OutputError
from poolwise.store.campaigns import _journal
from poolwise.workflows.campaigns._messages import Answer
from poolwise.workflows.campaigns._room import CampaignRoom


def say(*words: object) -> None:
    """Write a line at once."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def judge(room: CampaignRoom, name: str, most: int) -> None:
    """Judge until enough is done, nothing is left, or the disk fails."""
    for round_number in range(most):
        try:
            work = room.assign(name, 2)
            for assignment in work.assignments:
                client = f"{name}-{os.getpid()}-{round_number}-{assignment.lease}"
                say("sent", client, assignment.lease, name)
                (receipt,) = room.record(
                    name, [Answer(client, assignment.lease, grade=assignment.lease % 4)]
                )
                say("ack", client, receipt.status, receipt.judgment)
        except OutputError as error:
            say("failed", str(error).replace("\n", " "))
            return
        if work.state not in ("judging", "preparing"):
            return
        room.wait(1)


def send_again(room: CampaignRoom, unacknowledged: list[str]) -> None:
    """Send what was not acknowledged before the process ended."""
    for line in unacknowledged:
        client, lease, name = line.split()
        (receipt,) = room.record(name, [Answer(client, int(lease), grade=int(lease) % 4)])
        say("ack", client, receipt.status, receipt.judgment)


def main() -> None:
    """Open the room, send what was left, and judge."""
    folder, people, most, how, point, careless = sys.argv[1:7]
    if careless == "careless":
        _journal.PRAGMAS = ("journal_mode=WAL", "synchronous=OFF")
    with CampaignRoom(folder) as room:
        room.wait(30)
        send_again(room, sys.argv[7:])
        shim = ctypes.CDLL(None) if how != "none" else None
        if shim is not None:
            shim.shim_calls.restype = ctypes.c_char_p
            shim.shim_arm(os.path.realpath(folder).encode(), int(how), int(point))
        threads = [
            threading.Thread(target=judge, args=(room, f"person{n}", int(most)))
            for n in range(int(people))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if shim is not None:
            calls = shim.shim_calls()
            shim.shim_arm(b"/nowhere", 0, 0) if int(how) != 0 else None
            os.write(2, calls)


if __name__ == "__main__":
    main()
