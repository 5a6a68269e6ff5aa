"""A camera in the network that shows a film by RTSP (RFC 2326), its H.264 in parts as RFC 6184 has them."""

from __future__ import annotations

import base64
import socket
import struct
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import av

PART = 1200
"""Bytes of a picture that one packet takes."""

SDP = """v=0
o=- 0 0 IN IP4 127.0.0.1
s=camera
c=IN IP4 0.0.0.0
t=0 0
m=video 0 RTP/AVP 96
a=rtpmap:96 H264/90000
a=fmtp:96 packetization-mode=1;sprop-parameter-sets={sets}
a=control:track1
"""


@contextmanager
def rtsp_camera(
    film: Path, *, udp: bool = False, lost: Collection[int] = (), login: str | None = None
) -> Iterator[str]:
    """Its address. `udp`: it knows nothing else, and `lost` packets never come; `login`: name:password."""
    units = _units(film)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def wait() -> None:
            with suppress(OSError):
                while True:
                    caller, _ = server.accept()
                    with caller, suppress(OSError):
                        _answer(caller, units, udp, lost, login)

        thread = Thread(target=wait, daemon=True)
        thread.start()
        try:
            yield f"rtsp://127.0.0.1:{server.getsockname()[1]}/live"
        finally:
            server.shutdown(socket.SHUT_RDWR)
    thread.join(120)


def _units(film: Path) -> list[list[bytes]]:
    """The units of H.264 of each picture of a film that has them one after the other."""
    with av.open(str(film)) as read:
        coded = [bytes(packet).replace(b"\0\0\0\1", b"\0\0\1") for packet in read.demux(video=0)]
    return [[unit for unit in one.split(b"\0\0\1") if unit] for one in coded if one]


def _answer(
    caller: socket.socket, units: list[list[bytes]], udp: bool, lost: Collection[int], login: str | None
) -> None:
    sets = [base64.b64encode(unit).decode() for unit in units[0] if unit[0] & 31 in (7, 8)]
    passed = None if login is None else f"Basic {base64.b64encode(login.encode()).decode()}"
    heard, to = caller.makefile("rb"), ("", 0)
    while line := heard.readline():
        head = dict(row.decode().strip().split(": ", 1) for row in iter(heard.readline, b"\r\n"))
        how, transport = line.split()[0], head.get("Transport", "")
        status, more, body = "200 OK", "Session: 1\r\n", ""
        if how != b"OPTIONS" and passed not in (None, head.get("Authorization")):
            status, more = "401 Unauthorized", 'WWW-Authenticate: Basic realm="camera"\r\n'
        elif how == b"DESCRIBE" and b"/live" not in line:
            status = "404 Not Found"
        elif how == b"DESCRIBE":
            body = SDP.format(sets=",".join(sets)).replace("\n", "\r\n")
            more += "Content-Type: application/sdp\r\n"
        elif how == b"SETUP" and udp and "TCP" in transport:
            status = "461 Unsupported Transport"
        elif how == b"SETUP":
            to = "127.0.0.1", int(transport.partition("client_port=")[2].partition("-")[0] or 0)
            more += f"Transport: {transport}\r\n"
        said = f"RTSP/1.0 {status}\r\nCSeq: {head['CSeq']}\r\n{more}Content-Length: {len(body)}\r\n\r\n{body}"
        caller.sendall(said.encode())
        if how == b"PLAY":
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as by_udp:
                for number, packet in enumerate(_packets(units)):
                    if not udp:
                        caller.sendall(struct.pack(">cBH", b"$", 0, len(packet)) + packet)
                    elif number not in lost:
                        by_udp.sendto(packet, to)


def _packets(units: list[list[bytes]]) -> Iterator[bytes]:
    """Packets of RTP: a unit that is too large for one goes in parts, whose first and last are marked."""
    number = 0
    for k, picture in enumerate(units):
        parts: list[bytes] = []
        for unit in picture:
            if len(unit) <= PART:
                parts.append(unit)
                continue
            kind, body = unit[0] & 31, unit[1:]
            for at in range(0, len(body), PART):
                marks = (at == 0) << 7 | (at + PART >= len(body)) << 6
                parts.append(bytes([unit[0] & 0xE0 | 28, kind | marks]) + body[at : at + PART])
        for part in parts:
            yield struct.pack(">BBHII", 0x80, 96 | (part is parts[-1]) << 7, number, 9000 * k, 1) + part
            number += 1
