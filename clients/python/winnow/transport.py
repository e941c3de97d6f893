"""JSON over HTTP with a time limit, retries and exceptions. Uses urllib, so proxies come from the environment."""

from __future__ import annotations

import http.client
import json
import math
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from winnow.errors import (
    WinnowApiError,
    WinnowConnectionError,
    WinnowProtocolError,
    WinnowTimeoutError,
)

RETRIED_STATUSES = frozenset({429, 503})
"""The key's quota, and a full service: later the same request can succeed."""

FIRST_WAIT_SECONDS = 1.0
"""Wait before the first retry when the answer names none; doubled for each further one."""

T = TypeVar("T")


class _RefuseRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would send the key to an address that the caller did not name."""

    def redirect_request(self, *_args: Any) -> None:
        return None


class Transport:
    """Sends calls to one service.

    Args:
        base_url: address of the service; `/v1` at its end is left out.
        headers: sent with every call.
        timeout: seconds for one call, waits between retries included; `math.inf` for none.
        max_retries: further tries after a 429 or 503.
        max_retry_wait: longest wait in seconds that a Retry-After may ask for; a longer one is raised at once.

    Raises:
        ValueError: when `base_url` is not an http or https address, or a header has characters that headers cannot have.
    """

    def __init__(
        self,
        base_url: str,
        headers: Mapping[str, str],
        timeout: float,
        max_retries: int,
        max_retry_wait: float,
    ) -> None:
        parts = urllib.parse.urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError(f"base_url: not an http or https address: {base_url!r}")
        for name, value in headers.items():
            check_header(name, value)
        self._base_url = f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/').removesuffix('/v1')}"
        self._headers = dict(headers)
        self._timeout = timeout
        self._max_retries = max_retries
        self._max_retry_wait = max_retry_wait
        self._opener = urllib.request.build_opener(_RefuseRedirects())

    def send(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        accept: frozenset[int] = frozenset(),
        parse: Callable[[bytes], T] = json.loads,
    ) -> T:
        """Returns the parsed body of the answer.

        Args:
            accept: statuses besides 2xx whose body is an answer, not an error.
            parse: turns the bytes of a good answer into the value; raises ValueError for anything else.

        Raises:
            WinnowError: see winnow.errors.
        """
        ends_at = time.monotonic() + (self._timeout if timeout is None else timeout)
        tries = 0
        while True:
            try:
                return self._send_once(method, path, body, headers or {}, ends_at, accept, parse)
            except (WinnowApiError, WinnowProtocolError) as error:
                wait = FIRST_WAIT_SECONDS * 2**tries if error.retry_after is None else error.retry_after
                too_long = wait > self._max_retry_wait or time.monotonic() + wait >= ends_at
                if error.status not in RETRIED_STATUSES or tries >= self._max_retries or too_long:
                    raise
            tries += 1
            time.sleep(wait)

    def _send_once(
        self,
        method: str,
        path: str,
        body: object,
        headers: Mapping[str, str],
        ends_at: float,
        accept: frozenset[int],
        parse: Callable[[bytes], T],
    ) -> T:
        url = f"{self._base_url}{path}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, method=method)
        for name, value in {"accept": "application/json", **self._headers, **headers}.items():
            request.add_header(name, value)
        if data is not None:
            request.add_header("content-type", "application/json")
        status, answer_headers, content = self._exchange(request, ends_at)
        retry_after = read_retry_after(answer_headers.get("retry-after"))
        is_success = 200 <= status < 300
        value = _parse_or_none(content, parse if is_success else json.loads)
        if value is not None and is_success:
            return value
        if _is_error(value):
            raise WinnowApiError(status, value, retry_after)
        if value is not None and status in accept:
            return value
        raise WinnowProtocolError(url, status, answer_headers.get("content-type"), retry_after)

    def _exchange(self, request: urllib.request.Request, ends_at: float) -> tuple[int, Mapping[str, str], bytes]:
        try:
            try:
                response = self._opener.open(request, timeout=_remaining(ends_at))
            except urllib.error.HTTPError as error:
                response = error
            with response:
                return response.status, response.headers, _read_until(response, ends_at)
        except TimeoutError as error:
            raise WinnowTimeoutError(f"{request.full_url}: the time limit of the call ended") from error
        except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
            if isinstance(getattr(error, "reason", None), TimeoutError):
                raise WinnowTimeoutError(f"{request.full_url}: the time limit of the call ended") from error
            raise WinnowConnectionError(f"{request.full_url}: {getattr(error, 'reason', error)}") from error


def _read_until(response: Any, ends_at: float) -> bytes:
    """Reads the body in parts: the socket's own time limit is one for each read, not for the whole call."""
    parts: list[bytes] = []
    while part := response.read1(1 << 16):
        parts.append(part)
        _remaining(ends_at)
    body = b"".join(parts)
    expected = response.headers.get("content-length")
    if expected is not None and len(body) < int(expected):
        raise http.client.IncompleteRead(body, int(expected) - len(body))
    return body


def _remaining(ends_at: float) -> float | None:
    if math.isinf(ends_at):
        return None
    seconds = ends_at - time.monotonic()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def _parse_or_none(content: bytes, parse: Callable[[bytes], Any]) -> Any:
    try:
        return parse(content)
    except ValueError:
        return None


def _is_error(value: Any) -> bool:
    error = value.get("error") if isinstance(value, dict) else None
    return isinstance(error, dict) and {"code", "stage", "message"} <= error.keys()


def parse_lines(content: bytes) -> list[Any]:
    """Parses JSON Lines. Raises ValueError for a line that is cut off."""
    return [json.loads(line) for line in content.split(b"\n") if line]


def read_retry_after(value: str | None) -> float | None:
    """Returns the seconds of a Retry-After header: a number of them, or a date."""
    if value is None:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", value.strip(), re.ASCII):
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def check_header(name: str, value: object) -> str:
    """Returns the value. Raises ValueError when a header cannot carry it."""
    if not isinstance(value, str) or not re.fullmatch(r"[\x21-\x7e]+", value):
        raise ValueError(f"{name}: must be one or more printable ASCII characters without spaces")
    return value
