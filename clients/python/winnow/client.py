"""The client of the `/v1` interface."""

from __future__ import annotations

import json
import math
import time
import urllib.parse
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, cast

from winnow.errors import WinnowError, WinnowTimeoutError
from winnow.transport import Transport, check_header, parse_lines

if TYPE_CHECKING:
    from winnow.types import (
        Batch,
        BatchLine,
        BatchRequest,
        CrawlRequest,
        CreateSnapshotResponse,
        DeletedResponse,
        DumpRequest,
        DumpResponse,
        ExtractRequest,
        ExtractResponse,
        HealthResponse,
        ReadyResponse,
        SnapshotRequest,
    )

_RESULTS_PAGE = 200
"""Results that one call asks for: some are large."""


class Winnow:
    """Calls one Winnow service. Methods raise the exceptions of `winnow.errors`. Threads may share a client.

    Args:
        base_url: address of the service; `/v1` at its end is left out.
        api_key: sent as `X-API-Key`.
        project_id: sent as `X-Project-Id`; required with a project key.
        timeout: seconds for one call, retries included; `math.inf` for no limit.
        max_retries: further tries after a 429 or 503; Retry-After is followed.
        max_retry_wait: longest wait in seconds between two tries.

    Raises:
        ValueError: for a base address or key that cannot be one.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        project_id: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 2,
        max_retry_wait: float = 30.0,
    ) -> None:
        headers = {"x-api-key": check_header("api_key", api_key)}
        if project_id is not None:
            headers["x-project-id"] = check_header("project_id", project_id)
        self._transport = Transport(base_url, headers, timeout, max_retries, max_retry_wait)

    def extract(
        self,
        request: ExtractRequest | str,
        *,
        timeout: float | None = None,
        request_id: str | None = None,
        cache_control: str | None = None,
    ) -> ExtractResponse:
        """Fetches a page, or takes a stored snapshot, and returns its structured content.

        Args:
            request: the body of `POST /v1/extract`, or just the address of a page.
            cache_control: `max-age=3600` reuses a stored snapshot of that many seconds, `only-if-cached` fetches nothing.
        """
        body = {"extract": {"url": request}} if isinstance(request, str) else request
        headers = _request_id(request_id) | _cache_control(cache_control)
        return cast(
            "ExtractResponse",
            self._transport.send("POST", "/v1/extract", body=body, headers=headers, timeout=timeout),
        )

    def extract_many(
        self, requests: Iterable[ExtractRequest | str], *, concurrency: int = 4, timeout: float | None = None
    ) -> Iterator[tuple[ExtractRequest | str, ExtractResponse | WinnowError]]:
        """Extracts pages, some at the same time, and yields each with its answer or its error, in the order of the requests.

        For thousands of pages a batch is better.
        """

        def attempt(request: ExtractRequest | str) -> ExtractResponse | WinnowError:
            try:
                return self.extract(request, timeout=timeout)
            except WinnowError as error:
                return error

        running: deque[tuple[ExtractRequest | str, Future[ExtractResponse | WinnowError]]] = deque()
        with ThreadPoolExecutor(concurrency) as pool:
            for request in requests:
                running.append((request, pool.submit(attempt, request)))
                if len(running) >= concurrency:
                    first, future = running.popleft()
                    yield first, future.result()
            for request, future in running:
                yield request, future.result()

    def dump(
        self,
        request: DumpRequest | str,
        *,
        timeout: float | None = None,
        request_id: str | None = None,
        cache_control: str | None = None,
    ) -> DumpResponse:
        """Captures a page and returns its HTML; its `dom_id` can be extracted later without another fetch."""
        body = {"url": request} if isinstance(request, str) else request
        headers = _request_id(request_id) | _cache_control(cache_control)
        return cast(
            "DumpResponse",
            self._transport.send("POST", "/v1/dom/dump", body=body, headers=headers, timeout=timeout),
        )

    def create_batch(
        self,
        request: BatchRequest,
        *,
        idempotency_key: str | None = None,
        cache_control: str | None = None,
        timeout: float | None = None,
    ) -> Batch:
        """Starts the extraction of up to 100,000 pages in the background.

        Args:
            idempotency_key: a repeated call with the same key returns the batch of the first call.
            cache_control: as of extract, for each URL of the batch.
        """
        key = {} if idempotency_key is None else {"idempotency-key": check_header("idempotency_key", idempotency_key)}
        return self._batch("POST", "/v1/batches", request, key | _cache_control(cache_control), timeout)

    def create_crawl(
        self,
        request: CrawlRequest | str,
        *,
        idempotency_key: str | None = None,
        cache_control: str | None = None,
        timeout: float | None = None,
    ) -> Batch:
        """Starts the extraction of the pages of a site, by following its links: a batch that grows.

        Args:
            request: the body of `POST /v1/crawls`, or just the address of the start page.
        """
        body = {"url": request} if isinstance(request, str) else request
        key = {} if idempotency_key is None else {"idempotency-key": check_header("idempotency_key", idempotency_key)}
        return self._batch("POST", "/v1/crawls", body, key | _cache_control(cache_control), timeout)

    def crawl(self, crawl_id: str, *, timeout: float | None = None) -> Batch:
        """Returns the state of a crawl: `total` are the pages found so far, `crawl.skipped` what was left out."""
        return self._batch("GET", f"/v1/crawls/{_quote(crawl_id)}", None, {}, timeout)

    def cancel_crawl(self, crawl_id: str, *, timeout: float | None = None) -> Batch:
        """Cancels the pages of a crawl that have not started; no further ones are found, and running pages finish."""
        return self._batch("POST", f"/v1/crawls/{_quote(crawl_id)}/cancel", None, {}, timeout)

    def delete_crawl(self, crawl_id: str, *, timeout: float | None = None) -> DeletedResponse:
        """Deletes a crawl with its pages and results; a running crawl ends."""
        path = f"/v1/crawls/{_quote(crawl_id)}"
        return cast("DeletedResponse", self._transport.send("DELETE", path, timeout=timeout))

    def crawl_results(self, crawl_id: str, *, after: int = -1, timeout: float | None = None) -> Iterator[BatchLine]:
        """Yields one line for each page as `batch_results` does, in the order in which the pages were found."""
        return self._lines(f"/v1/crawls/{_quote(crawl_id)}/results", after, timeout)

    def wait_for_crawl(self, crawl_id: str, *, timeout: float = math.inf, poll_interval: float = 2.0) -> Batch:
        """Returns the crawl when it has ended, as `wait_for_batch` does."""
        return self.wait_for_batch(crawl_id, timeout=timeout, poll_interval=poll_interval)

    def batch(self, batch_id: str, *, timeout: float | None = None) -> Batch:
        """Returns the state and counts of a batch."""
        return self._batch("GET", f"/v1/batches/{_quote(batch_id)}", None, {}, timeout)

    def cancel_batch(self, batch_id: str, *, timeout: float | None = None) -> Batch:
        """Cancels the items of a batch that have not started; running items finish."""
        return self._batch("POST", f"/v1/batches/{_quote(batch_id)}/cancel", None, {}, timeout)

    def delete_batch(self, batch_id: str, *, timeout: float | None = None) -> DeletedResponse:
        """Deletes a batch with its items and results; a running batch ends."""
        path = f"/v1/batches/{_quote(batch_id)}"
        return cast("DeletedResponse", self._transport.send("DELETE", path, timeout=timeout))

    def create_snapshot(self, request: SnapshotRequest, *, timeout: float | None = None) -> CreateSnapshotResponse:
        """Stores HTML that the caller has as a snapshot; nothing is fetched."""
        return cast(
            "CreateSnapshotResponse", self._transport.send("POST", "/v1/snapshots", body=request, timeout=timeout)
        )

    def screenshot(self, dom_id: str, *, timeout: float | None = None) -> bytes:
        """Returns the picture of a snapshot, as the bytes of its file."""
        path = f"/v1/snapshots/{_quote(dom_id)}/screenshot"
        return self._transport.send("GET", path, timeout=timeout, parse=bytes)

    def mhtml(self, dom_id: str, *, timeout: float | None = None) -> bytes:
        """Returns a snapshot with its loaded resources, as the bytes of an MHTML file."""
        path = f"/v1/snapshots/{_quote(dom_id)}/mhtml"
        return self._transport.send("GET", path, timeout=timeout, parse=bytes)

    def delete_snapshot(self, dom_id: str, *, timeout: float | None = None) -> DeletedResponse:
        """Deletes a snapshot."""
        path = f"/v1/snapshots/{_quote(dom_id)}"
        return cast("DeletedResponse", self._transport.send("DELETE", path, timeout=timeout))

    def batch_results(self, batch_id: str, *, after: int = -1, timeout: float | None = None) -> Iterator[BatchLine]:
        """Yields one line for each item in the order of the request, up to the first unfinished item.

        Args:
            after: the index after which to begin.
            timeout: seconds for each page of 200 results.
        """
        return self._lines(f"/v1/batches/{_quote(batch_id)}/results", after, timeout)

    def _lines(self, path: str, after: int, timeout: float | None) -> Iterator[BatchLine]:
        while True:
            query = urllib.parse.urlencode({"limit": _RESULTS_PAGE, **({"after": after} if after >= 0 else {})})
            answer = self._transport.send("GET", f"{path}?{query}", timeout=timeout, parse=parse_lines)
            lines = cast("list[BatchLine]", answer)
            yield from lines
            if len(lines) < _RESULTS_PAGE:
                return
            after = lines[-1]["index"]

    def wait_for_batch(self, batch_id: str, *, timeout: float = math.inf, poll_interval: float = 2.0) -> Batch:
        """Returns the batch when it is completed, or cancelled with its last item ended.

        Args:
            timeout: seconds for the whole wait.
            poll_interval: seconds between two looks.

        Raises:
            WinnowTimeoutError: when the batch is still running after `timeout` seconds.
        """
        ends_at = time.monotonic() + timeout
        while True:
            batch = self.batch(batch_id)
            counts = batch["counts"]
            if batch["state"] != "running" and counts["queued"] + counts["running"] == 0:
                return batch
            if time.monotonic() + poll_interval > ends_at:
                done = batch["total"] - counts["queued"] - counts["running"]
                raise WinnowTimeoutError(f"batch {batch_id}: {done} of {batch['total']} items done after {timeout} s")
            time.sleep(poll_interval)

    def health(self, *, timeout: float | None = None) -> HealthResponse:
        """Returns when the process answers."""
        return cast("HealthResponse", self._transport.send("GET", "/healthz", timeout=timeout))

    def ready(self, *, timeout: float | None = None) -> ReadyResponse:
        """Returns the state of each part; `not_ready` is an answer here, not an error."""
        accept = frozenset({503})
        return cast("ReadyResponse", self._transport.send("GET", "/readyz", timeout=timeout, accept=accept))

    def _batch(
        self, method: str, path: str, body: object, headers: dict[str, str], timeout: float | None
    ) -> Batch:
        answer = self._transport.send(method, path, body=body, headers=headers, timeout=timeout, parse=json.loads)
        return cast("Batch", answer["batch"])


def _request_id(request_id: str | None) -> dict[str, str]:
    return {} if request_id is None else {"x-request-id": check_header("request_id", request_id)}


def _cache_control(value: str | None) -> dict[str, str]:
    return {} if value is None else {"cache-control": value}


def _quote(part: str) -> str:
    return urllib.parse.quote(part, safe="")
