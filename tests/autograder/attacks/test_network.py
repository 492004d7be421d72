"""Attempts to reach a network or a socket of somebody else's, on this machine or another."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.autograder.attacks.conftest import Attack, assert_refused, trying

REFUSED = ("PermissionError", "ConnectionRefusedError", "FileNotFoundError", "gaierror", "OSError", "URLError")


@pytest.fixture
def port() -> Iterator[int]:
    """Of a server on this machine that would take any connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


CALLS = {
    "tcp to this machine": "socket.create_connection(('127.0.0.1', port), 1)",
    "tcp to another": "socket.create_connection(('192.0.2.1', 80), 1)",
    "udp": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', port))",
    "udp over IPv6": "socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b'x', ('::1', port))",
    "raw packets": "socket.socket(socket.AF_PACKET, socket.SOCK_RAW)",
    "ping": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_ICMP).sendto(bytes(8), ('127.0.0.1', 0))",
    "a name": "socket.getaddrinfo('example.org', 80)",
    "a web page": "import urllib.request; urllib.request.urlopen(f'http://127.0.0.1:{port}', timeout=1)",
    "its own server": "server = socket.socket(); server.bind(('127.0.0.1', 0)); server.listen()",
    "the host of a virtual machine": "socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).connect((2, 1))",
    "a process store of torch": "import torch.distributed as d\n"
    "d.init_process_group('gloo', init_method='tcp://127.0.0.1:0', rank=0, world_size=1)",
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_network_is_reached_by(attack: Attack, port: int, call: str) -> None:
    report = attack(trying(f"socket.setdefaulttimeout(1)\nport = {port}\n{call}"))
    assert_refused(report, *REFUSED, "DistNetworkError", "DistBackendError", "RuntimeError")


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM], ids=["stream", "datagram"])
@pytest.mark.parametrize("abstract", [False, True], ids=["path", "abstract"])
def test_a_unix_socket_of_others_is_reached(attack: Attack, tmp_path: Path, kind: int, abstract: bool) -> None:
    address = f"\0autograder-{os.getpid()}" if abstract else str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX, kind) as server:
        server.bind(address)
        if kind == socket.SOCK_STREAM:
            server.listen()
        body = f"socket.socket(socket.AF_UNIX, {int(kind)}).connect({address!r})"
        assert_refused(attack(trying(body)), *REFUSED)


def test_the_daemon_of_docker_is_asked(attack: Attack) -> None:
    assert_refused(attack(trying("socket.socket(socket.AF_UNIX).connect('/var/run/docker.sock')")), *REFUSED)
