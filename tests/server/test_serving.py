"""How the server listens."""

import socket

from poolwise.server._serving import listening


def test_small_answers_do_not_wait_for_one_another() -> None:
    """Nothing waits: asyncio turns Nagle's algorithm off for sockets that name TCP: 40 ms in each reply."""
    with listening("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP
