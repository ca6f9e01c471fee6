"""How the server listens."""

import socket

from poolwise.server._serving import listening


def test_small_answers_do_not_wait_for_one_another() -> None:
    """With TCP named, asyncio turns Nagle's algorithm off, which costs 40 ms a reply."""
    with listening("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP
