"""The exceptions that the client raises."""

from __future__ import annotations

from typing import Any


class WinnowError(Exception):
    """Base class: one `except` clause catches every failure of the client."""


class WinnowConnectionError(WinnowError):
    """No complete answer arrived: wrong address, refused or broken connection."""


class WinnowTimeoutError(WinnowError):
    """The time limit of the call ended before the answer arrived."""


class WinnowProtocolError(WinnowError):
    """The reply did not come from Winnow: wrong base address, or an error page of a proxy."""

    def __init__(self, url: str, status: int, content_type: str | None, retry_after: float | None) -> None:
        super().__init__(
            f"{url} answered {status} ({content_type or 'no content type'}), which is not a Winnow answer: "
            "check base_url and any proxy in between"
        )
        self.status = status
        self.retry_after = retry_after


class WinnowApiError(WinnowError):
    """The service answered with an error of its table (docs/errors.md)."""

    def __init__(self, status: int, body: dict[str, Any], retry_after: float | None) -> None:
        error = body["error"]
        super().__init__(f"{error['code']} in stage {error['stage']}: {error['message']}")
        self.status = status
        """HTTP status of the answer."""
        self.code: str = error["code"]
        self.stage: str = error["stage"]
        self.message: str = error["message"]
        self.request_id: str | None = body.get("request_id")
        self.upstream_status_code: int | None = error.get("upstream_status_code")
        """Status of the target site, when the service did not accept it."""
        self.retryable: bool = error.get("retryable", status in (429, 503))
        """Whether the same request may succeed later."""
        self.retry_after = retry_after
        """Seconds to wait before the next try, when the service knows them."""
        self.dom_id: str | None = (body.get("metadata") or {}).get("dom_id")
        """The snapshot taken before the failure."""
        self.trace: list[dict[str, Any]] | None = body.get("trace")
