"""Client of a Winnow service: web pages in, structured content out. Standard library only."""

from winnow.client import Winnow
from winnow.errors import (
    WinnowApiError,
    WinnowConnectionError,
    WinnowError,
    WinnowProtocolError,
    WinnowTimeoutError,
)

__all__ = [
    "Winnow",
    "WinnowApiError",
    "WinnowConnectionError",
    "WinnowError",
    "WinnowProtocolError",
    "WinnowTimeoutError",
]
