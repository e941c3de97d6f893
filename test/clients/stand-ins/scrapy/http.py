"""Requests and answers of Scrapy."""

import json
import re
from urllib.parse import urljoin


class Replaceable:
    def replace(self, cls=None, **changes):
        return (cls or type(self))(**{**vars(self), **changes})


class Request(Replaceable):
    def __init__(
        self, url, callback=None, method="GET", headers=None, body=None, cookies=None, meta=None, dont_filter=False
    ):
        self.url = url
        self.callback = callback
        self.method = method
        self.headers = headers or {}
        self.body = body
        self.cookies = cookies or {}
        self.meta = meta or {}
        self.dont_filter = dont_filter


class Response(Replaceable):
    def __init__(self, url, status=200, headers=None, body=b"", encoding=None):
        self.url = url
        self.status = status
        self.headers = headers or {}
        self.body = body
        self.encoding = encoding

    def follow_all(self, css, callback, meta):
        assert css == "article a"
        links = re.findall(r'<a href="([^"]+)"', self.body.decode())
        return [Request(urljoin(self.url, link), callback, meta=meta) for link in links]


class TextResponse(Response):
    def json(self):
        return json.loads(self.body)
