"""A server with TLS that answers what it is told to, one connection after the other; else it passes on to the appliance."""

import socket
import ssl
import threading
from typing import Callable, Iterator, List, Optional, Union
from urllib.parse import urlsplit

from premises import PREMISES

#: What is done with one request that has come: the answer's bytes, at once or piece by piece, or None where the connection breaks.
Meddling = Callable[[bytes, Callable[[], bytes]], Union[Optional[bytes], Iterator[bytes]]]


def answer(status: int, body: str, **headers: str) -> Meddling:
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return lambda _request, _passed: ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


def html(status: int, **headers: str) -> Meddling:
    return answer(status, "<html><body><h1>Bad gateway</h1></body></html>", content_type="text/html", **headers)


def broken(_request: bytes, _passed: Callable[[], bytes]) -> Optional[bytes]:
    return None


def cut(_request: bytes, passed: Callable[[], bytes]) -> Optional[bytes]:
    """The appliance has done what it was asked; half of its answer arrives."""
    whole = passed()
    return whole[: -(len(whole) - whole.index(b"\r\n\r\n")) // 2]


class Meddler:
    def __init__(self) -> None:
        self.planned: List[Meddling] = []
        #: First line of each request that has come.
        self.seen: List[str] = []
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(PREMISES["server"]["certificate"], PREMISES["server"]["key"])
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://127.0.0.1:{self._listener.getsockname()[1]}"
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def close(self) -> None:
        # Otherwise the thread would wait on, and may take the connections of the next listener: it gets the same number.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._accepting.join()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(plain,), daemon=True).start()

    def _serve(self, plain: socket.socket) -> None:
        try:
            with self._context.wrap_socket(plain, server_side=True) as connection:
                request = _message(connection)
                self.seen.append(request.split(b"\r\n", 1)[0].decode())
                meddling = self.planned.pop(0) if self.planned else None
                said = _passed(request) if meddling is None else meddling(request, lambda: _passed(request))
                for piece in [said] if isinstance(said, bytes) else said or []:
                    connection.sendall(piece)
        except OSError:
            plain.close()


def _passed(request: bytes) -> bytes:
    place = urlsplit(PREMISES["url"])
    context = ssl.create_default_context(cafile=PREMISES["ca"])
    plain = socket.create_connection((place.hostname or "", place.port or 443))
    with context.wrap_socket(plain, server_hostname=place.hostname) as connection:
        connection.sendall(request.replace(b"\r\n", b"\r\nConnection: close\r\n", 1).replace(b"keep-alive", b"close"))
        return _message(connection).replace(b"\r\n", b"\r\nConnection: close\r\n", 1)


def _message(connection: ssl.SSLSocket) -> bytes:
    read = b""
    while b"\r\n\r\n" not in read:
        piece = connection.recv(65_536)
        if not piece:
            raise OSError
        read += piece
    head, body = read.split(b"\r\n\r\n", 1)
    lines = head.decode().lower().split("\r\n")
    length = next((int(line.split(":")[1]) for line in lines if line.startswith("content-length:")), 0)
    while len(body) < length:
        body += connection.recv(65_536)
    return head + b"\r\n\r\n" + body
